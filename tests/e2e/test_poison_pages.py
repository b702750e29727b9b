"""Pages that cost what they can, through a client's search: processor time of their reader, memory of the browser."""

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.loopback import ON_LOOPBACK, pages_on_loopback, wait_for
from tests.e2e.test_durability import ask

READER = "lyra.extract.process"
# Twenty megabytes, and more work than a reader is given: it would be ended after 10 s of the processor, twice.
_MARKS = "".join(f"<b>a{number}</b> <i>b</i> <span>c</span> " for number in range(500_000))
_HOARD = "const a = []; for (;;) a.push(new Uint8Array(5e6).fill(1))"
PAGES = {
    "/costly": f"<article><p>{_MARKS}</p></article>",
    "/hoard": f"<title>App</title><div id=root></div><script>{_HOARD}</script>",
}


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with pages_on_loopback(PAGES) as address:
        yield address


def readers_at_work(server: psutil.Process) -> list[psutil.Process]:
    """The processes below the server that have read for more than two seconds."""
    found = []
    for one in server.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            found += [one] if READER in one.cmdline() and one.cpu_times().user > 2.5 else []
    return found


def begin(face: Any, page: str) -> tuple[str, psutil.Process]:
    """A task with a search whose reader is at work on the page, and that reader."""
    task = str(face.call("create_task", query="Is it many words?")["task_id"])
    face.call("search", task_id=task, query=page, options={"wait_seconds": 0})
    wait_for(lambda: readers_at_work(face.process))
    (reader,) = readers_at_work(face.process)
    return task, reader


def test_stop_task_ends_the_reader_of_a_costly_page(connect: Any, site: str, tmp_path: Path) -> None:
    """The process at work on it is ended with the search; the server goes on answering."""
    with connect(tmp_path, **ON_LOOPBACK) as face:
        task, reader = begin(face, f"{site}/costly")
        stopped = face.call("stop_task", task_id=task, reason="user_cancelled")
        gone, _ = psutil.wait_procs([reader], 30)
        status = face.call("get_status", task_id=task)

    assert (stopped["final_status"], gone) == ("cancelled", [reader])
    assert [one["status"] for one in status["searches"]] == ["cancelled"]


def test_a_server_that_is_told_to_end_leaves_no_reader_of_a_costly_page(
    connect: Any, site: str, tmp_path: Path
) -> None:
    """SIGTERM ends it with all its processes; the search waits in the queue for the next one."""
    with connect(tmp_path, **ON_LOOPBACK) as face:
        begin(face, f"{site}/costly")
        below = face.process.children(recursive=True)
        face.process.send_signal(signal.SIGTERM)
        _, left = psutil.wait_procs([face.process, *below], 30)

    assert left == []
    assert ask(tmp_path, "select state, attempts from jobs") == [("queued", 0)]


def test_a_page_that_eats_the_browser_s_memory_fails_by_name(
    connect: Any, chromium: Path, site: str, tmp_path: Path
) -> None:
    """The search ends, says why the page gave nothing, and the next call is answered."""
    limits = {"LYRA_BROWSER__MAX_MEMORY_MB": "600", "LYRA_BROWSER__QUIET_S": "0.2"}
    with connect(tmp_path, **ON_LOOPBACK, **limits) as face:
        task = face.call("create_task", query="Is it an app?")["task_id"]
        answer = face.search(task, f"{site}/hoard")
        status = face.call("get_status", task_id=task)

    (problem,) = answer["problems"]
    assert problem == (
        f"{site}/hoard too_large: The page made the browser take more memory than 600 MB (browser.max_memory_mb)."
    )
    assert [one["pages_fetched"] for one in status["searches"]] == [0]
