"""Control groups around isolated processes, on a tree of files that looks like the kernel's."""

import os
from pathlib import Path

import pytest

from lyra.ml.memory_group import limit_memory, remove


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Says that this process is in app.slice/lyra.scope."""
    path = tmp_path / "own"
    path.write_text("4:memory:/elsewhere\n0::/app.slice/lyra.scope\n")
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A user's own slice, which hands out memory to the groups below it."""
    slice_ = tmp_path / "groups" / "app.slice"
    (slice_ / "lyra.scope").mkdir(parents=True)
    (slice_ / "cgroup.subtree_control").write_text("cpu memory pids\n")
    return tmp_path / "groups"


def test_a_group_beside_the_servers_own_limits_the_process(root: Path, own: Path) -> None:
    """The limit is there before the process is; no swap, and the whole group ends together."""
    group = limit_memory(4321, 512, root, own)

    assert group == root / "app.slice" / f"lyra-{os.getpid()}-4321"
    assert {file.name: file.read_text() for file in group.iterdir()} == {
        "memory.max": "536870912",
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "cgroup.procs": "4321",
    }


def test_a_parent_that_hands_out_no_memory_gives_no_group(root: Path, own: Path) -> None:
    """Resource limits hold then."""
    (root / "app.slice" / "cgroup.subtree_control").write_text("cpu pids\n")

    assert limit_memory(4321, 512, root, own) is None
    assert sorted(os.listdir(root / "app.slice")) == ["cgroup.subtree_control", "lyra.scope"]


def test_a_system_without_version_2_gives_no_group(tmp_path: Path) -> None:
    """Old systems have one tree for each kind of limit; none of them is touched."""
    own = tmp_path / "own"
    own.write_text("4:memory:/process\n")

    assert limit_memory(4321, 512, tmp_path, own) is None


def test_groups_that_a_killed_server_left_are_removed(root: Path, own: Path) -> None:
    """They are empty; the kernel refuses to remove one that is not."""
    left = root / "app.slice" / "lyra-1-2"
    left.mkdir()

    group = limit_memory(4321, 512, root, own)
    remove(left)

    assert (left.exists(), group is not None) == (False, True)
