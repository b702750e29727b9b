"""What deleting a task takes away."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskRemoval:
    """Rows taken away by table, and what became of the archive files that held the removed pages.

    `lone_files` (below the archive directory) are referred to by no stored page any more; `shared_files` hold records
    of removed pages too, but other pages need them.
    """

    counts: Mapping[str, int]
    lone_files: tuple[str, ...] = ()
    shared_files: tuple[str, ...] = ()
