"""An isolated process seen from the server: start, prove its isolation, ask, restart, end when idle."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lyra import scheduling
from lyra.errors import ModelError
from lyra.ml import memory_group
from lyra.ml.frames import ConnectionEnded, receive, send
from lyra.ml.isolation import LAYERS, Isolation
from lyra.observe.log import get_logger

_START_LIMIT_S = 60.0
_ANSWER_LIMIT_S = 120.0
_EXIT_TIMEOUT_S = 1.0
_MAX_ERROR_CHARS = 100
_ERROR_CLASS = re.compile(r"[A-Za-z_][\w.]*")
# Nothing secret travels to the process that reads what strangers wrote. ONNX Runtime's official builds report its
# use to Microsoft by default and keep a device id and a database in the user's cache; the switch prevents all three.
_ENVIRONMENT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
)


_SWITCHES = {"ORT_DISABLE_TELEMETRY": "1", "TOKENIZERS_PARALLELISM": "false"}


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Settings sent to the process before it cuts its network; below `readable` it may read files."""

    threads: int = 0
    memory_limit_mb: int = 2048
    is_isolation_required: bool = True
    layers: tuple[str, ...] = LAYERS
    module: str = "lyra.ml.worker"
    answer_limit_s: float = _ANSWER_LIMIT_S
    readable: tuple[str, ...] = ()
    device: str = "cpu"
    devices: tuple[str, ...] = ()


