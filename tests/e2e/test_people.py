"""The command line as people use it: connecting clients, watching, following a claim back, taking work away."""

import json
import os
import pty
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from simweb import SimWeb


@pytest.fixture(scope="module")
def lyra(lyra_here: Any) -> Any:
    """What commands say is looked at, not their processes."""
    return lyra_here


def test_connecting_a_client_twice_changes_its_file_once(lyra: Any, tmp_path: Path) -> None:
    """The entry starts this very installation on the named data directory; the file as it was is kept."""
    path = tmp_path / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"other": {"command": "o"}}}')

    first = lyra("connect", "cursor", "--json", data_dir=tmp_path / "data", HOME=str(tmp_path))
    second = lyra("connect", "cursor", "--json", data_dir=tmp_path / "data", HOME=str(tmp_path))

    entry = {
        "type": "stdio",
        "command": str(Path(sys.executable).parent / "lyra"),
        "args": ["serve"],
        "env": {"LYRA_DATA_DIR": str(tmp_path / "data")},
    }
    assert (first.code, first.json["is_changed"], second.json["is_changed"]) == (0, True, False)
    assert json.loads(path.read_text()) == {"mcpServers": {"other": {"command": "o"}, "lyra": entry}}
    assert Path(first.json["backup"]).read_text() == '{"mcpServers": {"other": {"command": "o"}}}'
    assert second.json["backup"] is None


def test_a_broken_client_file_is_refused_and_printing_helps(lyra: Any, tmp_path: Path) -> None:
    """Exit code 2, the file untouched; `--print` gives on stdout alone what can be pasted."""
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text("model = \n")

    refused = lyra("connect", "codex", "--json", HOME=str(tmp_path))
    printed = lyra("connect", "codex", "--print", HOME=str(tmp_path))

    assert (refused.code, refused.json["error_code"]) == (2, "INVALID_PARAMS")
    assert "was left untouched: it is not valid TOML" in refused.json["error"]
    assert path.read_text() == "model = \n"
    assert printed.out.splitlines()[0] == "[mcp_servers.lyra]"
    assert printed.err.strip() == f"# Codex: {path}"


def test_a_claim_is_followed_back_to_its_query(lyra: Any, researched: Any) -> None:
    """query → engine → rank → page → fragment → model → edge, all of it from what was stored."""
    queries = (
        "saxagliptin heart failure hospitalisation",
        "DPP-4阻害薬 類天疱瘡 リスク",
        "saxagliptin heart failure not increased",
    )
    found = "select s.page_id from serp_items s join queries q on q.id = s.query_id where s.page_id is not null"
    asked = ", ".join(f"'{query}'" for query in queries)
    ((claim, quote, fragment),) = [
        (row["claim_id"], row["quote"], row["fragment_id"])
        for row in researched.face.rows(
            "select e.target_id as claim_id, e.quote as quote, e.source_id as fragment_id from edges e join pages p"
            " on p.id = e.page_id where e.relation = 'supports' and e.is_origin = 1 and p.warc_path is not null"
            f" and p.id in ({found} and s.state = 'fetched' and q.query in ({asked}))"
            f" and p.id not in ({found} and q.query not in ({asked}))"
            " order by e.nli_confidence desc, e.id"
        )[:1]
    ]

    told = lyra("log", researched.task_id, claim, "--json", data_dir=researched.data_dir).json
    read = lyra("log", researched.task_id, claim, data_dir=researched.data_dir)

    (chain,) = [one for one in told["chains"] if one["judgement"] and one["fragment"]["id"] == fragment]
    assert chain["judgement"]["quote"] == quote
    assert chain["discoveries"][0]["query"] in queries
    assert chain["discoveries"][0]["fetch"]["record_id"] == chain["page"]["warc_record_id"]
    assert chain["judgement"]["model_id"].startswith("lyra-reader")
    assert quote in chain["fragment"]["text"]
    assert chain["stated"] != []
    kinds = [line.split()[0] for line in read.out.splitlines() if line.startswith("   ")]
    assert {"query", "engine", "fetch", "page", "archive", "fragment", "states", "model", "edge"} <= set(kinds)


