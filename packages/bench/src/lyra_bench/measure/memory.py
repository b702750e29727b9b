"""What this process and the inference process take: the most memory at once, and processor time."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

import psutil

_EVERY_S = 0.2


class PeakMemory:
    """Watches while its block runs; resident memory in MB. `other` names the second process, once there is one."""

    def __init__(self, other: Callable[[], int | None]) -> None:
        self._other = other
        self._watching: asyncio.Task[None] | None = None
        self.own_mb = 0.0
        self.other_mb = 0.0

    async def __aenter__(self) -> Self:
        self._watching = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._watching is not None:
            self._watching.cancel()

    async def _watch(self) -> None:
        while True:
            self.own_mb = max(self.own_mb, _resident_mb(psutil.Process().pid))
            pid = self._other()
            if pid is not None:
                self.other_mb = max(self.other_mb, _resident_mb(pid))
            await asyncio.sleep(_EVERY_S)


def cpu_seconds(*pids: int | None) -> float:
    """Processor time that these processes have taken so far: what work costs whatever else the machine does."""
    return sum(_cpu(pid) for pid in pids if pid is not None)


def _cpu(pid: int) -> float:
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def _resident_mb(pid: int) -> float:
    try:
        return round(psutil.Process(pid).memory_info().rss / 1e6, 1)
    except psutil.NoSuchProcess:
        return 0.0
