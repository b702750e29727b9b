"""A server that cannot start still answers its client: what is wrong, and what to do."""

from pathlib import Path
from typing import Any

import apsw
import pytest

RESTART = "Then restart the client, which starts the server again."


def newer_database(folder: Path) -> tuple[Path, dict[str, str]]:
    """A data directory that a later version has used."""
    connection = apsw.Connection(str(folder / "lyra.db"))
    connection.execute("pragma user_version = 999")
    connection.close()
    return folder, {}


def file_instead_of_a_folder(folder: Path) -> tuple[Path, dict[str, str]]:
    taken = folder / "data"
    taken.write_text("これはフォルダではない")
    return taken, {}


def no_database(folder: Path) -> tuple[Path, dict[str, str]]:
    (folder / "lyra.db").write_bytes(b"\x00\x01 not a database " * 400)
    return folder, {}


def wrong_setting(folder: Path) -> tuple[Path, dict[str, str]]:
    return folder, {"LYRA_POLITENESS__DOMAIN_QPS": "たくさん"}


@pytest.mark.parametrize(
    ("trouble", "code", "words"),
    [
        pytest.param(newer_database, "INTERNAL_ERROR", "The database lyra.db has schema 999", id="newer database"),
        pytest.param(file_instead_of_a_folder, "INTERNAL_ERROR", "The directory data cannot be used", id="no folder"),
        pytest.param(no_database, "INTERNAL_ERROR", "The file lyra.db is not a database of Lyra", id="junk"),
        pytest.param(wrong_setting, "INVALID_PARAMS", "Setting politeness.domain_qps", id="wrong setting"),
    ],
)
def test_every_tool_says_what_is_wrong_at_the_start(
    connect: Any, tmp_path: Path, trouble: Any, code: str, words: str
) -> None:
    """The client connects and sees the tools; each answer is the typed error with its remedy and without a path."""
    data_dir, environment = trouble(tmp_path)

    with connect(data_dir, **environment) as face:
        tools = [tool.name for tool in face.tools()]
        created = face.refused("create_task", query="Do DPP-4 inhibitors cause pancreatitis?")
        asked = face.refused("query_graph", sql="select 1")

    assert tools[:4] == ["create_task", "get_status", "stop_task", "search"]
    assert created == asked
    assert (created["error_code"], created["error"].startswith(f"Lyra could not start. {words}")) == (code, True)
    assert created["remedy"].endswith(RESTART)
    assert str(tmp_path) not in created["error"] + created["remedy"]


def test_a_newer_database_is_not_touched(connect: Any, tmp_path: Path) -> None:
    """Answering its client changes no byte of the database."""
    newer_database(tmp_path)
    before = (tmp_path / "lyra.db").read_bytes()

    with connect(tmp_path) as face:
        face.refused("create_task", query="給食費の無償化は出生数を増やすか。")

    assert (tmp_path / "lyra.db").read_bytes() == before
