"""The training scripts are no package: tests load the ones that need no training library by path."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

TRAINING = Path(__file__).parents[3] / "training"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Loads a script under its own name, for the length of a test; it finds its neighbours."""
    monkeypatch.syspath_prepend(TRAINING)

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, TRAINING / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return load
