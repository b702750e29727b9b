"""Writing clients' files on a real disk."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lyra.connect.clients import CLIENTS
from lyra.connect.launch import Launch
from lyra.connect.write import connect
from lyra.errors import InvalidParams

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
KIND = CLIENTS["claude-desktop"]
ENTRY = KIND.entry(Launch("/opt/lyra", ("serve",)))


def test_a_missing_file_is_made_with_its_folder(tmp_path: Path) -> None:
    """The client may not have been started yet; there is nothing to back up."""
    path = tmp_path / "Claude" / "claude_desktop_config.json"

    done = connect(KIND, path, ENTRY, NOW)

    assert (done.is_changed, done.backup) == (True, None)
    assert json.loads(path.read_text("utf-8")) == {"mcpServers": {"lyra": ENTRY}}


def test_the_file_as_it_was_is_kept(tmp_path: Path) -> None:
    """The backup is the same bytes, and the new file keeps the mode: it may hold secrets of other servers."""
    path = tmp_path / "config.json"
    before = b'\xef\xbb\xbf{"mcpServers": {"other": {"command": "o"}}}'
    path.write_bytes(before)
    path.chmod(0o600)

    done = connect(KIND, path, ENTRY, NOW)

    assert done.backup == tmp_path / "config.json.before-lyra-20260131T093000000000Z"
    assert done.backup.read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(json.loads(path.read_text("utf-8"))["mcpServers"]) == ["other", "lyra"]


def test_doing_it_twice_changes_nothing(tmp_path: Path) -> None:
    """No second backup, no new time of change."""
    path = tmp_path / "config.json"
    connect(KIND, path, ENTRY, NOW)
    written = path.stat().st_mtime_ns

    done = connect(KIND, path, ENTRY, NOW)

    assert (done.is_changed, done.backup) == (False, None)
    assert (path.stat().st_mtime_ns, list(tmp_path.iterdir())) == (written, [path])


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """People keep such files in a repository of dotfiles and link to them."""
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text("{}")
    link = tmp_path / "config.json"
    link.symlink_to(real)

    connect(KIND, link, ENTRY, NOW)

    assert link.is_symlink()
    assert json.loads(real.read_text("utf-8")) == {"mcpServers": {"lyra": ENTRY}}


@pytest.mark.parametrize("content", [b'{"mcpServers": {', b"\xff\xfe\x00", b"[]"], ids=["half", "binary", "list"])
def test_a_file_that_is_not_valid_is_left_untouched(tmp_path: Path, content: bytes) -> None:
    """A clear error with the way out; the bytes are the same and nothing lies beside them."""
    path = tmp_path / "config.json"
    path.write_bytes(content)

    with pytest.raises(InvalidParams, match="was left untouched") as refused:
        connect(KIND, path, ENTRY, NOW)

    assert refused.value.remedy == (
        "Correct the file, or add by hand what `lyra connect claude-desktop --print` shows."
    )
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (content, [path])


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "Claude").touch()

    with pytest.raises(InvalidParams, match="cannot be read or written"):
        connect(KIND, tmp_path / "Claude" / "config.json", ENTRY, NOW)

    assert list(tmp_path.iterdir()) == [tmp_path / "Claude"]


def test_windows_line_ends_stay(tmp_path: Path) -> None:
    """Editors on Windows show a file with both kinds as one long line."""
    path = tmp_path / "config.json"
    path.write_bytes(b'{\r\n  "a": 1\r\n}\r\n')

    connect(KIND, path, {"command": "x"}, NOW)

    assert path.read_bytes() == (
        b'{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "lyra": {\r\n      "command": "x"\r\n    }\r\n  }\r\n}\r\n'
    )


def test_a_file_that_would_hide_another_is_not_made(tmp_path: Path) -> None:
    """Continue reads config.yaml instead of config.json: its user's models would be gone."""
    (tmp_path / "config.json").write_text("{}")
    kind = CLIENTS["continue"]

    with pytest.raises(InvalidParams, match=r"instead of config\.json, which is there"):
        connect(kind, tmp_path / "config.yaml", kind.entry(Launch("x")), NOW)

    assert list(tmp_path.iterdir()) == [tmp_path / "config.json"]
