"""`lyra connect`: the entry, its environment, and what programs are told."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))


def test_the_data_directory_of_the_shell_is_kept(lyra: Any, home: Path, tmp_path: Path) -> None:
    """The client does not have the variable, and Lyra would start with an empty database."""
    done = lyra("connect", "gemini-cli", "--json")

    written = json.loads((tmp_path / "user" / ".gemini" / "settings.json").read_text("utf-8"))
    assert (done.json["is_changed"], done.json["backup"]) == (True, None)
    assert written["mcpServers"]["lyra"]["env"] == {"LYRA_DATA_DIR": str(home)}
    assert written["mcpServers"]["lyra"] == done.json["entry"]


def test_a_data_directory_on_the_command_line_wins(lyra: Any, tmp_path: Path) -> None:
    """It goes into the environment, absolute, and the command stays `serve`."""
    done = lyra("--data-dir", str(tmp_path / "other"), "connect", "codex", "--json", "--print")

    assert done.json["entry"]["env"] == {"LYRA_DATA_DIR": str(tmp_path / "other")}
    assert done.json["entry"]["args"][-1] == "serve"
    assert done.json["entry"]["startup_timeout_sec"] == 60
    assert not (tmp_path / "user").exists()


def test_an_unknown_client_is_refused(lyra: Any) -> None:
    """Exit code 2, and the names there are."""
    done = lyra("connect", "emacs", "--json")

    assert (done.code, done.json["error_code"]) == (2, "INVALID_PARAMS")
    assert "opencode" in done.json["remedy"]
