"""The one boundary of every call: validation, typed errors, the allow-list and the size of answers."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

import pytest
from pydantic import Field

from lyra.answers.answer import Answer
from lyra.app import Lyra
from lyra.errors import AllEnginesBlocked, LyraError, TaskNotFound
from lyra.mcp.boundary import Boundary, shorten
from lyra.mcp.inputs import Input
from lyra.mcp.tool import CallContext, Tool
from lyra.model.injection import AnswerWarning, AnswerWarnings, InjectionKind, SecurityWarning, Severity

NOTHING = {"unverified_domains": [], "blocked_domains": [], "security_warnings": []}


class Asked(Input):
    words: str = Field(min_length=1)
    count: int = Field(1, ge=1, le=9)


class Told(Answer):
    echo: str | None = None
    lines: list[str] | None = None


class Wider(Told):
    secret: str = "/home/somebody/.ssh/id_ed25519"


async def _silence(done: float, total: float | None, message: str) -> None:
    raise AssertionError("nothing is told here")


def boundary(answer: Callable[[CallContext, Any], Awaitable[Answer]], *, max_answer_bytes: int = 24_000) -> Boundary:
    tool = Tool("echo", "Echo", "Says it again.", Asked, Told, answer)
    return Boundary(cast(Lyra, None), (tool,), max_answer_bytes=max_answer_bytes)


async def call(answer: Callable[[CallContext, Any], Awaitable[Answer]], **arguments: Any) -> dict[str, Any]:
    return await boundary(answer).call("echo", arguments, _silence)


async def _echo(_: CallContext, given: Asked) -> Answer:
    return Told(echo=given.words * given.count)


async def _wider(_: CallContext, given: Asked) -> Answer:
    return Wider(echo=given.words)


def _raising(error: Exception) -> Callable[[CallContext, Any], Awaitable[Answer]]:
    async def fail(_: CallContext, __: Any) -> Answer:
        raise error

    return fail


async def test_a_success_has_its_fields_and_no_empty_ones() -> None:
    """`ok`, the meta and what the tool gave; absent fields are left out."""
    assert await call(_echo, words="ほん", count=2) == {"ok": True, "echo": "ほんほん", "_lyra_meta": NOTHING}


async def test_invisible_characters_do_not_leave() -> None:
    """L7: tags, marks of direction and of no width are dropped from every answer."""
    assert (await call(_echo, words="a\u202eb\U000e0041\u200bc"))["echo"] == "abc"


async def test_an_answer_names_the_flagged_pages_behind_it() -> None:
    """L5: the finder is given every text as it is stored and as it leaves; what it finds stands in the meta."""
    page = SecurityWarning("p_1", "https://a.example/", InjectionKind.ORDER, Severity.MEDIUM, False, 1)
    asked: list[str] = []

    async def find(strings: Sequence[str], *, is_computed: bool = False) -> AnswerWarnings:
        asked.extend(strings)
        return AnswerWarnings((AnswerWarning(page, ()),), 1)

    tool = Tool("echo", "Echo", "Says it again.", Asked, Told, _echo)
    answer = await Boundary(cast(Lyra, None), (tool,), max_answer_bytes=24_000, find_warnings=find).call(
        "echo", {"words": "x\u200by"}, _silence
    )

    assert asked == ["x\u200by", "xy"]
    assert [row["page_id"] for row in answer["_lyra_meta"]["security_warnings"]] == ["p_1"]


async def test_only_fields_of_the_contract_leave() -> None:
    """L7: whatever a tool adds beside its contract is dropped."""
    assert await call(_wider, words="x") == {"ok": True, "echo": "x", "_lyra_meta": NOTHING}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "echo: words: Field required"),
        ({"words": "  "}, "echo: words: String should have at least 1 character"),
        ({"words": "x", "count": 10}, "echo: count: Input should be less than or equal to 9"),
        ({"words": "x", "cuont": 2}, "echo: cuont: Extra inputs are not permitted"),
    ],
)
async def test_bad_arguments_are_named(arguments: dict[str, Any], error: str) -> None:
    """A typed INVALID_PARAMS with the field and what is wrong with it."""
    answer = await call(_echo, **arguments)

    assert (answer["ok"], answer["error_code"], answer["retryable"]) == (False, "INVALID_PARAMS", False)
    assert answer["error"] == error
    assert answer["details"] == {"problems": [error.removeprefix("echo: ")]}


async def test_at_most_five_problems_are_listed() -> None:
    """A hundred wrong fields do not make a long answer."""
    answer = await call(_echo, words="x", **{f"wrong_{number}": 1 for number in range(100)})

    assert len(answer["details"]["problems"]) == 5


async def test_an_unknown_tool_is_told_the_known_ones() -> None:
    """The name comes back cut."""
    answer = await boundary(_echo).call("x" * 1000, {}, _silence)

    assert answer["error"] == f"There is no tool {'x' * 60!r}."
    assert answer["remedy"] == "Use one of: echo."


@pytest.mark.parametrize(
    ("error", "fields"),
    [
        (
            AllEnginesBlocked("Both rest.", remedy="Wait.", retry_after_s=90.0, details={"engines": {"mojeek": "403"}}),
            {
                "error_code": "ALL_ENGINES_BLOCKED",
                "error": "Both rest.",
                "retryable": True,
                "retry_after_s": 90.0,
                "remedy": "Wait.",
                "details": {"engines": {"mojeek": "403"}},
            },
        ),
        (
            TaskNotFound("task_1"),
            {
                "error_code": "TASK_NOT_FOUND",
                "error": "There is no task 'task_1'.",
                "retryable": False,
                "remedy": 'Make one with create_task; query_graph "SELECT id, query FROM tasks" lists those there are.',
                "details": {"task_id": "task_1"},
            },
        ),
        (LyraError("Odd."), {"error_code": "INTERNAL_ERROR", "error": "Odd.", "retryable": False}),
    ],
    ids=["blocked", "unknown task", "bare"],
)
async def test_typed_errors_reach_the_client_unchanged(error: LyraError, fields: dict[str, Any]) -> None:
    """Code, sentence, remedy, time and details as they were raised."""
    assert await call(_raising(error), words="x") == {"ok": False, "_lyra_meta": NOTHING, **fields}


async def test_the_unexpected_is_answered_without_its_innards() -> None:
    """A defect becomes INTERNAL_ERROR with an id to look for in the log: no message, path or trace leaves."""
    answer = await call(_raising(RuntimeError("/home/somebody/secret.db is broken")), words="x")

    assert (answer["ok"], answer["error_code"]) == (False, "INTERNAL_ERROR")
    assert re.fullmatch(r"err_[0-9a-f]{8}", answer["error_id"])
    assert answer["error_id"] in answer["remedy"]
    assert "somebody" not in json.dumps(answer)


async def test_an_answer_over_the_limit_is_cut() -> None:
    """The longest list is shortened until the answer fits, and the answer says so."""

    async def long(_: CallContext, given: Asked) -> Answer:
        return Told(echo="kept", lines=["行" * 100] * 500)

    answer = await boundary(long, max_answer_bytes=5_000).call("echo", {"words": "x"}, _silence)

    assert len(json.dumps(answer, ensure_ascii=False).encode()) <= 5_000
    assert (answer["echo"], answer["truncated"]) == ("kept", True)
    assert 5 < len(answer["lines"]) < 17


def test_what_fits_is_left_alone() -> None:
    """Nothing is marked that was not cut."""
    fields = {"ok": True, "rows": [{"a": 1}], "row_count": 1}

    assert shorten(fields, 24_000) is fields


def test_a_cut_table_counts_the_rows_that_are_left() -> None:
    """A client pages by row_count: it must not skip what was cut away."""
    answer = shorten({"ok": True, "rows": [{"a": "x" * 100}] * 100, "row_count": 100, "truncated": False}, 5_000)

    assert answer["row_count"] == len(answer["rows"])
    assert answer["truncated"] is True
    assert "OFFSET" in answer["more"]


def test_a_single_row_that_is_too_large_is_dropped() -> None:
    """An honest empty table that says it was cut, rather than an answer without bound."""
    answer = shorten({"ok": True, "rows": [{"a": "x" * 50_000}], "row_count": 1}, 24_000)

    assert (answer["rows"], answer["row_count"], answer["truncated"]) == ([], 0, True)


def test_a_tools_own_word_on_the_rest_is_kept() -> None:
    """`more` of a search names the right query; cutting further does not replace it."""
    answer = shorten({"ok": True, "claims_found": ["x" * 100] * 100, "more": "ask so"}, 5_000)

    assert answer["more"] == "ask so"
