"""Memory of a browser's processes: how much they hold, and which one holds too much."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_HELD = ("RssAnon:", "RssShmem:")
_RENDERER = b"--type=renderer"


@dataclass(frozen=True, slots=True)
class ProcessMemory:
    """What one process holds for itself, without the files that all of them share; `is_page`: it shows pages."""

    pid: int
    size_bytes: int
    is_page: bool


def of_group(group: int, processes: Path = Path("/proc")) -> tuple[ProcessMemory, ...]:
    """Every living process of a process group; none where the system has no such folder (macOS)."""
    found = []
    for folder in processes.glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name in brackets may contain anything, brackets too.
            if int((folder / "stat").read_text().rpartition(")")[2].split()[2]) == group:
                is_page = _RENDERER in (folder / "cmdline").read_bytes()
                found.append(ProcessMemory(int(folder.name), _held_bytes(folder), is_page))
    return tuple(found)


def _held_bytes(folder: Path) -> int:
    lines = (folder / "status").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(_HELD))


def largest_over_limit(processes: Iterable[ProcessMemory], limit_bytes: int) -> ProcessMemory | None:
    """The process to end where all of them together hold more than the limit: the largest one."""
    held = tuple(processes)
    if sum(one.size_bytes for one in held) <= limit_bytes:
        return None
    return max(held, key=lambda one: one.size_bytes)
