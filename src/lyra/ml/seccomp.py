"""The filter on system calls of the isolated processes: raw BPF through libc alone, so that no library is needed.

Refused with EPERM: sockets, io_uring, which could open them unseen, and what reaches beyond the process: running a
program, making a process (threads stay), signals and limits of others, modes, owners and times of files, mounts,
namespaces, tracing, kernel keys, modules and BPF. `clone3` is answered as unknown: its flags lie in memory, which no
filter can read, and the C library then asks for `clone`.
"""

import ctypes
import os
import platform
import struct
from collections.abc import Sequence
from typing import NamedTuple

_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | 1  # errno EPERM
_UNKNOWN = 0x00050000 | 38  # errno ENOSYS
_KILL = 0x80000000
_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_HAS_BITS = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K
_OFFSET_NUMBER = 0
_OFFSET_ARCHITECTURE = 4
_OFFSET_FIRST = 16  # the lower half of the first argument, on little-endian machines
_X32 = 0x40000000  # the second system-call table of x86-64 begins here
_CLONE_THREAD = 0x00010000

Line = tuple[int, int, int, int]


class _Architecture(NamedTuple):
    audit: int
    refused: dict[str, int]
    clone: int
    tgkill: int
    prlimit64: int
    clone3: int = 435


# The same number in both tables.
_COMMON = {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430,
    "fsconfig": 431, "fsmount": 432, "fspick": 433, "pidfd_open": 434, "pidfd_getfd": 438, "process_madvise": 440,
    "mount_setattr": 442, "fchmodat2": 452,
}  # fmt: skip
_X86_64 = {
    "socket": 41, "connect": 42, "accept": 43, "bind": 49, "listen": 50, "socketpair": 53, "accept4": 288,
    "execve": 59, "execveat": 322, "fork": 57, "vfork": 58,
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "kill": 62, "tkill": 200,
    "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "setpriority": 141,
    "chmod": 90, "fchmod": 91, "fchmodat": 268, "chown": 92, "fchown": 93, "lchown": 94, "fchownat": 260,
    "utime": 132, "utimes": 235, "futimesat": 261, "utimensat": 280,
    "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199,
    "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "unshare": 272, "setns": 308,
    "open_by_handle_at": 304, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323,
    "add_key": 248, "request_key": 249, "keyctl": 250, "init_module": 175, "finit_module": 313, "delete_module": 176,
    "kexec_load": 246, "kexec_file_load": 320, "reboot": 169, "swapon": 167, "swapoff": 168,
    "sethostname": 170, "setdomainname": 171, "settimeofday": 164, "clock_settime": 227,
    "shmget": 29, "msgget": 68, "mq_open": 240, "memfd_create": 319,
}  # fmt: skip
_AARCH64 = {
    "socket": 198, "connect": 203, "accept": 202, "bind": 200, "listen": 201, "socketpair": 199, "accept4": 242,
    "execve": 221, "execveat": 281,
    "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "kill": 129, "tkill": 130,
    "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240, "setpriority": 140,
    "fchmod": 52, "fchmodat": 53, "fchown": 55, "fchownat": 54, "utimensat": 88,
    "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
    "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "unshare": 97, "setns": 268,
    "open_by_handle_at": 265, "bpf": 280, "perf_event_open": 241, "userfaultfd": 282,
    "add_key": 217, "request_key": 218, "keyctl": 219, "init_module": 105, "finit_module": 273, "delete_module": 106,
    "kexec_load": 104, "kexec_file_load": 294, "reboot": 142, "swapon": 224, "swapoff": 225,
    "sethostname": 161, "setdomainname": 162, "settimeofday": 170, "clock_settime": 112,
    "shmget": 194, "msgget": 186, "mq_open": 180, "memfd_create": 279,
}  # fmt: skip
_ARCHITECTURES = {
    "x86_64": _Architecture(0xC000003E, _X86_64 | _COMMON, clone=56, tgkill=234, prlimit64=302),
    "aarch64": _Architecture(0xC00000B7, _AARCH64 | _COMMON, clone=220, tgkill=131, prlimit64=261),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def refuse_calls() -> None:
    """Bind the filter to this process for good; `OSError` where the kernel or machine has no such thing."""
    code = filter_code(platform.machine(), os.getpid())
    buffer = ctypes.create_string_buffer(code, len(code))
    program = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p).value)
    allow_no_new_privileges()
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)


def allow_no_new_privileges() -> None:
    """No program that this process might start gets more rights than it has; the kernel asks for this first."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _prctl(*arguments: object) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def filter_code(machine: str, pid: int) -> bytes:
    """The filter for a process of that number on that machine; `OSError` where none is known."""
    architecture = _ARCHITECTURES.get(machine)
    if architecture is None:
        raise OSError(0, f"no seccomp filter is known for {machine}")
    own = (_first_is(pid), _first_is(0, pid))
    checked = {
        architecture.clone: _first_has(_CLONE_THREAD),
        architecture.clone3: ((_RETURN, 0, 0, _UNKNOWN),),
        architecture.tgkill: own[0],
        architecture.prlimit64: own[1],
    }
    return assemble(architecture.audit, tuple(architecture.refused.values()), checked)


def _first_is(*values: int) -> tuple[Line, ...]:
    """Allowed where the first argument is one of these."""
    tests = [(_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    return ((_LOAD, 0, 0, _OFFSET_FIRST), *tests, (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW))


def _first_has(bits: int) -> tuple[Line, ...]:
    return (
        (_LOAD, 0, 0, _OFFSET_FIRST),
        (_HAS_BITS, 1, 0, bits),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    )


def assemble(audit: int, refused: Sequence[int], checked: "dict[int, tuple[Line, ...]] | None" = None) -> bytes:
    """The filter's instructions: the architecture, then the number of the call, then the argument where it decides."""
    lines: list[Line] = [
        (_LOAD, 0, 0, _OFFSET_ARCHITECTURE),
        (_EQUAL, 1, 0, audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _OFFSET_NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSE),
    ]
    for number in refused:
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    for number, check in (checked or {}).items():
        lines += [(_EQUAL, 0, len(check), number), *check]
    lines.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
