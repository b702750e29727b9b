"""How commands end: the exit codes of docs/reference/cli.md, one sentence and a remedy, JSON where it was asked for."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest
import typer

from lyra.cli.commands import COMMANDS, load
from lyra.cli.main import app

UNKNOWN = "task_0123456789ab"
INITIALIZE = (
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", '
    '"capabilities": {}, "clientInfo": {"name": "a client", "version": "1"}}}\n'
)


@pytest.mark.parametrize(
    ("words", "code", "error_code"),
    [
        (("task", "show", UNKNOWN), 3, "TASK_NOT_FOUND"),
        (("task", "show", "nonsense"), 3, "TASK_NOT_FOUND"),
        (("task", "stop", UNKNOWN), 3, "TASK_NOT_FOUND"),
        (("search", UNKNOWN, "saxagliptin"), 3, "TASK_NOT_FOUND"),
        (("report", UNKNOWN), 3, "TASK_NOT_FOUND"),
        (("similar", "heart failure", "--task", UNKNOWN), 3, "TASK_NOT_FOUND"),
        (("task", "new", ""), 2, "INVALID_PARAMS"),
        (("task", "new", "x" * 100_000), 2, "INVALID_PARAMS"),
        (("task", "new", "q", "-H", " "), 2, "INVALID_PARAMS"),
        (("task", "new", "q", "--language", "日本語"), 2, "INVALID_PARAMS"),
        (("task", "new", "q", "--language", "xx"), 2, "INVALID_PARAMS"),
        (("query", "drop table claims"), 2, "INVALID_PARAMS"),
        (("query", ""), 2, "INVALID_PARAMS"),
        (("query", "select 1", "--limit", "999"), 2, "INVALID_PARAMS"),
        (("similar", ""), 2, "INVALID_PARAMS"),
        (("similar", "x", "--target", "pages"), 2, "INVALID_PARAMS"),
        (("metrics", "--prometheus"), 2, "INVALID_PARAMS"),
        (("task", "show"), 2, "INVALID_PARAMS"),
        (("no-such-command",), 2, "INVALID_PARAMS"),
        (("task", "new", "q", "--no-such-option"), 2, "INVALID_PARAMS"),
        (("search", UNKNOWN, "q", "--max-pages", "0"), 2, "INVALID_PARAMS"),
        (("search", UNKNOWN, "q", "--source", "gossip"), 2, "INVALID_PARAMS"),
        (("auth", "resolve", "co.uk"), 2, "INVALID_PARAMS"),
        (("auth", "skip", "com"), 2, "INVALID_PARAMS"),
        (("eval", "stance", "/no/such/file.jsonl"), 2, "INVALID_PARAMS"),
        (("eval", "ranking", "/no/such/directory"), 2, "INVALID_PARAMS"),
        (
            ("query", "with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n"),
            4,
            "TIMEOUT",
        ),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_wrong_input_ends_with_its_code_and_typed_json(
    lyra: Any, words: tuple[str, ...], code: int, error_code: str
) -> None:
    """Programs read the code and the JSON, people the sentence on stderr."""
    done = lyra(*words, "--json")

    assert (done.code, done.json["ok"], done.json["error_code"]) == (code, False, error_code)
    assert done.err.startswith("lyra: ")
    assert "Traceback" not in done.err


def test_without_json_nothing_is_written_to_stdout_on_failure(lyra: Any) -> None:
    """A pipe gets no half table."""
    done = lyra("task", "show", UNKNOWN)

    assert (done.code, done.out) == (3, "")
    assert done.err == (
        f"lyra: There is no task '{UNKNOWN}'.\n"
        "      Make one with `lyra task new`; `lyra task list` lists those there are.\n"
    )


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_a_data_directory_that_is_a_file_cannot_be_used(lyra: Any, tmp_path: Path, below: str) -> None:
    """Exit code 5, the path, and what to do."""
    (tmp_path / "file").write_text("not a directory")

    done = lyra("task", "list", "--json", LYRA_DATA_DIR=str(tmp_path / "file" / below))

    assert (done.code, done.json["error_code"]) == (5, "INTERNAL_ERROR")
    assert str(tmp_path / "file") in done.json["error"]
    assert "LYRA_DATA_DIR" in done.json["remedy"]
    assert (tmp_path / "file").read_text() == "not a directory"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_data_directory_cannot_be_used(lyra: Any, tmp_path: Path) -> None:
    """The same where the user may not write."""
    (tmp_path / "locked").mkdir(mode=0o500)

    done = lyra("task", "list", "--json", LYRA_DATA_DIR=str(tmp_path / "locked"))

    assert (done.code, done.json["error_code"]) == (5, "INTERNAL_ERROR")


def test_a_database_of_a_newer_version_is_left_alone(lyra: Any, home: Path) -> None:
    """Exit code 5 and not a byte changed: the newer Lyra can still read it."""
    lyra("task", "new", "q")
    connection = apsw.Connection(str(home / "lyra.db"))
    connection.pragma("user_version", 9999)
    connection.pragma("wal_checkpoint", "truncate")
    connection.close()
    before = (home / "lyra.db").read_bytes()

    done = lyra("task", "list", "--json")

    assert (done.code, done.json["details"]["found"]) == (5, 9999)
    assert "Update Lyra" in done.json["remedy"]
    assert (home / "lyra.db").read_bytes() == before


def test_a_foreign_file_in_place_of_the_database_is_left_alone(lyra: Any, home: Path) -> None:
    """Whatever somebody put there is not overwritten."""
    home.mkdir()
    (home / "lyra.db").write_bytes(b"my diary\n" * 1000)

    done = lyra("task", "new", "q", "--json")

    assert (done.code, done.json["error_code"]) == (5, "INTERNAL_ERROR")
    assert (home / "lyra.db").read_bytes() == b"my diary\n" * 1000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("network = {", "cannot be read"),
        ("[network]\nproxi = 'x'\n", "There is no setting 'network.proxi'."),
        ("[jobs]\npoll_s = -1\n", "Setting jobs.poll_s: "),
    ],
    ids=["not TOML", "unknown", "out of range"],
)
def test_a_bad_settings_file_is_named(lyra: Any, tmp_path: Path, content: str, message: str) -> None:
    """Exit code 2, before anything is opened."""
    (tmp_path / "s.toml").write_text(content)

    done = lyra("--config", str(tmp_path / "s.toml"), "task", "list", "--json")

    assert (done.code, done.json["error_code"]) == (2, "INVALID_PARAMS")
    assert message in done.json["error"]


def test_settings_are_shown_with_what_is_in_force(lyra: Any, tmp_path: Path) -> None:
    """File below environment below flag."""
    (tmp_path / "s.toml").write_text("[log]\nlevel = 'debug'\n[network]\nconcurrency = 2\ntimeout_s = 9\n")

    done = lyra(
        "--config",
        str(tmp_path / "s.toml"),
        "--log-level",
        "error",
        "settings",
        "--json",
        LYRA_NETWORK__CONCURRENCY="3",
    )

    rows = {row["setting"]: row["value"] for row in done.json}
    assert done.code == 0
    assert (rows["network.timeout_s"], rows["network.concurrency"], rows["log.level"]) == (9.0, 3, "error")


def test_version_and_help_need_no_data_directory(lyra: Any, home: Path) -> None:
    """They end with 0 and leave nothing behind."""
    version, help_ = lyra("--version"), lyra("--help")

    assert (version.code, help_.code) == (0, 0)
    assert version.out.startswith("lyra ")
    assert "serve" in help_.out
    assert not home.exists()


@pytest.mark.parametrize("words", [(), ("task",), ("inspect",), ("eval",)])
def test_a_group_without_a_command_shows_its_help(lyra: Any, words: tuple[str, ...]) -> None:
    """Exit code 2, as nothing was done; no empty error beside it."""
    done = lyra(*words)

    assert done.code == 2
    assert "Usage" in done.out
    assert "lyra: \n" not in done.err


def test_a_report_that_cannot_be_written_says_so(lyra: Any, tmp_path: Path) -> None:
    """The named file is a directory: exit code 2 and the path."""
    task = lyra("task", "new", "q", "--json").json["task_id"]

    done = lyra("report", task, "-o", str(tmp_path), "--json")

    assert (done.code, done.json["error"]) == (2, f"{tmp_path} cannot be written: Is a directory.")


def test_output_onto_a_full_disk_says_so(tmp_path: Path) -> None:
    """`lyra … > file` where nothing fits any more: one sentence and exit code 5, no traceback."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "lyra", "--data-dir", str(tmp_path), "settings"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )

    assert (done.returncode, done.stderr.splitlines()) == (
        5,
        ["lyra: The output cannot be written: its disk is full.", "      Free some space, or write elsewhere."],
    )