class WorkerProcess:
    """A running inference process. `ConnectionEnded` from `ask` means it is gone; `exit_reason` then says how."""

    def __init__(self, config: WorkerConfig, spawned: "Callable[[WorkerProcess], None]" = lambda _: None) -> None:
        """`spawned` gets it before it is ready: from then on it can be interrupted."""
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 — closed with the process
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = _spawn(config.module, theirs, self._stderr.fileno())
        scheduling.lower_child_priority(self._process.pid)
        self._group = memory_group.limit_memory(self._process.pid, config.memory_limit_mb)
        self._connection = ours
        spawned(self)
        try:
            self.isolation = self._handshake(config)
        except (ConnectionEnded, TimeoutError) as exc:
            self._reap()
            raise ModelError(
                f"The inference process did not start: {self.exit_reason()}.",
                remedy="Run `lyra doctor` to see what the machine lacks.",
            ) from exc
        if config.is_isolation_required and not self.isolation.layers:
            self.kill()
            raise _not_isolated(self.isolation)
        self._connection.settimeout(config.answer_limit_s)

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, request: dict[str, Any], payload: bytes = b"") -> tuple[dict[str, Any], bytes]:
        """The answer to one request; `ModelError` where the model itself failed."""
        try:
            send(self._connection, request, payload)
            header, answer = receive(self._connection)
        except (ConnectionEnded, TimeoutError) as exc:
            self._reap()
            raise ConnectionEnded from exc
        if "error" in header:
            raise ModelError(header["error"], remedy=header["remedy"], details=header["details"])
        return header, answer

    def interrupt(self) -> None:
        """Kill the process from another thread; the owner's `ask` then ends."""
        self._process.kill()

    def kill(self) -> None:
        """End the process, whatever it is doing, and reap it."""
        self._process.kill()
        self._process.wait()
        self._connection.close()
        if self._group is not None:
            memory_group.remove(self._group)

    def _reap(self) -> None:
        """Let a process that closed its connection exit, so that its exit code says why; kill one that hangs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_EXIT_TIMEOUT_S)
        self.kill()

    def exit_reason(self) -> str:
        """How the process ended: its signal or exit code, and the class of the error it died of."""
        code = self._process.returncode
        ending = f"killed by {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
        return f"{ending}, {words}" if (words := self._last_error_class()) else ending

    def _last_error_class(self) -> str:
        """The class of the error only: its message might quote what was being read."""
        self._stderr.seek(0)
        lines = self._stderr.read().decode("utf-8", "replace").strip().splitlines()
        name = lines[-1].split(":")[0][:_MAX_ERROR_CHARS] if lines else ""
        return name if _ERROR_CLASS.fullmatch(name) else ""  # else a warning of a library

    def _handshake(self, config: WorkerConfig) -> Isolation:
        self._connection.settimeout(_START_LIMIT_S)
        with reachable_listener() as port:
            settings = {
                "port": port,
                "layers": config.layers,
                "threads": config.threads,
                "memory_limit_mb": config.memory_limit_mb,
                "readable": config.readable,
                "device": config.device,
                "devices": config.devices,
                "memory_kept_by": "a control group" if self._group else "resource limits",
            }
            send(self._connection, settings)
            hello, _ = receive(self._connection)
        return Isolation(tuple(hello["layers"]), hello["refused"], hello["guards"], hello["lacking"])


def _spawn(module: str, connection: socket.socket, stderr: int) -> "subprocess.Popen[bytes]":
    """`-P` keeps the working directory off the import path; a session of its own keeps Ctrl-C with the server."""
    command = [sys.executable, "-P", "-m", module, str(connection.fileno()), str(os.getpid())]
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        pass_fds=(connection.fileno(),),
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | _SWITCHES,
        start_new_session=True,
    )


@contextlib.contextmanager
def reachable_listener() -> Iterator[int]:
    """The port of a loopback listener that this process itself has just reached, so that a failure means something."""
    with contextlib.ExitStack() as opened:
        try:
            listener = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
            port = listener.getsockname()[1]
            opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=_START_LIMIT_S))
        except OSError as exc:
            raise ModelError(
                "The isolation of the inference process cannot be tested: loopback does not answer.",
                remedy="Bring up the loopback interface (127.0.0.1).",
            ) from exc
        yield port


def _not_isolated(isolation: Isolation) -> ModelError:
    reasons = "; ".join(f"{name}: {reason}" for name, reason in isolation.refused.items())
    return ModelError(
        f"The kernel does not let Lyra cut the network of its inference process ({reasons}).",
        remedy="Allow unprivileged user namespaces or seccomp filters here, or set models.isolation to preferred "
        "to run the models without this protection.",
        details={"refused": isolation.refused},
    )


_log = get_logger(__name__)
_ATTEMPTS = 2
T = TypeVar("T")


@dataclass(slots=True)
class WorkerStats:
    """Counts of starts, crashes and requests, for `lyra doctor` and the metrics."""

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
    """The one thread that owns the process: tasks wait in order, and one that is cancelled before its turn never runs.

    The kernel kills the process when the thread that started it ends, so no other thread may start it.
    """

    def __init__(self, config: WorkerConfig, idle_exit_s: float, *, attempts: int = _ATTEMPTS) -> None:
        self._config = config
        self._idle_exit_s = idle_exit_s
        self._attempts = attempts
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lyra-models")
        self._lock = threading.Lock()
        self._is_closed = False
        self._last_use = 0.0
        self._current: Callable[[], Any] | None = None
        self._is_abandoned = False
        self._idle_timer: threading.Timer | None = None
        self.worker: WorkerProcess | None = None
        self._starting: WorkerProcess | None = None
        self.stats = WorkerStats()

    def submit(self, act: Callable[[], T]) -> "Future[T]":
        """Have `act` run on the supervisor's thread."""
        with self._lock:
            self._refuse_when_closed()
            return self._thread.submit(self._run, act)

    def abandon(self, act: Callable[[], Any]) -> None:
        """End the process where it is at work for `act`, whose caller no longer waits."""
        with self._lock:
            if self._current is act:
                self._is_abandoned = True
                self._interrupt()

    def close(self) -> None:
        """End the process, also in the middle of a request, and the thread; what still waits fails. Blocking."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._interrupt()
        if self._idle_timer:
            self._idle_timer.cancel()
        self._thread.submit(self._end_worker).result()
        self._thread.shutdown()

    def ask(self, request: dict[str, Any], payload: bytes = b"") -> tuple[dict[str, Any], bytes]:
        """The process's answer; one that dies is started again, as often as allowed. On the supervisor's thread."""
        for _ in range(self._attempts):
            worker = self.started()
            self._refuse_when_closed()
            self.stats.requests += 1
            try:
                return worker.ask(request, payload)
            except ConnectionEnded:
                self.worker = None
                self._refuse_when_closed()
                if self._is_abandoned:
                    raise ModelError("Nobody waits for the answer.", remedy="Ask again.") from None
                self.stats.crashes += 1
                self.stats.last_crash = worker.exit_reason()
                _log.warning("a process ended unexpectedly", program=self._config.module, reason=self.stats.last_crash)
        raise ModelError(
            f"The inference process ended {self._attempts} times on the same request ({self.stats.last_crash}).",
            remedy="Run `lyra doctor`; if memory ran out, raise the setting models.memory_limit_mb.",
        )

    def started(self) -> WorkerProcess:
        """The running process, started where there is none. On the supervisor's thread."""
        if self.worker is None:
            try:
                self.worker = WorkerProcess(self._config, self._note_start)
            finally:
                self._starting = None
            self.stats.starts += 1
            self._start_idle_timer(self._idle_exit_s)
            if not self.worker.isolation.layers:
                _log.warning("inference process runs WITHOUT isolation", refused=self.worker.isolation.refused)
        return self.worker

    def _note_start(self, worker: WorkerProcess) -> None:
        """It may hang while it starts; who closes or no longer waits meanwhile ends it too."""
        with self._lock:
            self._starting = worker
            if self._is_closed or self._is_abandoned:
                worker.interrupt()

    def _interrupt(self) -> None:
        if worker := self.worker or self._starting:
            worker.interrupt()

    def _run(self, act: Callable[[], T]) -> T:
        self._refuse_when_closed()
        with self._lock:
            self._current, self._is_abandoned = act, False
        try:
            return act()
        finally:
            with self._lock:
                self._current = None
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
