"""Helpers for tests that run the real inference process."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import psutil
import pytest

from lyra.ml.card import bundled_directory
from lyra.ml.remote import IsolatedModels
from lyra.settings import Models

_WAIT_S = 30.0
_TRY_NAMESPACE = "import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x10000000 | 0x40000000) != 0)"


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], Awaitable[None]]:
    """Gives the event loop turns until a condition holds."""

    async def wait(condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(_WAIT_S):
            while not condition():  # noqa: ASYNC110 — what is waited for happens in a thread without an event
                await asyncio.sleep(0)

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
    """The bundled weights in a directory that a test may damage."""
    return Path(shutil.copytree(bundled_directory(), tmp_path / "weights"))
