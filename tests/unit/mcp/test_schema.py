"""Schemas small enough for a client's context, and still true."""

import json
from typing import Any

import pytest

from lyra.mcp.contracts import CreateTaskIn, SearchIn
from lyra.mcp.schema import compact, shallow
from lyra.mcp.server import TOOLS, describe

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
    described = describe(tool)

    assert keys_of([described.input_schema, described.output_schema]) & {"title", "$ref", "$defs"} == set()


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_every_tool_says_what_it_takes_and_gives(tool: Any) -> None:
    """Unknown arguments are refused by the schema too; every answer has `ok` and the error fields."""
    described = describe(tool)

    assert described.input_schema["additionalProperties"] is False
    assert described.output_schema["required"] == ["ok"]
    assert {"ok", "error_code", "error", "retryable", "remedy", "_lyra_meta"} <= set(
        described.output_schema["properties"]
    )


def test_limits_and_choices_survive_the_slimming() -> None:
    """What the client may pass is told in the schema: ranges, enumerations, nested options."""
    options = compact(SearchIn)["properties"]["options"]["properties"]

    assert options["max_pages"] == {"type": "integer", "minimum": 1, "maximum": 1000}
    assert options["sources"]["items"] == {"enum": ["web", "academic"], "type": "string"}
    assert options["extend_budget"]["properties"]["pages"]["maximum"] == 10_000


def test_a_field_called_title_would_stay() -> None:
    """Only the schema's own titles go, not a property of that name."""
    hypotheses = compact(CreateTaskIn)["properties"]["config"]["properties"]["hypotheses"]

    assert list(hypotheses["items"]["properties"]) == ["text", "expected_polarity", "granularity"]
    assert hypotheses["items"]["required"] == ["text"]


def test_output_schemas_are_one_level_deep() -> None:
    """Top fields with their types; the inside of objects stays open."""
    schema = shallow(type(TOOLS[0].gives()))

    assert schema["properties"]["budget"] == {"type": "object"}
    assert schema["properties"]["claims"] == {"type": "array", "items": {"type": "string"}}


def test_the_tools_take_no_more_than_twelve_may() -> None:
    """10 KB for names, descriptions and input schemas of all tools, 24 KB with output schemas."""
    described = [describe(tool) for tool in TOOLS]

    taken = sum(len(one.name) + len(one.description or "") + len(json.dumps(one.input_schema)) for one in described)
    given = sum(len(json.dumps(one.output_schema)) for one in described)

    assert taken <= 10_000
    assert taken + given <= 24_000
