"""Blocked, failed and empty are never confused: what a client is told when sources do not answer as they should."""

from pathlib import Path
from typing import Any

import pytest

from simweb import Fault, SimWeb

DUCKDUCKGO, MOJEEK = "html.duckduckgo.com", "www.mojeek.com"
# Not academic, so that only the engines are asked.
QUERY = "gliptin tablets cost at the pharmacy"


def test_all_engines_blocked_is_an_error_with_a_time(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """A robot page from every engine is no empty result: ALL_ENGINES_BLOCKED, and when to come back.

    After two refusals the engines are left alone: the third search asks nobody.
    """
    web.faults.set(DUCKDUCKGO, Fault("challenge"))
    web.faults.set(MOJEEK, Fault("challenge"))

    with connect(tmp_path) as face:
        task = face.call("create_task", query="What do gliptins cost?")["task_id"]
        first = face.refused("search", task_id=task, query=QUERY)
        face.refused("search", task_id=task, query=QUERY)
        third = face.refused("search", task_id=task, query=QUERY)
        status = face.call("get_status", task_id=task)

    assert (first["error_code"], first["retryable"]) == ("ALL_ENGINES_BLOCKED", True)
    assert (third["error_code"], third["retryable"]) == ("ALL_ENGINES_BLOCKED", True)
    assert first["retry_after_s"] == 1800
    assert 1700 < third["retry_after_s"] <= 1800
    assert len([visit for visit in web.requests if visit.host in {DUCKDUCKGO, MOJEEK}]) == 4
    assert [row["status"] for row in status["searches"]] == ["failed"] * 3
    assert status["warnings"] == [f"search {row['id']} failed: {row['reason']}" for row in status["searches"]]


def test_a_search_that_failed_in_the_background_is_told_by_polling(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """Nobody waited for the search: its row of the status says which error it ended with, when to try again and how.

    What it has not read is unknown, not new.
    """
    web.faults.set(DUCKDUCKGO, Fault("status", status=403))
    web.faults.set(MOJEEK, Fault("status", status=403))

    with connect(tmp_path) as face:
        task = face.call("create_task", query="グリプチンの薬価はいくらか")["task_id"]
        started = face.call("search", task_id=task, query=QUERY, options={"wait_seconds": 0})
        row = face.ended(task, started["search_id"])

    assert started["status"] == "running"
    assert {"novelty_score", "error_code"} & set(started) == set()
    assert (row["status"], row["novelty_score"]) == ("failed", None)
    assert (row["error_code"], row["retryable"]) == ("ALL_ENGINES_BLOCKED", True)
    assert 1700 < row["retry_after_s"] <= 1800
    assert row["remedy"] == (
        "Try again later, or name other engines in options.engines;"
        " `lyra engines` in a terminal shows the state of each."
    )
    assert row["reason"] == "Every search engine asked refuses for now: duckduckgo, mojeek."


@pytest.mark.parametrize(
    ("fault", "word"), [(Fault("challenge"), "blocked"), (Fault("status", status=500), "failed")], ids=["robot", "500"]
)
def test_one_engine_out_of_order_leaves_the_other(
    connect: Any, web: SimWeb, tmp_path: Path, fault: Fault, word: str
) -> None:
    """The search goes on with what answers, and names what did not."""
    web.faults.set(MOJEEK, fault)

    with connect(tmp_path) as face:
        task = face.call("create_task", query="What do gliptins cost?")["task_id"]
        answer = face.search(task, QUERY, max_pages=1)
        engines = face.rows("select distinct engine from serp_items")

    assert engines == [{"engine": "duckduckgo"}]
    assert answer["pages_fetched"] == 1
    assert answer["problems"][0].startswith(f"mojeek {word}: ")


def test_engines_that_fail_are_not_engines_that_find_nothing(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """When no engine could be reached the search has failed; it did not find nothing."""
    web.faults.set(DUCKDUCKGO, Fault("status", status=500))
    web.faults.set(MOJEEK, Fault("reset"))

    with connect(tmp_path) as face:
        task = face.call("create_task", query="What do gliptins cost?")["task_id"]
        answer = face.refused("search", task_id=task, query=QUERY)

    assert (answer["error_code"], answer["retryable"]) == ("PIPELINE_ERROR", True)
    assert answer["error"] == "No search engine answered: duckduckgo, mojeek."


def test_academic_indexes_that_fail_are_not_an_empty_literature(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """The same holds for a search of the academic indexes alone."""
    web.faults.set("api.semanticscholar.org", Fault("status", status=403))
    web.faults.set("api.openalex.org", Fault("status", status=403))

    with connect(tmp_path) as face:
        task = face.call("create_task", query="Are DPP-4 inhibitors safe?")["task_id"]
        answer = face.refused(
            "search", task_id=task, query="saxagliptin heart failure", options={"sources": ["academic"]}
        )

    assert answer["error_code"] == "PIPELINE_ERROR"
    assert answer["error"] == "No academic index answered: openalex, semantic_scholar."


def test_nothing_found_is_exhausted_and_says_so(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """Engines that answer with no result end the search in good order."""
    with connect(tmp_path) as face:
        task = face.call("create_task", query="Is there a qwzzyx?")["task_id"]
        answer = face.search(task, "qwzzyx vlorbitz")

    assert (answer["status"], answer["reason"]) == ("exhausted", "the sources answered, and found nothing")
    assert (answer["claims_found"], answer["problems"], answer["pages_fetched"]) == ([], [], 0)


def test_a_spent_budget_stops_and_can_be_extended(connect: Any, web: SimWeb, tmp_path: Path) -> None:
    """One page of budget is one page; the next search is refused until the client grants more."""
    with connect(tmp_path) as face:
        config = {"budget": {"max_pages": 1, "max_seconds": 600}}
        task = face.call("create_task", query="What do gliptins cost?", config=config)["task_id"]
        spent = face.search(task, QUERY)
        refused = face.refused("search", task_id=task, query=QUERY)
        extended = face.search(task, QUERY, extend_budget={"pages": 1})
        budget = face.call("get_status", task_id=task)["budget"]

    assert (spent["pages_fetched"], spent["reason"]) == (1, "the task's budget of 1 pages is used up")
    assert spent["budget_remaining"]["pages"] == 0
    assert (refused["error_code"], refused["retryable"]) == ("BUDGET_EXHAUSTED", False)
    assert "extend_budget" in refused["remedy"]
    assert (extended["pages_fetched"], extended["reason"]) == (1, "the task's budget of 2 pages is used up")
    assert (budget["pages_used"], budget["pages_limit"], budget["remaining_percent"]) == (2, 2, 0)
