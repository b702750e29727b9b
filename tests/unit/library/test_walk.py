"""Which files a library holds."""

import os
from pathlib import Path

import pytest

from lyra.library.walk import FileChangedWhileRead, read_stable, split_mailbox, walk
from lyra.model.library import FileState, shown_path


def test_documents_are_found_and_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    """Hidden files and other kinds are left out; a dead link and a loop of links are named, and the walk ends."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.md").write_text("x")
    (tmp_path / ".hidden.md").write_text("x")
    (tmp_path / "tool.exe").write_text("x")
    (tmp_path / "dead.pdf").symlink_to(tmp_path / "nowhere.pdf")
    (tmp_path / "a" / "back").symlink_to(tmp_path)

    found = walk(os.fsencode(tmp_path), most=10).files

    assert [(os.path.relpath(one.path, os.fsencode(tmp_path)), one.state, one.reason) for one in found] == [
        (b"a/back", FileState.FAILED, "The link leads to a folder that is read already."),
        (b"a/one.md", FileState.WAITING, None),
        (b"dead.pdf", FileState.FAILED, "The file cannot be opened: No such file or directory."),
    ]


def test_a_link_that_leads_out_of_the_folder_is_not_read(tmp_path: Path) -> None:
    """Files and folders elsewhere are nobody's library by way of a link; one within the folder is read."""
    library, outside = tmp_path / "library", tmp_path / "outside"
    for folder in (library / "own", outside):
        folder.mkdir(parents=True)
        (folder / "note.txt").write_text("x")
    (library / "folder").symlink_to(outside)
    (library / "file.txt").symlink_to(outside / "note.txt")
    (library / "same.txt").symlink_to(library / "own" / "note.txt")

    found = walk(os.fsencode(library), most=10).files

    why = "The link leads out of the library's folder."
    assert [(os.path.relpath(one.path, os.fsencode(library)), one.reason) for one in found] == [
        (b"file.txt", why),
        (b"folder", why),
        (b"own/note.txt", None),
        (b"same.txt", None),
    ]


def test_a_walk_ends_at_its_limit_and_says_so(tmp_path: Path) -> None:
    """Of more files than allowed the first are taken."""
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text("x")

    found = walk(os.fsencode(tmp_path), most=2)

    assert ([os.path.basename(one.path) for one in found.files], found.is_cut) == ([b"a.txt", b"b.txt"], True)


def test_names_in_shift_jis_are_found_and_shown(tmp_path: Path) -> None:
    """A name that is no UTF-8 keeps its bytes, and is shown in its own script."""
    name = "報告書.txt".encode("cp932")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")

    (found,) = walk(os.fsencode(tmp_path), most=10).files

    assert os.path.basename(found.path) == name
    assert shown_path(os.path.basename(found.path)) == "報告書.txt"


def test_a_file_that_changes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes of two states of a file are no document."""
    path = tmp_path / "a.txt"
    path.write_text("before")
    states = iter([(6, 1), (7, 2)])
    monkeypatch.setattr("lyra.library.walk._state", lambda _: next(states))

    with pytest.raises(FileChangedWhileRead):
        read_stable(os.fsencode(path), 100)


def test_a_mailbox_is_split_into_its_messages() -> None:
    """Messages begin after an empty line and `From `; that word inside a text parts nothing."""
    body = (
        b"From a@x Mon Mar  2 09:30:00 2026\nSubject: 1\n\nFrom here on it is text.\n\n"
        b"From b@x Tue Mar  3 10:00:00 2026\nSubject: 2\n\nBye.\n"
    )

    found = [body[place : place + length] for place, length in split_mailbox(body)]

    assert found == [b"Subject: 1\n\nFrom here on it is text.\n\n", b"Subject: 2\n\nBye.\n"]
