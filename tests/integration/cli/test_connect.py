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


def test_an_entry_that_the_user_disabled_is_told(lyra: Any, home: Path, tmp_path: Path) -> None:
    """It stays disabled, and nobody waits for Lyra in vain; its data directory is not the usual one."""
    path = tmp_path / "user" / ".codex" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text('[mcp_servers.lyra]\ncommand = "old"\nenabled = false\n', "utf-8")

    first, second = lyra("connect", "codex"), lyra("connect", "codex")

    (backup,) = path.parent.glob("*.before-lyra-*")
    disabled = "! Lyra is disabled there, so Codex does not start it. Enable it in that file."
    place = f"Lyra's data directory in it: {home}"
    assert first.out.splitlines() == [
        f"The entry of Lyra in {path} was updated.",
        f"The file as it was: {backup}",
        disabled,
        place,
    ]
    assert second.out.splitlines() == [f"Codex has Lyra already ({path}); nothing was changed.", disabled, place]


def test_a_broken_file_is_explained_in_japanese(lyra: Any, tmp_path: Path) -> None:
    """What is wrong, in which line, and the whole command that helps."""
    path = tmp_path / "user" / ".gemini" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"a": 1 "b": 2}', "utf-8")

    done = lyra("--lang", "ja", "connect", "gemini-cli")

    assert done.err.splitlines() == [
        f"lyra: 設定ファイル {path} には手を加えていません: "
        "正しい JSON ではありません（1 行目: コンマか '}' がありません）。",
        "      ファイルを直すか、`lyra connect gemini-cli --print` で表示される内容を手で書き加えてください。",
    ]


def test_a_reason_of_the_system_is_japanese(lyra: Any, tmp_path: Path) -> None:
    """A folder stands where the file should be."""
    path = tmp_path / "user" / ".gemini" / "settings.json"
    path.mkdir(parents=True)

    done = lyra("--lang", "ja", "connect", "gemini-cli")

    assert done.err.splitlines()[0] == f"lyra: 設定ファイル {path} を読み書きできません: フォルダーです。"
