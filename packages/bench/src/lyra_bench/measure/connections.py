"""Records every connection of a process and of all it starts, by the kernel's own notice (seccomp, Linux 5.5 or newer).

The kernel halts each call that names a peer, `connect`, `sendto`, `sendmsg` and `sendmmsg`, until it has been written
down here; a child cannot leave the filter, whatever program it runs, and io_uring, which would go round it, is refused.
What it does not see: a process that ran before and is only spoken to, a socket that was connected before and handed
over, and calls that another filter refuses (the inference process), which reach nobody either. It records, it does not
guard: a program could change the address after it was read.
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import select
import socket
import struct
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER, _NEW_LISTENER = 1, 8
_ALLOW, _NOTIFY, _ERRNO = 0x7FFF0000, 0x7FC00000, 0x00050000
_RECEIVE, _ANSWER = 0xC0502100, 0xC0182101
_CONTINUE = 1
_NOTICE_BYTES = 80
_LAST_PROCESSES_S = 5.0  # for what the command has left running
_LONGEST_ADDRESS = 128
_MESSAGE_BYTES, _MOST_MESSAGES = 64, 16


@dataclass(frozen=True, slots=True)
class _Machine:
    """Numbers of system calls on one kind of processor."""

    audit: int
    seccomp: int
    connect: int
    sendto: int
    sendmsg: int
    sendmmsg: int


_MACHINES = {
    "x86_64": _Machine(0xC000003E, 317, 42, 44, 46, 307),
    "aarch64": _Machine(0xC00000B7, 277, 203, 206, 211, 269),
}
# These have the same numbers on all of them.
_IO_URING_SETUP, _PIDFD_OPEN, _PIDFD_GETFD = 425, 434, 438


@dataclass(frozen=True, slots=True)
class Connection:
    """Who wanted to reach whom: the program's name, and host and port, or the path of a socket with port 0.

    `is_datagram`: over UDP, where connecting alone sends nothing.
    """

    program: str
    host: str
    port: int
    is_datagram: bool = False


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def why_not_here() -> str | None:
    """Why connections cannot be recorded on this machine; None where they can."""
    if platform.system() != "Linux" or platform.machine() not in _MACHINES:
        return "connections can be recorded on Linux with x86-64 or ARM64 only"
    return None


def run_recorded(
    command: Sequence[str], environment: Mapping[str, str], limit_s: float
) -> tuple[int, str, tuple[Connection, ...]]:
    """Run a command; its exit code, the end of what it wrote, and every connection in order.

    Raises OSError where the kernel refuses the filter, subprocess.TimeoutExpired where the command does not end.
    """
    recorder = _Recorder(_MACHINES[platform.machine()], command, environment)
    starting = threading.Thread(target=recorder.start)
    starting.start()
    starting.join()
    if recorder.failure is not None or recorder.process is None:
        raise recorder.failure or OSError("the command did not start")
    watching = threading.Thread(target=recorder.watch, daemon=True)
    watching.start()
    try:
        output, _ = recorder.process.communicate(timeout=limit_s)
    finally:
        recorder.process.kill()
        watching.join(_LAST_PROCESSES_S)
    return recorder.process.returncode, output.decode("utf-8", "replace")[-2000:], tuple(recorder.seen)


class _Recorder:
    """Starts a command below a filter and writes down what the filter reports."""

    def __init__(self, machine: _Machine, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._machine = machine
        self._command = list(command)
        self._environment = dict(environment)
        self._listener = -1
        self.process: subprocess.Popen[bytes] | None = None
        self.failure: OSError | None = None
        self.seen: list[Connection] = []

    def start(self) -> None:
        """In a thread of its own: the filter holds for the thread that asks for it, and for what that thread starts."""
        try:
            self._listener = self._install()
            self.process = subprocess.Popen(
                self._command, env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
        except OSError as exc:
            self.failure = exc

    def _install(self) -> int:
        libc = ctypes.CDLL(None, use_errno=True)
        code = filter_code(self._machine)
        buffer = ctypes.create_string_buffer(code, len(code))
        program = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p).value)
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "no_new_privs was refused")
        listener = libc.syscall(self._machine.seccomp, _SET_MODE_FILTER, _NEW_LISTENER, ctypes.byref(program))
        if listener < 0:
            raise OSError(ctypes.get_errno(), "the filter was refused")
        return int(listener)

    def watch(self) -> None:
        """Until nothing below the filter is left; the kernel then hangs up."""
        waiting = select.poll()
        waiting.register(self._listener, select.POLLIN)
        try:
            while any(events & select.POLLIN for _, events in waiting.poll()):
                self._take_notice()
        finally:
            os.close(self._listener)

    def _take_notice(self) -> None:
        notice = bytearray(_NOTICE_BYTES)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, notice)
        except OSError as exc:
            if exc.errno in (errno.EINTR, errno.ENOENT):  # the caller was killed meanwhile
                return
            raise
        self._note(bytes(notice))
        number = struct.unpack_from("=Q", notice)[0]
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._listener, _ANSWER, bytearray(struct.pack("=QqiI", number, 0, 0, _CONTINUE)))

    def _note(self, notice: bytes) -> None:
        _, pid, _, call = struct.unpack_from("=QIIi", notice)
        arguments = struct.unpack_from("=6Q", notice, 32)
        program, is_datagram = _program(pid), _is_datagram(pid, arguments[0])
        with contextlib.suppress(OSError), Path(f"/proc/{pid}/mem").open("rb", 0) as memory:
            for place, size in self._addresses(memory, call, arguments):
                memory.seek(place)
                found = read_address(memory.read(min(size, _LONGEST_ADDRESS)))
                if found is not None:
                    self.seen.append(Connection(program, *found, is_datagram))

    def _addresses(self, memory: IO[bytes], call: int, arguments: tuple[int, ...]) -> list[tuple[int, int]]:
        """Where the peers' addresses lie, and how long they are."""
        if call == self._machine.connect:
            return [(arguments[1], arguments[2])]
        if call == self._machine.sendto:
            return [(arguments[4], arguments[5])]
        count = min(arguments[2], _MOST_MESSAGES) if call == self._machine.sendmmsg else 1
        memory.seek(arguments[1])
        heads = memory.read(_MESSAGE_BYTES * count)
        found = [struct.unpack_from("=QI", heads, _MESSAGE_BYTES * number) for number in range(count)]
        return [(place, size) for place, size in found if place]


