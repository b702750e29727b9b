"""The one thread that owns the inference process: a queue in front of it, a restart behind it.

The kernel kills the process when the thread that started it ends, so no other thread may start it.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lyra.errors import ModelError
from lyra.ml.frames import ConnectionEnded
from lyra.ml.process import WorkerConfig, WorkerProcess
from lyra.observe.log import get_logger

_log = get_logger(__name__)
_ATTEMPTS = 2
T = TypeVar("T")


@dataclass(slots=True)
class WorkerStats:
    """What the lane has seen, for `lyra doctor` and the metrics."""

    starts: int = 0
    crashes: int = 0
    last_crash: str | None = None
    requests: int = 0
    items: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def count(self, op: str, items: int, seconds: float) -> None:
        self.items[op] = self.items.get(op, 0) + items
        self.seconds[op] = self.seconds.get(op, 0.0) + seconds


class WorkerSupervisor:
    """Acts wait in order; one that is cancelled before its turn never runs."""

    def __init__(self, config: WorkerConfig, idle_exit_s: float, *, attempts: int = _ATTEMPTS) -> None:
        self._config = config
        self._idle_exit_s = idle_exit_s
        self._attempts = attempts
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lyra-models")
        self._lock = threading.Lock()
        self._is_closed = False
        self._last_use = 0.0
        self._idle_timer: threading.Timer | None = None
        self.worker: WorkerProcess | None = None
        self.stats = WorkerStats()

    def submit(self, act: Callable[[], T]) -> "Future[T]":
        """Have `act` run on the lane's thread."""
        with self._lock:
            self._refuse_when_closed()
            return self._thread.submit(self._run, act)

    def close(self) -> None:
        """End the process, also in the middle of a request, and the thread; what still waits fails. Blocking."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        if worker := self.worker:
            worker.interrupt()
        if self._idle_timer:
            self._idle_timer.cancel()
        self._thread.submit(self._end_worker).result()
        self._thread.shutdown()

    def ask(self, request: dict[str, Any], payload: bytes = b"") -> tuple[dict[str, Any], bytes]:
        """The process's answer; one that dies is started again, as often as the lane may. On the lane's thread."""
        for _ in range(self._attempts):
            worker = self.started()
            self._refuse_when_closed()
            self.stats.requests += 1
            try:
                return worker.ask(request, payload)
            except ConnectionEnded:
                self.worker = None
                self._refuse_when_closed()
                self.stats.crashes += 1
                self.stats.last_crash = worker.exit_reason()
                _log.warning("inference process ended unexpectedly", reason=self.stats.last_crash)
        raise ModelError(
            f"The inference process ended {self._attempts} times on the same request ({self.stats.last_crash}).",
            remedy="Run `lyra doctor`; if memory ran out, raise the setting models.memory_limit_mb.",
        )

    def started(self) -> WorkerProcess:
        """The running process, started where there is none. On the lane's thread."""
        if self.worker is None:
            self.worker = WorkerProcess(self._config)
            self.stats.starts += 1
            self._start_idle_timer(self._idle_exit_s)
            if not self.worker.isolation.layers:
                _log.warning("inference process runs WITHOUT isolation", refused=self.worker.isolation.refused)
        return self.worker

    def _run(self, act: Callable[[], T]) -> T:
        self._refuse_when_closed()
        try:
            return act()
        finally:
            self._last_use = time.monotonic()

    def _refuse_when_closed(self) -> None:
        if self._is_closed:
            raise ModelError("The models are closed.", remedy="Start the server again.")

    def _start_idle_timer(self, seconds: float) -> None:
        self._idle_timer = threading.Timer(seconds, self._on_idle_timer)
        self._idle_timer.daemon = True
        self._idle_timer.start()

    def _on_idle_timer(self) -> None:
        with self._lock:
            if not self._is_closed:
                self._thread.submit(self._end_when_idle)

    def _end_when_idle(self) -> None:
        left = self._last_use + self._idle_exit_s - time.monotonic()
        if self.worker is None:
            return
        if left > 0:
            self._start_idle_timer(left)
        else:
            self._end_worker()

    def _end_worker(self) -> None:
        if self.worker is not None:
            self.worker.kill()
            self.worker = None