def test_the_journal_and_unknown_names(lyra: Any, researched: Any) -> None:
    """One line an entry; a claim of no such name and a task of no such name have their own exit codes."""
    home = researched.data_dir

    lines = lyra("log", researched.task_id, "--limit", "5", data_dir=home).out.splitlines()
    rest = lyra("log", researched.task_id, "--after", lines[4].split()[0], "--limit", "1", "--json", data_dir=home).json
    no_claim = lyra("log", researched.task_id, "c_nothing", "--json", data_dir=home)
    no_task = lyra("log", "task_000000000000", "--json", data_dir=home)

    assert (len(lines), len(rest["events"])) == (5, 1)
    assert rest["events"][0]["id"] > int(lines[4].split()[0])
    assert (no_claim.code, no_claim.json["error_code"]) == (2, "INVALID_PARAMS")
    assert (no_task.code, no_task.json["error_code"]) == (3, "TASK_NOT_FOUND")


def test_exports_are_whole_files(lyra: Any, researched: Any, tmp_path: Path) -> None:
    """Evidence as JSON, sources as BibTeX, the report; to a file or to stdout and nothing else."""
    home, task = researched.data_dir, researched.task_id

    evidence = lyra("export", task, data_dir=home)
    bibtex = lyra("export", task, "--format", "bibtex", "-o", str(tmp_path / "s.bib"), "--json", data_dir=home)
    report = lyra("export", task, "--format", "report", data_dir=home)
    wrong = lyra("export", task, "--format", "docx", "--json", data_dir=home)

    assert {claim["id"] for claim in evidence.json["claims"]} >= set(researched.hypotheses)
    assert bibtex.json == {"ok": True, "task_id": task, "format": "bibtex", "path": str(tmp_path / "s.bib")}
    assert (tmp_path / "s.bib").read_text().startswith("@")
    assert report.out.startswith("# ")
    assert (wrong.code, wrong.json["error_code"]) == (2, "INVALID_PARAMS")


def test_an_export_is_named_by_its_file_and_for_this_user_alone(lyra: Any, researched: Any, tmp_path: Path) -> None:
    """The ending says the format; folders are new ones, or one zip file; a folder needs a name."""
    home, task = researched.data_dir, researched.task_id

    by_name = lyra("export", task, "-o", str(tmp_path / "s.RIS"), "--json", data_dir=home)
    crate = lyra("export", task, "-f", "ro-crate", "-o", str(tmp_path / "crate"), data_dir=home)
    again = lyra("export", task, "-f", "ro-crate", "-o", str(tmp_path / "crate"), "--json", data_dir=home)
    zipped = lyra("export", task, "-f", "obsidian", "-o", str(tmp_path / "notes.zip"), data_dir=home)
    nameless = lyra("export", task, "-f", "obsidian", "--json", data_dir=home)

    assert by_name.json == {"ok": True, "task_id": task, "format": "ris", "path": str(tmp_path / "s.RIS")}
    assert (crate.code, again.json["error"]) == (0, f"{tmp_path / 'crate'} is not empty.")
    assert (zipped.code, nameless.json["error"]) == (0, "An export as obsidian is a folder.")
    with zipfile.ZipFile(tmp_path / "notes.zip") as notes:
        assert {name.partition("/")[0] for name in notes.namelist() if "/" in name} == {"claims", "hypotheses", "pages"}
    assert {oct(path.stat().st_mode & 0o777) for path in tmp_path.rglob("*") if path.is_file()} == {"0o600"}
    assert oct((tmp_path / "crate").stat().st_mode & 0o777) == "0o700"


