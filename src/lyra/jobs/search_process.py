"""A process of its own for searches, behind the server in the line for the processor: who reads does not wait for them.

It gets the settings on standard input, then an empty line whenever something was queued, and ends when the input does:
also where the server was killed. On standard output it tells its state.
"""

import asyncio
import contextlib
import sys
from collections.abc import Sequence

from lyra.clock import Clock
from lyra.model.process_state import ProcessState
from lyra.observe.log import get_logger

COMMAND = (sys.executable, "-P", "-m", "lyra.cli.work")
WAKE = b"\n"
_GRACE_S = 10.0
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0
_log = get_logger(__name__)


class SearchProcess:
    """Keeps one such process running; one that ends by itself is started again, after ever longer pauses."""

    def __init__(self, settings_json: str, clock: Clock, command: Sequence[str] = COMMAND) -> None:
        self._settings_json = settings_json
        self._clock = clock
        self._command = tuple(command)
        self._process: asyncio.subprocess.Process | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._tried = asyncio.Event()
        self._state = ProcessState()
        self._ends = 0
        self._last_code: int | None = None

    @property
    def pid(self) -> int | None:
        """Of the process that runs now."""
        return self._process.pid if self._process is not None else None

    async def start(self) -> None:
        """Start it and keep it running."""
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep(), name="search-process")
            await self._tried.wait()

    def wake(self) -> None:
        """Have it look at the queue now: something was just put in."""
        if self._process is not None and self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(WAKE)

    def state(self) -> ProcessState:
        """What it told last, and that it has ended unexpectedly."""
        if not self._ends:
            return self._state
        ended = (
            f"The process that runs searches ended unexpectedly (times: {self._ends}; last exit code: "
            f"{self._last_code}); it is started again."
        )
        return self._state.combined_with(ProcessState((ended,)))

    async def stop(self) -> None:
        """Let it close in order, and end it where it does not."""
        if self._keeping is None:
            return
        self._keeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._keeping
        self._keeping = None

    async def _keep(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while True:
            started = self._clock.monotonic()
            try:
                self._last_code = await self._run()
            except OSError as exc:
                self._tried.set()
                _log.warning("the process for searches could not be started", error=type(exc).__name__)
            self._ends += 1
            _log.warning("the process for searches ended", code=self._last_code)
            ran_s = self._clock.monotonic() - started
            pause_s = _FIRST_PAUSE_S if ran_s > _LONGEST_PAUSE_S else min(_LONGEST_PAUSE_S, 2 * pause_s)
            await self._clock.sleep(pause_s)

    async def _run(self) -> int:
        """Start one, take in what it tells until it ends, and give its exit code."""
        pipe = asyncio.subprocess.PIPE
        # A session of its own keeps Ctrl-C with the server, which ends it in order.
        process = await asyncio.create_subprocess_exec(*self._command, stdin=pipe, stdout=pipe, start_new_session=True)
        self._process = process
        self._tried.set()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(self._settings_json.encode() + b"\n")
            async for line in process.stdout:
                with contextlib.suppress(ValueError):
                    self._state = ProcessState.from_line(line)
            return await process.wait()
        finally:
            self._process = None
            await asyncio.shield(_end(process))


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close its input, which lets it close in order; kill what has not ended in time."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(_GRACE_S):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
