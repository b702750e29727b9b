"""Wrong input reaches the client as a typed error, in both protocol eras, and changes nothing."""

from collections.abc import Iterator
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

UNKNOWN = "task_0123456789ab"


@pytest.fixture(scope="module", params=["auto", "legacy"])
def face(request: pytest.FixtureRequest, connect: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with connect(tmp_path_factory.mktemp("refusals"), mode=request.param) as face:
        yield face


@pytest.fixture(scope="module")
def task_id(face: Any) -> str:
    return str(face.call("create_task", query="Are DPP-4 inhibitors safe with insulin?")["task_id"])


@pytest.mark.parametrize("malformed", [UNKNOWN, "", "task_1", "../../etc/passwd", "'; drop table tasks; --", "タスク"])
@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("get_status", {}),
        ("stop_task", {}),
        ("search", {"query": "saxagliptin heart failure"}),
        ("vector_search", {"query": "saxagliptin heart failure"}),
    ],
    ids=["get_status", "stop_task", "search", "vector_search"],
)
def test_unknown_or_malformed_task(face: Any, tool: str, more: dict[str, Any], malformed: str) -> None:
    """Whatever is no task's id is TASK_NOT_FOUND, with what to do about it."""
    answer = face.refused(tool, task_id=malformed, **more)

    assert (answer["error_code"], answer["retryable"]) == ("TASK_NOT_FOUND", False)
    assert "create_task" in answer["remedy"]
    assert answer["_lyra_meta"] == {"unverified_domains": [], "blocked_domains": [], "security_warnings": []}


@pytest.mark.parametrize(
    ("tool", "arguments", "about"),
    [
        ("create_task", {}, "query"),
        ("create_task", {"query": ""}, "query"),
        ("create_task", {"query": "  \u200b\n "}, "query"),
        ("create_task", {"query": "x" * 3_000_000}, "3000000 characters"),
        ("create_task", {"query": "糖" * 2_001}, "2001 characters"),
        ("create_task", {"query": 7}, "query"),
        ("create_task", {"query": "q", "budget": 5}, "budget"),
        ("create_task", {"query": "q", "config": {"budget": {"max_pages": 0}}}, "max_pages"),
        ("create_task", {"query": "q", "config": {"hypotheses": [{"text": ""}]}}, "text"),
        ("create_task", {"query": "q", "config": {"hypotheses": [{"text": "x" * 9_000}]}}, "hypotheses"),
        ("create_task", {"query": "q", "k" * 3_000_000: 1}, "kkkk"),
        ("get_status", {"task_id": UNKNOWN, "wait_seconds": -1}, "wait_seconds"),
        ("get_status", {"task_id": UNKNOWN, "wait_seconds": "long"}, "wait_seconds"),
        ("get_status", {}, "task_id"),
        ("query_graph", {"sql": ""}, "sql"),
        ("query_graph", {"sql": "select 1", "options": {"limit": 201}}, "limit"),
        ("query_graph", {"sql": "select 1", "options": {"timeout_ms": 9999}}, "timeout_ms"),
        ("query_graph", {"sql": f"select '{'x' * 3_000_000}'"}, "characters"),
        ("query_graph", {"sql": "select no_such_column from claims"}, "no_such_column"),
        ("vector_search", {"query": " "}, "query"),
        ("vector_search", {"query": "q", "target": "pages"}, "target"),
        ("vector_search", {"query": "q", "top_k": 51}, "top_k"),
        ("vector_search", {"query": "q", "min_similarity": 1.5}, "min_similarity"),
        ("no_such_tool", {}, "no_such_tool"),
        ("t" * 100_000, {}, "tttt"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_wrong_arguments(face: Any, tool: str, arguments: dict[str, Any], about: str) -> None:
    """Bad arguments are answered as INVALID_PARAMS that names the culprit, and stay small however large they are."""
    answer = face.refused(tool, **arguments)

    assert (answer["error_code"], answer["retryable"]) == ("INVALID_PARAMS", False)
    assert about in answer["error"]
    assert len(str(answer)) < 2_000


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        ({"query": ""}, "query"),
        ({"query": "x" * 10_000_000}, "10000000 characters"),
        ({"query": "q", "options": {"engines": ["altavista"]}}, "altavista"),
        ({"query": "q", "options": {"engines": []}}, "engines"),
        ({"query": "q", "options": {"sources": ["gossip"]}}, "sources"),
        ({"query": "q", "options": {"sources": ["library"]}}, "library"),
        ({"query": "q", "options": {"claim_ids": ["c_0123456789abcdef"], "refute": True}}, "c_0123456789abcdef"),
        ({"query": "q", "options": {"max_pages": 0}}, "max_pages"),
        ({"query": "q", "options": {"wait_seconds": -1}}, "wait_seconds"),
        ({"query": "q", "options": {"refut": True}}, "refut"),
        ({"query": "q", "options": {"extend_budget": {"pages": -5}}}, "pages"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_wrong_search(face: Any, task_id: str, arguments: dict[str, Any], about: str) -> None:
    """A search that cannot be meant is refused before it is queued."""
    answer = face.refused("search", task_id=task_id, **arguments)

    searches = face.call("get_status", task_id=task_id)["searches"]
    assert answer["error_code"] == "INVALID_PARAMS"
    assert about in answer["error"]
    assert searches == []


def test_a_request_of_twenty_megabytes_is_refused_unread(face: Any) -> None:
    """What nobody could mean is not even held in memory; the client is told at once."""
    with pytest.raises(MCPError, match="larger than 16 MB; nothing was done"):
        face.result("create_task", query="x" * 20_000_000)


def test_the_server_is_well_after_all_this(face: Any, task_id: str) -> None:
    """Nothing of the above was kept: one task, no search, and the next call works."""
    rows = face.rows("select query, status from tasks")

    assert rows == [{"query": "Are DPP-4 inhibitors safe with insulin?", "status": "created"}]
