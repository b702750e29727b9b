"""The tool list: small enough for a client's context, described, hinted and typed."""

import json
from typing import Any

import pytest

from lyra.mcp.inputs import CreateTaskIn, SearchIn
from lyra.mcp.server import TOOLS
from lyra.mcp.tool import input_schema, output_schema

IDS = [tool.name for tool in TOOLS]


def keys_of(node: Any) -> set[str]:
    if isinstance(node, dict):
        return set(node) | {key for value in node.values() for key in keys_of(value)}
    if isinstance(node, list):
        return {key for value in node for key in keys_of(value)}
    return set()


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_schemas_hold_no_titles_and_no_references(tool: Any) -> None:
    """What a reader can do without costs every conversation its context."""
    described = tool.describe()

    assert keys_of([described.input_schema, described.output_schema]) & {"title", "$ref", "$defs"} == set()


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_every_tool_says_what_it_takes_and_gives(tool: Any) -> None:
    """Unknown arguments are refused by the schema too; every answer has `ok` and the error fields."""
    described = tool.describe()

    assert described.input_schema["additionalProperties"] is False
    assert described.output_schema["required"] == ["ok"]
    assert {"ok", "error_code", "error", "retryable", "remedy", "_lyra_meta"} <= set(
        described.output_schema["properties"]
    )


def test_limits_and_choices_survive_the_slimming() -> None:
    """What the client may pass is told in the schema: ranges, enumerations, nested options."""
    options = input_schema(SearchIn)["properties"]["options"]["properties"]

    assert options["max_pages"] == {"type": "integer", "minimum": 1, "maximum": 1000}
    assert options["sources"]["items"] == {"enum": ["web", "academic"], "type": "string"}
    assert options["extend_budget"]["properties"]["pages"]["maximum"] == 10_000


def test_a_field_called_title_would_stay() -> None:
    """Only the schema's own titles go, not a property of that name."""
    hypotheses = input_schema(CreateTaskIn)["properties"]["config"]["properties"]["hypotheses"]

    assert list(hypotheses["items"]["properties"]) == ["text", "expected_polarity", "granularity"]
    assert hypotheses["items"]["required"] == ["text"]


def test_output_schemas_are_one_level_deep() -> None:
    """Top fields with their types; the inside of objects stays open."""
    schema = output_schema(type(TOOLS[0].answer_model()))

    assert schema["properties"]["budget"] == {"type": "object"}
    assert schema["properties"]["claims"] == {"type": "array", "items": {"type": "string"}}


def test_the_tools_take_no_more_than_twelve_may() -> None:
    """10 KB for names, descriptions and input schemas of all tools, 24 KB with output schemas."""
    described = [tool.describe() for tool in TOOLS]

    taken = sum(len(one.name) + len(one.description or "") + len(json.dumps(one.input_schema)) for one in described)
    given = sum(len(json.dumps(one.output_schema)) for one in described)

    assert taken <= 10_000
    assert taken + given <= 24_000


def size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


TWELVE = {
    "create_task", "get_status", "search", "stop_task", "query_graph", "vector_search", "calibrate",
    "calibrate_rollback", "get_auth_queue", "resolve_auth", "notify_user", "wait_for_user",
}  # fmt: skip


def test_there_are_twelve_tools() -> None:
    """The promise below is about all of them (SPEC §1, decision 1)."""
    assert {tool.name for tool in TOOLS} == TWELVE


def test_names_descriptions_and_inputs_take_at_most_10_kb() -> None:
    """Whatever tools are registered, this is what a model reads before it has done anything."""
    listed = [tool.describe() for tool in TOOLS]

    taken = size([[tool.name, tool.description, tool.input_schema] for tool in listed])

    assert taken <= 10_000


def test_the_whole_list_takes_at_most_24_kb_on_the_wire() -> None:
    """With titles, hints and output schemas."""
    listed = [tool.describe().model_dump(by_alias=True, mode="json", exclude_none=True) for tool in TOOLS]

    taken = size(listed)

    assert taken <= 24_000


def test_every_tool_is_described_hinted_and_typed() -> None:
    """A tool without a hint is asked about each time; one without an output schema gives no structured answer."""
    listed = [tool.describe() for tool in TOOLS]

    hints = {
        tool.name: None in tool.annotations.model_dump(include=_HINTS).values() for tool in listed if tool.annotations
    }
    outputs = {tool.name: (tool.output_schema or {}).get("required") for tool in listed}

    names = [tool.name for tool in TOOLS]
    assert hints == dict.fromkeys(names, False)
    assert outputs == {name: ["ok"] for name in names}
    assert len(names) == len(set(names))


_HINTS = {"read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint"}
