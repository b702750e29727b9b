"""The user's own documents through the faces: added on the command line, searched by an MCP client."""

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from simweb import SimWeb
from simweb.files.office import docx, pptx
from tests.e2e.conftest import LOOK_S

ASPIRIN = "Aspirin reduces the risk of a second stroke by 20 percent in adults."
BLEEDING = "Low-dose aspirin increases the risk of major bleeding in older adults."
WARFARIN = "Warfarin reduces the risk of stroke in patients with atrial fibrillation."
HYPOTHESIS = "Aspirin reduces the risk of stroke."
# Brings up 127.0.0.1 in a new network namespace, and becomes the command that follows.
LOOPBACK_ONLY = """
import fcntl, os, socket, struct, sys
with socket.socket() as probe:
    fcntl.ioctl(probe, 0x8914, struct.pack("16sh14x", b"lo", 0x1))
os.execv(sys.argv[1], sys.argv[1:])
"""
_LIMIT_S = 60.0


@pytest.fixture(scope="module")
def lyra(lyra_here: Any) -> Any:
    """What commands say is looked at, not their processes."""
    return lyra_here


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "papers"
    path.mkdir()
    (path / "talk.pptx").write_bytes(pptx("Stroke", ["Overview", ASPIRIN]))
    (path / "memo.docx").write_bytes(docx("Bleeding", [BLEEDING]))
    (path / "broken.docx").write_bytes(b"PK\x03\x04torn")
    return path


def test_a_client_searches_the_library_and_nothing_else(
    connect: Any, lyra: Any, web: SimWeb, tmp_path: Path, folder: Path
) -> None:
    """`sources: ["library"]` alone: claims with exact quotes that lead to file, slide and position; no request at all.

    The verdict counts each document as a source of its own, unverified.
    """
    data_dir = tmp_path / "data"
    added = lyra("library", "add", str(folder), "--json", data_dir=data_dir)

    with connect(data_dir) as face:
        task = face.call("create_task", query="Aspirin?", config={"hypotheses": [{"text": HYPOTHESIS}]})["task_id"]
        found = face.search(task, "aspirin risk of stroke and bleeding", sources=["library"])
        places = face.rows(
            "select f.path, g.page_number, p.domain,"
            " substr(p.text_content, g.char_start + 1, g.char_end - g.char_start) as words"
            " from claim_mentions m join fragments g on g.id = m.fragment_id join pages p on p.id = g.page_id"
            " join page_files f on f.page_id = p.id order by f.path"
        )
        sources = face.rows(f"select distinct source_trust_level from edges where task_id = '{task}'")

    assert [(one["file"], one["reason"]) for one in added.json["unread"]] == [
        (str(folder / "broken.docx"), "This document cannot be read: it is broken (File is not a zip file).")
    ]
    assert {claim["text"] for claim in found["claims_found"]} == {ASPIRIN, BLEEDING}
    assert [(row["path"], row["page_number"], row["words"]) for row in places] == [
        (str(folder / "memo.docx"), None, BLEEDING),
        (str(folder / "talk.pptx"), 2, ASPIRIN),
    ]
    assert len({row["domain"] for row in places}) == 2
    assert sources == [{"source_trust_level": "unverified"}]
    assert list(web.requests) == []


def test_a_server_finds_changes_by_itself(connect: Any, lyra: Any, tmp_path: Path, folder: Path) -> None:
    """A document that is added while a server runs is found without a command; a moved one keeps its page."""
    data_dir = tmp_path / "data"
    lyra("library", "add", str(folder), data_dir=data_dir)

    with connect(data_dir, LYRA_LIBRARY__SCAN_EVERY_S="0.1") as face:
        task = face.call("create_task", query="Stroke?")["task_id"]
        face.search(task, "aspirin stroke", sources=["library"])
        (folder / "new.txt").write_text(WARFARIN)
        (folder / "talk.pptx").rename(folder / "renamed.pptx")
        moved = "select path from page_files where path like '%renamed.pptx'"
        _until(lambda: face.rows(moved))
        _until(lambda: face.search(task, "warfarin", sources=["library"])["claims_found"])
        pages = face.rows("select path from page_files order by path")

    assert [Path(row["path"]).name for row in pages] == ["memo.docx", "new.txt", "renamed.pptx"]


def _until(ask: Any) -> None:
    deadline = time.monotonic() + _LIMIT_S
    while not ask():
        assert time.monotonic() < deadline
        time.sleep(LOOK_S)


def test_a_machine_without_network_is_enough(lyra: Any, tmp_path: Path, folder: Path) -> None:
    """In a network namespace with nothing but loopback, documents are added, searched and proven."""
    alone = ["unshare", "--user", "--map-root-user", "--net", sys.executable]
    if shutil.which("unshare") is None or subprocess.run([*alone, "-c", ""], check=False).returncode:
        pytest.skip("this machine does not let a user make a network namespace")
    command = [*alone, "-c", LOOPBACK_ONLY, sys.executable, "-m", "lyra", "--data-dir", str(tmp_path / "data")]

    def run(*words: str) -> str:
        return subprocess.run([*command, *words], check=True, capture_output=True, text=True, timeout=120).stdout

    run("library", "add", str(folder))
    answer = run("ask", "Does aspirin prevent strokes?", "-H", HYPOTHESIS, "--source", "library", "--json")
    checked = run("archive", "check", "--json")

    assert '"verdict": "supported"' in answer
    assert '"resource": 2' in checked


def test_what_tasks_cite_stays_when_a_library_is_removed(lyra: Any, tmp_path: Path, folder: Path) -> None:
    """After `remove` no search finds the documents; what a task has read of them can still be proven and replayed."""
    data_dir = tmp_path / "data"
    lyra("library", "add", str(folder), "--trust", "academic", data_dir=data_dir)
    asked = lyra(
        "ask", "Does aspirin prevent strokes?", "-H", HYPOTHESIS, "--source", "library", "--json", data_dir=data_dir
    )
    task = asked.json["task_id"]

    removed = lyra("library", "remove", str(folder), "--json", data_dir=data_dir)

    again = lyra("search", task, "aspirin", "--source", "library", "--json", data_dir=data_dir)
    replayed = lyra("replay", task, "--json", data_dir=data_dir)
    levels = lyra("query", "select distinct source_trust_level from edges", "--json", data_dir=data_dir)
    assert removed.json["documents"] == 2
    assert (again.code, again.json["error_code"]) == (2, "INVALID_PARAMS")
    assert (replayed.code, replayed.json["is_same"]) == (0, True)
    assert "academic" in levels.out


def test_what_documents_name_is_asked_of_nobody(
    connect: Any, lyra: Any, web: SimWeb, tmp_path: Path, folder: Path
) -> None:
    """Beside other sources too: the papers that the user's own documents name are not looked up."""
    (folder / "secret.md").write_text(f"{ASPIRIN} See https://doi.org/10.5555/secret.1 and PMID: 90015821.")
    data_dir = tmp_path / "data"
    lyra("library", "add", str(folder), data_dir=data_dir)

    with connect(data_dir) as face:
        task = face.call("create_task", query="Aspirin?")["task_id"]
        face.search(task, "aspirin stroke cohort study", sources=["library", "academic"])
        read = face.rows("select url from serp_items where state = 'fetched' and url like '%secret.md'")

    assert len(read) == 1
    assert [visit for visit in web.requests if "secret" in str(visit) or "90015821" in str(visit)] == []
    assert {visit.host for visit in web.requests} == {"api.openalex.org", "api.semanticscholar.org"}
