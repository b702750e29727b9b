"""L1: the inference process cuts its own network before it loads anything, and proves it.

A user and network namespace leaves no interface; a seccomp filter refuses new sockets, also Unix ones, behind which
other services may have a network. Either suffices; both are laid where the kernel allows. This module and what it
imports must start no thread: `unshare` refuses a process that has one and would leave the network open.
"""

import contextlib
import ctypes
import os
import resource
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass

from lyra.ml.seccomp import refuse_sockets

LAYERS = ("namespace", "seccomp")
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_PR_SET_PDEATHSIG = 1
_TEST_LIMIT_S = 2.0


@dataclass(frozen=True, slots=True)
class Isolation:
    """Which layers hold, each proven by a connection that failed; `refused` says why a layer could not be laid."""

    layers: tuple[str, ...]
    refused: dict[str, str]

    @property
    def mechanism(self) -> str:
        """`namespace`, `seccomp` or `none`."""
        return self.layers[0] if self.layers else "none"


def cut_network(port: int, layers: tuple[str, ...] = LAYERS) -> Isolation:
    """Lay the layers in order; one counts only when the parent's loopback listener on `port` is then out of reach."""
    acts: dict[str, Callable[[], None]] = {"namespace": _leave_network, "seccomp": refuse_sockets}
    held: list[str] = []
    refused: dict[str, str] = {name: "not asked for" for name in LAYERS if name not in layers}
    for name in layers:
        try:
            acts[name]()
        except OSError as exc:
            refused[name] = exc.strerror or str(exc)
            continue
        if can_connect(port):
            refused[name] = "a connection to loopback still succeeded"
        else:
            held.append(name)
    return Isolation(tuple(held), refused)


def _leave_network() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def can_connect(port: int) -> bool:
    """Whether a listener on loopback can be reached from this process."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=_TEST_LIMIT_S):
            return True
    except OSError:
        return False


def close_inherited(kept: int) -> None:
    """Close every open file but the standard three and the connection."""
    with os.scandir("/proc/self/fd") as entries:
        numbers = [int(entry.name) for entry in entries]
    for number in numbers:
        if number > 2 and number != kept:
            with contextlib.suppress(OSError):  # the directory handle itself is gone by now
                os.close(number)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when the thread that started it ends; to be asked after `unshare`."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def limit_memory(limit_mb: int) -> None:
    """A ceiling on private memory, kept by the kernel; file mappings and reserved address space do not count."""
    size = limit_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
