"""The command line as a process: JSON alone on stdout, logs on stderr, and a graph shared with a running server."""

import json
import signal
import time
from pathlib import Path
from typing import Any

import apsw

from simweb import Fault, SimWeb
from tests.e2e.conftest import LOOK_S

QUERY = "gliptin tablets cost at the pharmacy"


def test_a_session_on_the_command_line(lyra: Any, web: SimWeb, tmp_path: Path) -> None:
    """new, search, show, query, similar, stop and report: the same answers as MCP's, each JSON and nothing else."""
    home = tmp_path / "home"
    made = lyra("task", "new", "What do gliptins cost?", "-H", "Gliptins are cheap.", "--json", data_dir=home)
    task = made.json["task_id"]

    found = lyra("search", task, QUERY, "--max-pages", "1", "--json", data_dir=home)
    shown = lyra("task", "show", task, "--json", data_dir=home)
    similar = lyra("similar", "Gliptins are cheap.", "--task", task, "--json", data_dir=home)
    stopped = lyra("task", "stop", task, "--reason", "user_cancelled", "--json", data_dir=home)
    report = lyra("report", task, "-o", str(tmp_path / "report.md"), "--json", data_dir=home)

    assert [one.code for one in (made, found, shown, similar, stopped, report)] == [0] * 6
    assert sorted(made.json) == ["budget", "claims", "created_at", "ok", "query", "task_id"]
    assert (found.json["pages_fetched"], found.json["query"]) == (1, QUERY)
    assert shown.json["searches"][0]["id"] == found.json["search_id"]
    assert similar.json["results"][0] == {
        "id": made.json["claims"][0],
        "text_preview": "Gliptins are cheap.",
        "similarity": 1.0,
    }
    assert stopped.json["final_status"] == "cancelled"
    assert stopped.json["summary"]["total_searches"] == 1
    assert report.json == {
        "ok": True,
        "task_id": task,
        "path": str(tmp_path / "report.md"),
        "appendix": str(tmp_path / "report.appendix.md"),
    }
    assert (tmp_path / "report.md").read_text().startswith("# What do gliptins cost?\n")


def test_the_command_line_reads_what_a_running_server_wrote(lyra: Any, researched: Any) -> None:
    """Several processes share one data directory; both faces tell the same."""
    asked = "select id, claim_text from claims where is_hypothesis = 1 order by seq"

    listed = lyra("task", "list", "--json", data_dir=researched.data_dir)
    rows = lyra("query", asked, "--json", data_dir=researched.data_dir)

    assert [task["task_id"] for task in listed.json] == [researched.task_id]
    assert tuple(row["id"] for row in rows.json["rows"]) == researched.hypotheses
    assert (rows.json["row_count"], rows.json["truncated"]) == (7, False)


def test_the_report_is_made_of_quotes_that_lead_back(lyra: Any, researched: Any) -> None:
    """Every link of the report opens a page of the graph at the quoted words."""
    done = lyra("report", researched.task_id, "-o", "-", data_dir=researched.data_dir)

    links = {part.split("#:~:text=")[0] for part in done.out.split("](")[1:] if "#:~:text=" in part}
    known = {row["url"] for row in researched.face.rows("select url from pages")}
    sections = [line for line in done.out.splitlines() if line.startswith("## ")]
    assert sections == [
        "## Answer",
        "## Evidence",
        "## Contradictions",
        "## Findings",
        "## Reservations",
        "## Timeline",
        "## Sources",
        "## Searches",
    ]
    assert len(links) >= 5
    assert links - known == set()


def test_interrupting_a_search_loses_nothing(start: Any, lyra: Any, web: SimWeb, tmp_path: Path) -> None:
    """Ctrl-C ends with 130 and one line; the search waits in the queue, its start uncounted."""
    web.faults.set("*", Fault("slow", delay_s=0.5))
    task = lyra("task", "new", "What do gliptins cost?", "--json", data_dir=tmp_path).json["task_id"]
    process = start("search", task, QUERY, "--max-pages", "1", data_dir=tmp_path)
    until_running(tmp_path)

    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)

    assert (process.returncode, jobs(tmp_path)) == (130, [("queued", 0)])
    assert told == "Stopped. Nothing is lost: unfinished searches go on with the next search or server.\n"


def until_running(data_dir: Path) -> None:
    deadline = time.monotonic() + 60
    while ("running", 1) not in jobs(data_dir):
        assert time.monotonic() < deadline
        time.sleep(LOOK_S)


def jobs(data_dir: Path) -> list[Any]:
    connection = apsw.Connection(str(data_dir / "lyra.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(connection.execute("select state, attempts from jobs"))
    finally:
        connection.close()


def test_all_engines_blocked_ends_with_its_code(lyra: Any, web: SimWeb, tmp_path: Path) -> None:
    """A program sees by the exit code that it may try again later; what is logged goes to stderr."""
    web.faults.set("html.duckduckgo.com", Fault("challenge"))
    web.faults.set("www.mojeek.com", Fault("challenge"))
    task = lyra("task", "new", "What do gliptins cost?", "--json", data_dir=tmp_path).json["task_id"]

    done = lyra("search", task, QUERY, "--json", data_dir=tmp_path)

    assert done.code == 4
    assert (done.json["error_code"], done.json["retryable"]) == ("ALL_ENGINES_BLOCKED", True)
    assert done.json["retry_after_s"] == 1800
    assert "job failed" in done.err
    assert "job failed" not in done.out


def test_every_part_of_the_machine_is_examined(lyra: Any, tmp_path: Path) -> None:
    """doctor says what is, part by part; on a well machine it ends with 0."""
    done = lyra("doctor", "--json", data_dir=tmp_path / "home")

    assert done.code == 0
    assert [check["name"] for check in done.json["checks"]] == [
        "lyra",
        "settings",
        "data",
        "database",
        "models",
        "isolation",
        "reader small",
        "reader large",
        "serves as embedder",
        "serves as small",
        "serves as large",
        "strong reader",
        "llm",
        "browser",
        "browser driver",
        "japanese",
        "dictionary",
        "ocr",
        "tor",
        "network",
        "engines",
        "logs",
    ]
    assert json.loads(done.out)["ok"] is True
    assert not (tmp_path / "home").exists()


def test_a_reader_that_has_enough_ends_a_command_in_peace(start: Any, tmp_path: Path) -> None:
    """`lyra … | head`: exit code 0 and not a word on stderr."""
    process = start("settings", "--json", data_dir=tmp_path)
    process.stdout.close()

    said = process.stderr.read()

    assert (process.wait(timeout=30), said) == (0, "")
