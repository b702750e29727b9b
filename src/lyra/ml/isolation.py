"""L1: the isolated processes cut their own network, files and programs before they load anything, and prove it.

A user and network namespace leaves no interface; a seccomp filter refuses new sockets, also Unix ones, behind which
other services may have a network. Either suffices; both are set where the kernel allows. Landlock leaves Lyra's own
code and models to be read and nothing to be changed; the filter refuses programs and processes. This module and what
it imports must start no thread: `unshare` refuses a process that has one and would leave the network open.
"""

import contextlib
import ctypes
import errno
import os
import resource
import signal
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lyra.ml import landlock, seccomp

LAYERS = ("namespace", "seccomp")
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_PR_SET_PDEATHSIG = 1
_TEST_LIMIT_S = 2.0
_CLONE_SIGHAND = 0x00000800
_CLONE_NUMBERS = {"x86_64": 56, "aarch64": 220}


@dataclass(frozen=True, slots=True)
class Isolation:
    """Which layers hold, each proven by a connection that failed; `refused` says why a layer could not be set.

    `guards` are the limits on files, programs, processes and memory, each with what keeps it; `lacking` says what this
    kernel does not keep, and why.
    """

    layers: tuple[str, ...]
    refused: dict[str, str]
    guards: dict[str, str] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)

    @property
    def mechanism(self) -> str:
        """`namespace`, `seccomp` or `none`."""
        return self.layers[0] if self.layers else "none"


def isolate(port: int, layers: tuple[str, ...], readable: Sequence[str], devices: Sequence[str] = ()) -> Isolation:
    """Close this process in: files, network, programs, processes. What the kernel lacks is in the answer.

    `devices` are what a graphics card is driven through; they may be used.
    """
    guards: dict[str, str] = {}
    lacking: dict[str, str] = {}
    try:
        guards["files"] = restrict_files(readable, devices)
    except OSError as exc:
        lacking["files"] = f"Landlock: {exc.strerror or exc}"
    network = cut_network(port, layers)
    if "seccomp" in network.layers:
        guards |= {"programs": "seccomp", "processes": "seccomp"}
    for name, reason in unproven_guards().items():
        guards.pop(name, None)
        lacking.setdefault(name, network.refused.get("seccomp", reason))
    return Isolation(network.layers, network.refused, guards, lacking)


def cut_network(port: int, layers: tuple[str, ...] = LAYERS) -> Isolation:
    """Set the layers in order; one counts only when the parent's loopback listener on `port` is then out of reach."""
    acts: dict[str, Callable[[], None]] = {"namespace": _leave_network, "seccomp": seccomp.refuse_calls}
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


# The traceback of a process that dies goes to a file of the server; nothing else is written.
_MAX_FILE_BYTES = 1 << 20
# Libraries, weights and the stacks and pools of threads are mapped, most of it never used; measured 0.8 GiB with the
# bundled models on 2 cores. The C library reserves 64 MiB for each thread that asks for memory.
_MAPPED_MB, _MAPPED_MB_A_CORE = 4096, 128


def limit_memory(limit_mb: int, *, is_mapping_free: bool = False) -> None:
    """A ceiling on private memory, kept by the kernel, and a wider one on everything that is mapped.

    A graphics card's driver maps all of its memory, so there the second one is left out.
    """
    size = limit_mb << 20
    mapped = size + ((_MAPPED_MB + _MAPPED_MB_A_CORE * (os.cpu_count() or 1)) << 20)
    for kind, most in (
        (resource.RLIMIT_DATA, size),
        *([] if is_mapping_free else [(resource.RLIMIT_AS, mapped)]),
        (resource.RLIMIT_FSIZE, _MAX_FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def restrict_files(readable: Sequence[str], devices: Sequence[str] = ()) -> str:
    """What keeps this process from the user's files; `OSError` where the kernel has nothing for it."""
    held = landlock.restrict_files(landlock.readable_paths(readable), devices)
    return f"Landlock, version {held}"


def unproven_guards() -> dict[str, str]:
    """What this process could still do, each found out by trying in a way that harms nothing."""
    tries: dict[str, Callable[[], object]] = {
        "files": _make_a_file,
        "programs": lambda: os.execv("/nonexistent", ["/nonexistent"]),
        "processes": _clone_wrongly,
    }
    return {name: reason for name, act in tries.items() if (reason := _not_refused(act)) is not None}


def _make_a_file() -> None:
    """A file without a name, gone at once, wherever this user may write."""
    for place in (os.environ.get("TMPDIR", "/tmp"), "/tmp", "/var/tmp", os.environ.get("HOME", "/")):
        with contextlib.suppress(OSError):
            os.close(os.open(place, os.O_TMPFILE | os.O_RDWR))
            return
    raise PermissionError(errno.EACCES, "")


def _clone_wrongly() -> None:
    """Ask for a process in a way that no kernel grants: shared signal handlers without shared memory."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ctypes.c_long(_CLONE_NUMBERS.get(os.uname().machine, 56)), ctypes.c_long(_CLONE_SIGHAND), 0) < 0:
        raise OSError(ctypes.get_errno(), "")


def _not_refused(act: Callable[[], object]) -> str | None:
    try:
        act()
    except OSError as exc:
        is_refused = exc.errno in (errno.EPERM, errno.EACCES)
        return None if is_refused else f"not refused by the kernel ({errno.errorcode.get(exc.errno or 0, exc.errno)})"
    return "an attempt succeeded"
