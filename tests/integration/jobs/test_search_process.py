"""The process for searches as the server keeps it: started, woken, started again, ended with the server."""

import asyncio
import os
import sys
from collections.abc import Callable

import pytest

from lyra.clock import SystemClock
from lyra.jobs.search_process import SearchProcess
from lyra.model.process_state import ProcessState

# Tells the settings as a trouble, then a trouble for each line, until its input ends.
LISTENER = """
import sys
count = 0
settings = sys.stdin.readline().strip()
while True:
    print('{"troubles": ["%s %d"], "items": {}, "seconds": {}}' % (settings, count), flush=True)
    if not sys.stdin.readline():
        break
    count += 1
"""


class QuickClock(SystemClock):
    """Pauses that are noted instead of waited for."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_so():  # noqa: ASYNC110 - another process changes it
            await asyncio.sleep(0.01)


async def test_it_gets_the_settings_and_is_woken() -> None:
    """The settings in the first line; a line more for each thing that was queued."""
    process = SearchProcess("abc", SystemClock(), (sys.executable, "-c", LISTENER))

    await process.start()
    await until(lambda: process.state().troubles == ("abc 0",))
    process.wake()
    await until(lambda: process.state().troubles == ("abc 1",))
    await process.stop()

    assert process.pid is None


async def test_stopping_ends_it() -> None:
    """Its input ends, and so does the process; nothing is left behind."""
    process = SearchProcess("abc", SystemClock(), (sys.executable, "-c", LISTENER))
    await process.start()
    await until(lambda: process.state().troubles == ("abc 0",))
    pid = process.pid or 0

    await process.stop()

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_one_that_ends_by_itself_is_started_again_after_longer_pauses() -> None:
    """And the status says so."""
    clock = QuickClock()
    process = SearchProcess("abc", clock, (sys.executable, "-c", "raise SystemExit(3)"))

    await process.start()
    await until(lambda: len(clock.pauses) >= 3)
    ends = len(clock.pauses)
    troubles = process.state().troubles
    await process.stop()

    assert clock.pauses[:3] == [2.0, 4.0, 8.0]
    assert troubles == (
        f"The process that runs searches ended unexpectedly (times: {ends}; last exit code: 3); it is started again.",
    )


async def test_what_cannot_be_read_is_no_state() -> None:
    """The last state that could be read holds."""
    script = "import sys\nprint('noise', flush=True)\nsys.stdin.read()"
    process = SearchProcess("abc", SystemClock(), (sys.executable, "-c", script))

    await process.start()
    state = process.state()
    await process.stop()

    assert state == ProcessState()