@pytest.mark.parametrize(
    ("redirected", "code", "told"),
    [
        pytest.param(
            ">/dev/full",
            5,
            ["lyra: The output cannot be written: its disk is full.", "      Free some space, or write elsewhere."],
            id="full",
        ),
        pytest.param(
            "1</dev/null",
            1,
            ["lyra: The output cannot be written: Bad file descriptor.", "      Write elsewhere."],
            id="only to be read",
        ),
        pytest.param(
            ">&-",
            2,
            [
                "lyra: The MCP client is served over standard input and output, and one of them is closed.",
                "      Let the client start it (see `lyra connect`), or use `lyra serve --http`.",
            ],
            id="closed",
        ),
    ],
)
def test_a_server_that_cannot_answer_says_so(tmp_path: Path, redirected: str, code: int, told: list[str]) -> None:
    """`lyra serve` whose standard output takes nothing: one sentence, its remedy and its code, no traceback."""
    server = [sys.executable, "-m", "lyra", "--data-dir", str(tmp_path), "serve"]

    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirected}', "sh", *server],
        input=INITIALIZE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr.splitlines()) == (code, told)


def commands(command: Any, path: tuple[str, ...] = ()) -> dict[str, Any]:
    """Every command by its words, groups included."""
    found = {" ".join(path): command}
    for name, one in getattr(command, "commands", {}).items():
        found |= commands(one, (*path, name))
    return found