def filter_code(machine: _Machine) -> bytes:
    """The filter: other processors' calls and io_uring are refused, calls that name a peer are reported."""
    load, equal, any_set, give = 0x20, 0x15, 0x45, 0x06
    refuse = struct.pack("=HBBI", give, 0, 0, _ERRNO | errno.ENOSYS)
    notify = struct.pack("=HBBI", give, 0, 0, _NOTIFY)
    allow = struct.pack("=HBBI", give, 0, 0, _ALLOW)
    peer = 16 + 8 * 4  # the fifth argument of sendto, in two halves
    return b"".join(
        (
            struct.pack("=HBBI", load, 0, 0, 4),
            struct.pack("=HBBI", equal, 1, 0, machine.audit),
            refuse,
            struct.pack("=HBBI", load, 0, 0, 0),
            struct.pack("=HBBI", equal, 9, 0, _IO_URING_SETUP),
            struct.pack("=HBBI", equal, 7, 0, machine.connect),
            struct.pack("=HBBI", equal, 6, 0, machine.sendmsg),
            struct.pack("=HBBI", equal, 5, 0, machine.sendmmsg),
            struct.pack("=HBBI", equal, 0, 5, machine.sendto),
            struct.pack("=HBBI", load, 0, 0, peer),
            struct.pack("=HBBI", any_set, 2, 0, 0xFFFFFFFF),
            struct.pack("=HBBI", load, 0, 0, peer + 4),
            struct.pack("=HBBI", any_set, 0, 1, 0xFFFFFFFF),
            notify,
            allow,
            refuse,
        )
    )


def read_address(raw: bytes) -> tuple[str, int] | None:
    """Host and port, or the path of a socket and 0; None where the kind of address reaches nobody (netlink)."""
    if len(raw) < 2:
        return None
    family = struct.unpack_from("=H", raw)[0]
    if family == socket.AF_INET and len(raw) >= 8:
        return socket.inet_ntop(socket.AF_INET, raw[4:8]), struct.unpack_from("!H", raw, 2)[0]
    if family == socket.AF_INET6 and len(raw) >= 24:
        return socket.inet_ntop(socket.AF_INET6, raw[8:24]), struct.unpack_from("!H", raw, 2)[0]
    if family == socket.AF_UNIX:
        return raw[2:].lstrip(b"\0").split(b"\0")[0].decode("utf-8", "replace") or "(unnamed)", 0
    return None


def _is_datagram(thread: int, descriptor: int) -> bool:
    """Whether a socket of another process is one for datagrams; a copy of it is asked and closed again."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        status = Path(f"/proc/{thread}/status").read_text().splitlines()
        process = int(next(line.split()[1] for line in status if line.startswith("Tgid:")))
        handle = libc.syscall(_PIDFD_OPEN, process, 0)
        copy = libc.syscall(_PIDFD_GETFD, handle, descriptor & 0xFFFFFFFF, 0) if handle >= 0 else -1
        if handle >= 0:
            os.close(handle)
        if copy < 0:
            return False
        with socket.socket(fileno=copy) as found:
            return found.type == socket.SOCK_DGRAM
    except (OSError, StopIteration, ValueError):
        return False


def _program(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "(ended)"
