"""A seccomp filter as raw BPF through libc alone: no new socket, and no way around that.

Refused with EPERM: making, binding, connecting and accepting sockets; io_uring, which could open them unseen; and
taking or tampering with another process's open files and memory. The connection to the server was inherited.
"""

import ctypes
import os
import platform
import struct
from typing import NamedTuple

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
