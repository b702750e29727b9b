"""A control group (version 2) around an isolated process: everything it takes counts, also what resource limits miss.

Only where the system lets this user make one beside the server's own, as systemd does below `user@.service` and with
`Delegate=yes`. The server makes the group, moves the process in before it works, and takes the group away after it.
"""

import contextlib
import os
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
_PREFIX = "lyra-"


def limit_memory(pid: int, limit_mb: int, root: Path = _ROOT, own: Path = _OWN) -> Path | None:
    """The group that now holds the process; None where none can be made."""
    parent = _parent(root, own)
    if parent is None:
        return None
    _remove_empty(parent)
    group = parent / f"{_PREFIX}{os.getpid()}-{pid}"
    try:
        group.mkdir()
        (group / "memory.max").write_text(str(limit_mb << 20))
        with contextlib.suppress(OSError):  # a kernel without swap accounting has none of these
            (group / "memory.swap.max").write_text("0")
            (group / "memory.oom.group").write_text("1")
        (group / "cgroup.procs").write_text(str(pid))
    except OSError:
        remove(group)
        return None
    return group


def remove(group: Path) -> None:
    """Take the group of an ended process away."""
    with contextlib.suppress(OSError):
        group.rmdir()


def _parent(root: Path, own: Path) -> Path | None:
    """The group that the server's own lies in, where it hands out memory: processes live in the leaves alone."""
    with contextlib.suppress(OSError):
        paths = [line[3:].strip("/") for line in own.read_text().splitlines() if line.startswith("0::")]
        parent = (root / paths[0]).parent if paths and paths[0] else root
        if "memory" in (parent / "cgroup.subtree_control").read_text().split() and os.access(parent, os.W_OK):
            return parent
    return None


def _remove_empty(parent: Path) -> None:
    """Groups that a killed server left; the kernel refuses those that still hold a process."""
    for group in parent.glob(f"{_PREFIX}*"):
        remove(group)
