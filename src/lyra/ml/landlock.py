"""Files of the isolated processes: they may read Lyra's own code and models, and change nothing (Landlock).

Landlock is probed by its system call: a kernel may have been built with it and started without. Whatever is not
named here cannot even be opened for reading: the database, keys, the user's files.
"""

import contextlib
import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from lyra.ml.seccomp import allow_no_new_privileges

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every machine
_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR, _WRITE_FILE = 1 << 2, 1 << 3, 1 << 1
_CONTROL_DEVICE = 1 << 15
# What each version of the interface added: 13 rights, linking across, truncating, device control.
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_SCOPES = 0b11  # abstract Unix sockets and signals, from version 6
# Shared libraries, time zones, the machine's cores; nothing a user keeps there.
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/lib32", "/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/nix/store",
    "/dev/urandom", "/dev/random", "/dev/zero", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
    "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/fs/cgroup/cpu",
)  # fmt: skip


def version() -> int:
    """The version of the interface; `OSError` where the kernel has none or was started without it."""
    return _call(_CREATE_RULESET, None, 0, _VERSION)


def readable_paths(more: Iterable[str] = ()) -> tuple[str, ...]:
    """Where Python, Lyra's code and what `more` names are; only what exists."""
    python = (sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path, str(Path(__file__).parents[1]))
    found = dict.fromkeys(os.path.realpath(path) for path in (*_SYSTEM, *python, *more) if path)
    return tuple(path for path in found if path != "/" and Path(path).exists())


def restrict_files(readable: Sequence[str], devices: Sequence[str] = ()) -> int:
    """Let this process read below these paths and change no file at all; the version that holds. For good.

    `devices` may be written to and controlled.
    """
    held = version()
    handled = sum(rights for since, rights in _FILE_RIGHTS.items() if since <= held)
    attributes = struct.pack("=Q", handled)
    if held >= 6:
        attributes = struct.pack("=QQQ", handled, 0, _SCOPES)
    ruleset = _call(_CREATE_RULESET, attributes, len(attributes), 0)
    try:
        for path in readable:
            _allow(ruleset, path, _READ_FILE | _READ_DIR)
        _allow(ruleset, "/dev/null", _READ_FILE | _WRITE_FILE)
        for path in devices:
            _allow(ruleset, path, (_READ_FILE | _WRITE_FILE | _CONTROL_DEVICE) & handled)
        allow_no_new_privileges()
        _call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return held


def _allow(ruleset: int, path: str, rights: int) -> None:
    with contextlib.suppress(FileNotFoundError, PermissionError):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            own = rights if os.path.isdir(path) else rights & ~_READ_DIR
            _call(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", own, place), 0)
        finally:
            os.close(place)


def _call(number: int, *arguments: int | bytes | None) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = libc.syscall(ctypes.c_long(number), *given)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return int(result)
