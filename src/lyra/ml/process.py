"""One inference process seen from the server: start, prove its isolation, ask, end. Blocking; one thread owns it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lyra.errors import ModelError
from lyra.ml.frames import ConnectionEnded, receive, send
from lyra.ml.isolation import LAYERS, Isolation

_START_LIMIT_S = 60.0
_ANSWER_LIMIT_S = 120.0
_EXIT_TIMEOUT_S = 1.0
_MAX_ERROR_CHARS = 100
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
    """What the process is told before it cuts its network."""

    threads: int = 0
    memory_limit_mb: int = 2048
    is_isolation_required: bool = True
    layers: tuple[str, ...] = LAYERS
    module: str = "lyra.ml.worker"
    answer_limit_s: float = _ANSWER_LIMIT_S


class WorkerProcess:
    """A running inference process. `ConnectionEnded` from `ask` means it is gone; `exit_reason` then says how."""

    def __init__(self, config: WorkerConfig) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 — closed with the process
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = _spawn(config.module, theirs, self._stderr.fileno())
        self._connection = ours
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

    def _reap(self) -> None:
        """Let a process that hung up end by its own hand, so that its exit code tells why; kill one that hangs."""
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
        return lines[-1].split(":")[0][:_MAX_ERROR_CHARS] if lines else ""

    def _handshake(self, config: WorkerConfig) -> Isolation:
        self._connection.settimeout(_START_LIMIT_S)
        with reachable_listener() as port:
            settings = {
                "port": port,
                "layers": config.layers,
                "threads": config.threads,
                "memory_limit_mb": config.memory_limit_mb,
            }
            send(self._connection, settings)
            hello, _ = receive(self._connection)
        return Isolation(tuple(hello["layers"]), hello["refused"])


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
