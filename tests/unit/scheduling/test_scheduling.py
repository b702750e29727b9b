"""How far a process stands back: what is written to the kernel, and what is not."""

import errno
import os
from pathlib import Path

import pytest

from lyra import scheduling


def group_file(proc: Path, pid: int) -> Path:
    path = proc / str(pid) / "autogroup"
    path.parent.mkdir()
    path.write_text("/autogroup-5 nice 0\n")
    return path


def test_the_group_of_a_session_gets_the_nice_value(tmp_path: Path) -> None:
    """The kernel shares the processor among sessions first: the nice value of a process counts within its own alone."""
    path = group_file(tmp_path, 7)

    scheduling.lower_session(7, 10, proc=tmp_path)

    assert path.read_text() == "10"


def test_nobody_who_stands_in_front_is_moved(tmp_path: Path) -> None:
    """A process of the server itself, with a nice value of 0, leaves its group as it is."""
    path = group_file(tmp_path, 7)

    scheduling.lower_session(7, 0, proc=tmp_path)

    assert path.read_text() == "/autogroup-5 nice 0\n"


def test_a_kernel_without_groups_of_sessions_is_no_error(tmp_path: Path) -> None:
    """There the nice value counts over all processes."""
    scheduling.lower_session(7, 10, proc=tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_the_kernel_is_asked_again_after_a_pause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes one change in a tenth of a second from users other than root, whoever asks."""
    path = group_file(tmp_path, 7)
    pauses: list[float] = []
    refusals = [OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))] * 2
    write = Path.write_text

    def write_or_refuse(self: Path, text: str) -> int:
        if refusals:
            raise refusals.pop()
        return write(self, text)

    monkeypatch.setattr(Path, "write_text", write_or_refuse)

    scheduling.lower_session(7, 10, proc=tmp_path, sleep=pauses.append)

    assert (path.read_text(), pauses) == ("10", [0.11, 0.11])
