"""Processes that end with Lyra: the browser, its virtual screen, and a watchdog that ends both when Lyra is killed."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from lyra import scheduling

if TYPE_CHECKING:
    import psutil

TERM_TIMEOUT_S = 3.0
KILL_TIMEOUT_S = 3.0
_POLL_S = 0.05
_SCREEN = "1600x1000x24"
# Waits for the end of its input, which the kernel closes when Lyra is gone, whatever killed it.
_WATCH = 'cat >/dev/null; kill -s TERM -- "-$0" 2>/dev/null; sleep 2; kill -s KILL -- "-$0" 2>/dev/null'


# The browser reads commands from descriptor 3 and writes answers to 4, whatever numbers they have here.
_TO_3_AND_4 = (
    "import fcntl, os, sys\n"
    "for number, given in zip((3, 4), [fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]]):\n"
    "    os.dup2(given, number)\n"
    "    os.close(given)\n"
    "os.execv(sys.argv[3], sys.argv[3:])\n"
)


class ProcessGroup:
    """A process with all its children, in a group of its own that ends as one."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._watchdog = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, str(process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @classmethod
    def start(
        cls, command: Sequence[str], environment: Mapping[str, str], log: "IO[bytes] | int" = subprocess.DEVNULL,
        pass_fds: Sequence[int] = (),
    ) -> "ProcessGroup":  # fmt: skip
        """Start a command. Raises OSError where it cannot be run."""
        process = subprocess.Popen(
            list(command),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            pass_fds=tuple(pass_fds),
        )
        scheduling.lower_child_priority(process.pid)
        return cls(process)

    @classmethod
    def start_with_pipe(
        cls, command: Sequence[str], environment: Mapping[str, str], log: "IO[bytes]", given: Sequence[int]
    ) -> "ProcessGroup":
        """Start a command with these descriptors as 3 and 4. Raises OSError where it cannot be run."""
        launcher = [sys.executable, "-I", "-S", "-c", _TO_3_AND_4, *map(str, given)]
        return cls.start([*launcher, *command], environment, log, pass_fds=given)

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_running(self) -> bool:
        return self._process.poll() is None

    async def ended(self, limit_s: float) -> None:
        """Wait until it ends by itself, at most so long."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(self._process.wait, limit_s)

    async def end(self, *, at_once: bool = False) -> None:
        """End the whole group: asked first, then forced; nothing of it is left when this returns."""
        await asyncio.to_thread(self._end, 0.0 if at_once else TERM_TIMEOUT_S)

    def _end(self, term_timeout_s: float) -> None:
        self._watchdog.kill()
        if term_timeout_s:
            self._signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(term_timeout_s)
        self._signal(signal.SIGKILL)
        self._process.wait()
        self._wait_for_members()
        self._watchdog.wait()
        if self._watchdog.stdin is not None:
            self._watchdog.stdin.close()

    def _wait_for_members(self) -> None:
        """Killed children are gone a moment after the signal, and later still on a busy machine."""
        import psutil

        deadline_s = time.monotonic() + KILL_TIMEOUT_S
        while (left := self._living_members()) and time.monotonic() < deadline_s:
            psutil.wait_procs(left, timeout=_POLL_S)

    def _living_members(self) -> "list[psutil.Process]":
        """The processes of the group that live; zombies, which some containers keep, do not count."""
        import psutil

        found = []
        for one in psutil.process_iter():
            with contextlib.suppress(psutil.Error, ProcessLookupError, PermissionError):
                if os.getpgid(one.pid) == self._process.pid and one.status() != psutil.STATUS_ZOMBIE:
                    found.append(one)
        return found

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def start_screen(environment: Mapping[str, str], limit_s: float) -> tuple[ProcessGroup, str]:
    """A virtual screen and its name for DISPLAY. Raises OSError where it does not come up."""
    reading, writing = os.pipe()
    try:
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", _SCREEN, "-nolisten", "tcp", "-noreset"]
        group = ProcessGroup.start(command, environment, pass_fds=(writing,))
    except OSError:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    try:
        number = _read_line(reading, limit_s)
    finally:
        os.close(reading)
    if not number:
        group._end(0.0)
        raise OSError("the virtual screen (Xvfb) did not come up")
    return group, f":{number}"


def _read_line(descriptor: int, limit_s: float) -> str:
    import select

    text = b""
    while not text.endswith(b"\n") and select.select([descriptor], [], [], limit_s)[0]:
        chunk = os.read(descriptor, 16)
        if not chunk:
            break
        text += chunk
    return text.decode("ascii", "replace").strip()


def last_stderr(log: Path) -> str:
    """The last line that a process wrote before it ended."""
    try:
        lines = log.read_bytes()[-4000:].decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    useful = [line.strip() for line in lines if line.strip() and "dbus" not in line.lower()]
    return useful[-1][-200:] if useful else ""
