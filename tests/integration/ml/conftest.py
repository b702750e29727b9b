"""Helpers for tests that run the real inference process."""

import asyncio
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from lyra.ml.card import model_directory
from lyra.ml.remote import IsolatedModels
from lyra.settings import Models

_WAIT_S = 30.0
_LOOK_S = 0.005
_TRY_NAMESPACE = "import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x10000000 | 0x40000000) != 0)"


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], Awaitable[None]]:
    """Gives the event loop turns until a condition holds."""

    async def wait(condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(_WAIT_S):
            while not condition():  # noqa: ASYNC110 — what is waited for happens in a thread without an event
                await asyncio.sleep(_LOOK_S)

    return wait


@pytest.fixture
def process_of() -> Callable[[IsolatedModels], psutil.Process]:
    """Finds the inference process that is running now."""

    def find(models: IsolatedModels) -> psutil.Process:
        pid = models.status().pid
        if pid is None:
            pytest.fail("the inference process is not running")
        return psutil.Process(pid)

    return find


@pytest.fixture
def namespaces() -> None:
    """Skips where the kernel or a container refuses user namespaces."""
    if subprocess.run([sys.executable, "-c", _TRY_NAMESPACE], check=False).returncode != 0:
        pytest.skip("user and network namespaces are refused on this machine")


@pytest.fixture
async def models() -> AsyncIterator[IsolatedModels]:
    """A fresh process for the test that disturbs it."""
    fresh = IsolatedModels(Models(threads=1))
    yield fresh
    await fresh.close()


@pytest.fixture(scope="module")
def calm_models() -> Iterator[IsolatedModels]:
    """One process for the tests of a module that leave it alone."""
    shared = IsolatedModels(Models())
    yield shared
    asyncio.run(shared.close())


@pytest.fixture
def copied_weights(tmp_path: Path) -> Path:
    """The embedder and the small reader in a directory that a test may damage."""
    root = tmp_path / "weights"
    for name in ("embedder", "small"):
        shutil.copytree(model_directory(name), root / name)
    return root


@pytest.fixture
def two_readers(copied_weights: Path) -> Path:
    """Beside them a large reader, whose weights are the small one's: enough to see who is asked."""
    directory = copied_weights / "large"
    shutil.copytree(copied_weights / "small", directory)
    tokenizer = directory / "tokenizer.json"
    tokenizer.write_bytes(tokenizer.read_bytes() + b"\n")
    change_card(directory, name="lyra-reader-other", calibration={})
    rehash(directory, "tokenizer.json")
    return copied_weights


def change_card(directory: Path, **changes: Any) -> None:
    """Fields of the card in a directory, replaced."""
    path = directory / "card.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


def rehash(directory: Path, name: str) -> None:
    """The card names the file as it is now."""
    files = json.loads((directory / "card.json").read_text("utf-8"))["files"]
    change_card(directory, files=files | {name: hashlib.sha256((directory / name).read_bytes()).hexdigest()})
