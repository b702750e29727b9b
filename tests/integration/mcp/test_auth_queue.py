"""The auth queue through its tools: a long one is bounded, with a true word on the rest; a word needs a site."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from lyra.app import Lyra
from lyra.fetch.sessions import SessionStore
from lyra.mcp.boundary import Boundary
from lyra.mcp.tools.handoff import TOOLS
from lyra.model.handoff import Handoff
from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.research.searches import no_progress
from lyra.settings import load
from lyra.storage import handoffs, searches, tasks

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TASK = "task_000000000001"


async def fill(lyra: Lyra, count: int) -> None:
    await lyra.db.write(tasks.insert, Task(TASK, "心不全", TaskStatus.EXPLORING, NOON, Budget()))
    await lyra.db.write(searches.insert, Search("s_1", TASK, "q", SearchOptions(), SearchStatus.PARTIAL, NOON))
    for number in range(count):
        url, when = f"https://journal{number}.example.org/論文", NOON + timedelta(seconds=number)
        priority = "high" if number == count - 1 else "normal"
        item = Handoff(f"auth_{number}", TASK, "s_1", f"journal{number}.org", url, "captcha", when, priority, "captcha")
        await lyra.db.write(handoffs.insert, item)


async def test_a_long_queue_is_cut_after_the_most_urgent(tmp_path: Path) -> None:
    """The late item of high priority leads, the count is whole, and nobody is sent to query_graph, which cannot see
    the queue."""
    async with Lyra.open(load({"data_dir": tmp_path}, environ={})) as lyra:
        await fill(lyra, 60)
        boundary = Boundary(lyra, TOOLS, max_answer_bytes=24_000)
        answer = await boundary.call("get_auth_queue", {}, no_progress)

    assert (answer["total_pending"], len(answer["queue"]), answer["truncated"]) == (60, 40, True)
    assert [item["id"] for item in answer["queue"][:2]] == ["auth_59", "auth_0"]
    assert answer["more"] == (
        "These are the 40 most urgent. Narrow by task_id or options.priority_filter, or group_by domain; what is "
        "decided makes room for the next. In a terminal: lyra auth list."
    )


async def test_a_short_queue_is_whole(tmp_path: Path) -> None:
    """Nothing is said of a rest that is not there."""
    async with Lyra.open(load({"data_dir": tmp_path}, environ={})) as lyra:
        await fill(lyra, 40)
        boundary = Boundary(lyra, TOOLS, max_answer_bytes=24_000)
        answer = await boundary.call("get_auth_queue", {}, no_progress)

    assert (len(answer["queue"]), "truncated" in answer, "more" in answer) == (40, False, False)


async def test_a_word_on_a_public_suffix_is_refused(tmp_path: Path) -> None:
    """Its cookies are not kept either: it is no site that could have given them."""
    session = {"cookies": [{"name": "sid", "value": "1"}]}
    data = {"domain": "co.uk", "status": "resolved", "session_data": session}
    async with Lyra.open(load({"data_dir": tmp_path}, environ={})) as lyra:
        boundary = Boundary(lyra, TOOLS, max_answer_bytes=24_000)
        answer = await boundary.call("resolve_auth", {"target": "domain", "data": data}, no_progress)
        kept = await SessionStore(lyra.settings.sessions_dir, lyra.clock).domains()

    assert {name: value for name, value in answer.items() if name != "_lyra_meta"} == {
        "ok": False,
        "error_code": "INVALID_PARAMS",
        "error": "'co.uk' is not the domain of a site: sites are registered below it.",
        "retryable": False,
        "remedy": "Give the site's own domain, as get_auth_queue shows it.",
    }
    assert kept == ()
