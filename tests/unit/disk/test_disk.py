"""Files that are written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from lyra.disk import open_private, put_whole


@pytest.mark.parametrize(("keeps_mode", "mode"), [(False, 0o600), (True, 0o644)])
def test_a_file_is_replaced_in_one_step(tmp_path: Path, keeps_mode: bool, mode: int) -> None:
    """The new text alone is there, for this user or for whom the old one was."""
    path = tmp_path / "会議.json"
    path.write_text("old", "utf-8")
    path.chmod(0o644)

    put_whole(path, "新しい\n", keeps_mode=keeps_mode)

    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == ("新しい\n".encode(), mode)
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    """Half of a surrogate pair has no bytes: the old text stands, and nothing lies beside it."""
    path = tmp_path / "entry.json"
    path.write_text("old", "utf-8")

    with pytest.raises(UnicodeEncodeError):
        put_whole(path, "half a pair: \ud83d")

    assert [(one.name, one.read_text("utf-8")) for one in tmp_path.iterdir()] == [("entry.json", "old")]


def test_a_private_file_is_not_made_private_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of a log would otherwise cost a change of its file's mode; one that others can read is closed to them."""
    changed: list[int] = []
    monkeypatch.setattr(os, "fchmod", lambda _, mode: changed.append(mode))
    private, shared = tmp_path / "private", tmp_path / "shared"
    for path, mode in ((private, 0o600), (shared, 0o644)):
        path.touch(mode)
        path.chmod(mode)

    for path in (private, shared):
        open_private(path, "ab").close()

    assert changed == [0o600]
