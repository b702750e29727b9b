"""L1: the inference process cuts its own network before it loads anything, and proves it.

A user and network namespace leaves no interface; a seccomp filter refuses new sockets, also Unix ones, behind which
other services may have a network. Either suffices; both are set where the kernel allows. This module and what it
imports must start no thread: `unshare` refuses a process that has one and would leave the network open.

The filter is raw BPF through libc alone. Refused with EPERM: making, binding, connecting and accepting sockets;
io_uring, which could open them unseen; and taking or changing another process's open files and memory.
"""

import contextlib
import ctypes
import os
import platform
import resource
import signal
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

LAYERS = ("namespace", "seccomp")
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_PR_SET_PDEATHSIG = 1
_TEST_LIMIT_S = 2.0


@dataclass(frozen=True, slots=True)
class Isolation:
    """Which layers hold, each proven by a connection that failed; `refused` says why a layer could not be set."""

    layers: tuple[str, ...]
    refused: dict[str, str]

    @property
    def mechanism(self) -> str:
        """`namespace`, `seccomp` or `none`."""
        return self.layers[0] if self.layers else "none"


def cut_network(port: int, layers: tuple[str, ...] = LAYERS) -> Isolation:
    """Set the layers in order; one counts only when the parent's loopback listener on `port` is then out of reach."""
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


_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | 1  # errno EPERM
_KILL = 0x80000000
_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K
_OFFSET_NUMBER = 0
_OFFSET_ARCHITECTURE = 4
_X32 = 0x40000000  # the second system-call table of x86-64 begins here


class _Architecture(NamedTuple):
    audit: int
    refused: tuple[int, ...]


# socket connect accept bind listen socketpair accept4 · ptrace process_vm_readv/writev pidfd_getfd · io_uring_setup
_ARCHITECTURES = {
    "x86_64": _Architecture(0xC000003E, (41, 42, 43, 49, 50, 53, 288, 101, 310, 311, 438, 425)),
    "aarch64": _Architecture(0xC00000B7, (198, 203, 202, 200, 201, 199, 242, 117, 270, 271, 438, 425)),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def refuse_sockets() -> None:
    """Bind the filter to this process and all it may start; `OSError` where the kernel or machine has no such thing."""
    architecture = _ARCHITECTURES.get(platform.machine())
    if architecture is None:
        raise OSError(0, f"no seccomp filter is known for {platform.machine()}")
    code = assemble(architecture.audit, architecture.refused)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p).value)
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0),
    ):
        if libc.prctl(*arguments) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))


def assemble(audit: int, refused: tuple[int, ...]) -> bytes:
    """The filter's instructions: check the architecture, then the number of the call."""
    last = len(refused)
    lines = [
        (_LOAD, 0, 0, _OFFSET_ARCHITECTURE),
        (_EQUAL, 1, 0, audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _OFFSET_NUMBER),
        (_AT_LEAST, last + 1, 0, _X32),
    ]
    lines += [(_EQUAL, last - place, 0, number) for place, number in enumerate(refused)]
    lines += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