def test_every_command_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    """A bracket in a meaning is read as markup where help is shown, and must not end in a traceback."""
    found = {"": typer.main.get_command(app)}
    for one in COMMANDS:
        found |= commands(load(one), (one.name,))

    for command in found.values():
        command.get_help(typer.Context(command))

    shown = capsys.readouterr().out
    assert "simweb serve" in found
    assert shown.count("Usage:") == len(found)


def test_what_went_wrong_on_the_way_is_told_with_the_error(lyra: Any) -> None:
    """“No engine could be reached” alone leads nobody to the proxy that is down: the problems are told with it."""
    nowhere = {"LYRA_NETWORK__PROXY": "http://127.0.0.1:1", "LYRA_TOR__MODE": "off", "LYRA_BROWSER__ENABLED": "false"}
    task_id = lyra("task", "new", "給食費", "--json").json["task_id"]

    done = lyra("search", task_id, "給食費", "--engine", "mojeek", **nowhere)

    told = [line for line in done.err.splitlines() if line.startswith(("lyra:", "      "))]
    assert (done.code, told[0]) == (
        4,
        "lyra: No search engine could be reached: mojeek. This machine seems to have no internet.",
    )
    assert told[1].startswith("      ! mojeek failed: ")
    assert "over proxy 127.0.0.1" in told[1]
    assert told[2:] == [
        "      Connect this machine to the internet, or correct network.proxy; `lyra doctor --network` says what can "
        "be reached. Then search again."
    ]