def test_watching_ends_with_the_last_search(lyra: Any, start: Any, web: SimWeb, tmp_path: Path) -> None:
    """Piped it is plain lines, one a change, while another process works; the last says how a search ended."""
    url = "https://www.nimeth.gov/health-topics/dpp-4-inhibitors"
    task = lyra("task", "new", "Are gliptins safe?", "--json", data_dir=tmp_path).json["task_id"]
    queued = lyra("search", task, url, "--wait", "0", "--json", data_dir=tmp_path).json["search_id"]
    watching = start("watch", task, data_dir=tmp_path)
    first = watching.stdout.readline()

    lyra("search", task, url, data_dir=tmp_path)
    rest, _ = watching.communicate(timeout=60)

    lines = [first, *rest.splitlines(keepends=True)]
    assert (watching.returncode, first.split()[:2]) == (0, [queued, "running"])
    assert lines[-1].split()[1] in {"satisfied", "partial", "exhausted"}
    assert len(lines) == len(set(lines))


def test_colours_are_for_terminals(lyra: Any, researched: Any) -> None:
    """In a pipe there is no escape code and nothing is folded: one line a row, parted by tabs."""
    shown = on_terminal(researched.data_dir, "task", "list")
    piped = lyra("task", "list", data_dir=researched.data_dir).out

    assert ("\x1b[" in shown, "┃" in shown, researched.task_id in shown) == (True, True, True)
    assert ("\x1b" in piped, len(piped.splitlines())) == (False, 2)
    assert piped.splitlines()[1].split("\t")[0] == researched.task_id


def on_terminal(data_dir: Path, *words: str) -> str:
    """What a command writes to a terminal of 200 columns."""
    own, theirs = pty.openpty()
    environ = {**os.environ, "COLUMNS": "200", "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "lyra", "--data-dir", str(data_dir), *words]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environ) as process:
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(own), b""))
        process.wait()
    os.close(own)
    return shown.decode("utf-8", "replace")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:  # the other end is closed
        return b""


def test_page_text_cannot_steer_the_terminal(lyra: Any, tmp_path: Path) -> None:
    """Markup and escape codes in stored text are shown as text: neither a crash nor a changed window title."""
    asked = "select '[/red] [bold]' || char(27) || ']0;owned' || char(7) as cell"

    piped = lyra("query", asked, data_dir=tmp_path)
    shown = on_terminal(tmp_path, "query", asked)

    assert piped.out == "cell\n[/red] [bold]]0;owned\n"
    assert "[/red] [bold]]0;owned" in shown
    assert "\x07" not in shown


def test_the_shell_completes_commands(tmp_path: Path) -> None:
    """Typer's completion works through the installed script, as the shell asks it."""
    script = Path(sys.executable).parent / "lyra"
    asked = {"_LYRA_COMPLETE": "complete_bash", "COMP_WORDS": "lyra con", "COMP_CWORD": "1"}

    done = subprocess.run([script], env={**os.environ, **asked}, capture_output=True, text=True, check=False)

    assert done.stdout.split() == ["connect"]


def test_a_backup_of_a_running_server_can_be_used_elsewhere(lyra: Any, researched: Any, tmp_path: Path) -> None:
    """The server goes on; the copy answers the same query, and a half copied file is refused."""
    file = tmp_path / "lyra.zip"
    counted = "select count(*) as n from edges"

    made = lyra("backup", str(file), "--json", data_dir=researched.data_dir)
    restored = lyra("restore", str(file), "--into", str(tmp_path / "again"), "--json")
    again = lyra("restore", str(file), "--json", data_dir=tmp_path / "again")
    copied = lyra("query", counted, "--json", data_dir=tmp_path / "again").json["rows"]
    half = tmp_path / "half.zip"
    half.write_bytes(file.read_bytes()[: made.json["size_bytes"] // 2])
    refused = lyra("restore", str(half), "--into", str(tmp_path / "other"), "--json")

    assert (made.code, made.json["missing"], restored.json["files"]) == (0, [], made.json["files"])
    assert copied == researched.face.rows(counted)[:1]
    assert (again.code, again.json["error_code"]) == (2, "INVALID_PARAMS")
    assert (refused.code, refused.json["error_code"]) == (2, "INVALID_PARAMS")
    assert not (tmp_path / "other").exists()
