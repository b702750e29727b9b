"""The training scripts are no package: tests load the ones that need no training library by path."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

TRAINING = Path(__file__).parents[3] / "training"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Loads a script under its own name, for the length of a test; it finds its neighbours."""
    return _loader(monkeypatch)


@pytest.fixture(scope="module")
def module_script() -> Iterator[Callable[[str], ModuleType]]:
    """The same for all tests of a file: for what is dear to make and nobody changes."""
    with pytest.MonkeyPatch.context() as patch:
        yield _loader(patch)


def _loader(patch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    patch.syspath_prepend(TRAINING)

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, TRAINING / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        patch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return load
