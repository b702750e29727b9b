"""A search is a durable job: it outlives the call, the client's patience, the connection and the process."""

import threading
from pathlib import Path
from typing import Any

import anyio
import apsw
import pytest

from simweb import Fault, SimWeb
from tests.e2e.conftest import SMALL_READER

QUERY = "saxagliptin heart failure hospitalisation"
QUICK = {**SMALL_READER, "LYRA_ACADEMIC__RESULTS_PER_QUERY": "1"}
# One page after another, so that two runs read them in the same order; a short lease, so that nobody waits for it.
ORDERLY = {**QUICK, "LYRA_NETWORK__CONCURRENCY": "1", "LYRA_JOBS__LEASE_S": "1"}


def ask(data_dir: Path, sql: str) -> list[Any]:
    connection = apsw.Connection(str(data_dir / "lyra.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()


def graph(data_dir: Path) -> dict[str, list[Any]]:
    """What was found, without the random ids of its task and search; lists, so that a duplicate shows."""
    return {
        "pages": sorted(ask(data_dir, "select url, content_hash from pages")),
        "fragments": sorted(
            ask(data_dir, "select p.url, f.position, f.text_hash from fragments f join pages p on p.id = f.page_id")
        ),
        "claims": sorted(ask(data_dir, "select claim_text, is_hypothesis from claims")),
        "mentions": sorted(
            ask(
                data_dir,
                "select c.claim_text, m.fragment_id, m.char_start, m.quote from claim_mentions m"
                " join claims c on c.id = m.claim_id",
            )
        ),
        "judged": sorted(
            ask(data_dir, "select c.claim_text, e.source_id from edges e join claims c on c.id = e.target_id")
        ),
        "cites": sorted(ask(data_dir, "select source_id, target_id from edges where relation = 'cites'")),
        "candidates": sorted(
            ask(data_dir, "select url, state from serp_items where state in ('fetched', 'reused', 'abstract')")
        ),
    }


def begin(face: Any, **options: Any) -> tuple[str, str]:
    """A task with a search that has begun."""
    config = {"hypotheses": [{"text": "Saxagliptin increases hospitalisation for heart failure."}]}
    task = face.call("create_task", query="Does saxagliptin cause heart failure?", config=config)["task_id"]
    answer = face.call("search", task_id=task, query=QUERY, options={"wait_seconds": 0, "max_pages": 3, **options})
    assert (answer["status"], answer["pages_fetched"]) == ("running", 0)
    return task, answer["search_id"]


def until_pages(face: Any, task: str, search: str, pages: int) -> None:
    """Long-poll until so many pages were read, while the search goes on."""
    row = {"pages_fetched": 0, "status": "running"}
    while row["pages_fetched"] < pages:
        assert row["status"] == "running"
        searches = face.call("get_status", task_id=task, wait_seconds=30)["searches"]
        row = next(one for one in searches if one["id"] == search)


@pytest.fixture(scope="module")
def undisturbed(connect: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """The graph of a search that nobody disturbed."""
    data_dir = tmp_path_factory.mktemp("undisturbed")
    with connect(data_dir, **ORDERLY) as face:
        task, search = begin(face)
        face.ended(task, search)
    return graph(data_dir)


def test_killed_in_the_middle_a_search_goes_on_elsewhere(
    connect: Any, web: SimWeb, tmp_path: Path, undisturbed: dict[str, list[Any]]
) -> None:
    """kill −9 after the first page: the next server ends the search, and the graph is that of an undisturbed run."""
    with connect(tmp_path, **ORDERLY) as face:
        task, search = begin(face)
        until_pages(face, task, search, 1)
        face.kill()

    with connect(tmp_path, **ORDERLY) as face:
        row = face.ended(task, search)

    assert row["pages_fetched"] == 3
    assert row["status"] in {"satisfied", "partial"}
    assert graph(tmp_path) == undisturbed
    assert ask(tmp_path, "select attempts, state from jobs") == [(2, "done")]
    assert ask(tmp_path, "pragma integrity_check") == [("ok",)]
    assert ask(tmp_path, "pragma foreign_key_check") == []


def test_hanging_up_in_the_middle_gives_the_search_back(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """A client that closes stdin leaves the job queued, its start uncounted, for whoever comes next."""
    with connect(tmp_path, **QUICK) as face:
        task, search = begin(face)
        until_pages(face, task, search, 1)

    left = ask(tmp_path, "select state, attempts, (select owner from leases where name = 'job:' || jobs.id) from jobs")
    with connect(tmp_path, **QUICK) as face:
        row = face.ended(task, search)

    assert left == [("queued", 0, None)]
    assert row["pages_fetched"] == 3


def test_cancelling_the_call_leaves_the_search_running(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """The call is cancelled, the work is not: it ends as if somebody had waited."""
    with connect(tmp_path, **SMALL_READER) as face:
        task = face.call("create_task", query="What do gliptins cost?")["task_id"]
        heard = threading.Event()

        async def impatient() -> bool:
            with anyio.CancelScope() as scope:

                async def leave(*_: object) -> None:
                    heard.set()
                    scope.cancel()

                await face.client.call_tool(
                    "search",
                    {"task_id": task, "query": "gliptin tablets cost at the pharmacy", "options": {"max_pages": 1}},
                    progress_callback=leave,
                )
            return scope.cancelled_caught

        was_cancelled = face.portal.call(impatient)
        (search,) = face.call("get_status", task_id=task)["searches"]
        row = face.ended(task, search["id"])

    assert (was_cancelled, heard.is_set()) == (True, True)
    assert row["pages_fetched"] == 1


def test_stopping_the_task_cancels_what_runs(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """stop_task ends the search at once, and nothing that was under way brings it back to life."""
    web.faults.set("*.gov", Fault("slow", delay_s=2.0))

    with connect(tmp_path, **QUICK) as face:
        task, search = begin(face)
        until_pages(face, task, search, 1)
        stopped = face.call("stop_task", task_id=task, reason="user_cancelled")
        status = face.call("get_status", task_id=task, wait_seconds=2)
        again = face.search(task, "https://www.hillcrest-diabetes.com/guides/starting-a-gliptin")
        rows = {row["id"]: row["status"] for row in face.call("get_status", task_id=task)["searches"]}

    assert stopped["final_status"] == "cancelled"
    assert stopped["summary"]["unsatisfied_queries"] == [QUERY]
    assert [(row["status"], row["reason"]) for row in status["searches"]] == [("cancelled", "the task was stopped")]
    assert again["pages_fetched"] == 1
    assert rows[search] == "cancelled"
    assert sorted(ask(tmp_path, "select state from jobs")) == [("cancelled",), ("done",)]


def test_a_dead_inference_process_is_replaced(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """The server does not fall with its inference process: the next call starts another."""
    with connect(tmp_path) as face:
        face.call("create_task", query="q", config={"hypotheses": [{"text": "Saxagliptin causes heart failure."}]})
        face.call("vector_search", query="heart failure")
        (inference,) = face.process.children()
        inference.kill()
        answer = face.call("vector_search", query="心不全のリスク")
        (another,) = face.process.children()

    assert answer["results"] == []
    assert another.pid != inference.pid
    assert not another.is_running()
