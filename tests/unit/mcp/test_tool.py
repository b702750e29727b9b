"""The tool list: small enough for a client's context, described, hinted, typed, and portable between clients."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from lyra.mcp.inputs import CreateTaskIn, SearchIn
from lyra.mcp.server import TOOLS
from lyra.mcp.tool import input_schema, output_schema

IDS = [tool.name for tool in TOOLS]


# What the APIs of OpenAI and Gemini both take in the parameters of a function.
PORTABLE = {
    "type", "description", "properties", "required", "items", "enum", "default",
    "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
}  # fmt: skip


def schemas_in(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The schema itself and those of its properties and items, each with its place."""
    yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from schemas_in(inner, f"{path}.{name}")
    if "items" in schema:
        yield from schemas_in(schema["items"], f"{path}[]")


def taken_by(tool: Any) -> list[tuple[str, dict[str, Any]]]:
    return list(schemas_in(tool.describe().input_schema))


def given_by(tool: Any) -> list[tuple[str, dict[str, Any]]]:
    return list(schemas_in(tool.describe().output_schema))


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_schemas_have_only_what_every_client_understands(tool: Any) -> None:
    """No unions, references or titles, which some clients refuse and all conversations would pay for."""
    keywords = {keyword for _, schema in (*taken_by(tool), *given_by(tool)) for keyword in schema}

    assert keywords - PORTABLE == set()


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_every_argument_has_one_type(tool: Any) -> None:
    """OpenAI- and Gemini-style clients refuse a list of types, and an enumeration without its type."""
    types_ = {path: schema.get("type") for path, schema in taken_by(tool)}

    known = ("object", "array", "string", "number", "integer", "boolean")
    assert {path: type_ for path, type_ in types_.items() if type_ not in known} == {}


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_every_array_has_items_and_every_object_properties(tool: Any) -> None:
    """Without them a whole tool list is refused; answers may leave the inside of objects open."""
    arrays = [path for path, schema in (*taken_by(tool), *given_by(tool)) if schema.get("type") == "array"]
    with_items = [path for path, schema in (*taken_by(tool), *given_by(tool)) if "items" in schema]
    objects = [path for path, schema in taken_by(tool) if schema["type"] == "object"]
    with_properties = [path for path, schema in taken_by(tool) if schema.get("properties")]

    assert with_items == arrays
    assert with_properties == objects


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_every_argument_is_described(tool: Any) -> None:
    """Nested ones too; items of an array are described by the array."""
    arguments = [(path, schema) for path, schema in taken_by(tool) if path and not path.endswith("[]")]

    assert [path for path, schema in arguments if not schema.get("description")] == []


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_every_answer_has_the_error_fields(tool: Any) -> None:
    """A client finds what went wrong in the same place in every answer."""
    given = tool.describe().output_schema

    assert given["required"] == ["ok"]
    assert {"ok", "error_code", "error", "retryable", "remedy", "_lyra_meta"} <= set(given["properties"])


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_every_field_of_an_answer_has_a_type(tool: Any) -> None:
    """Clients make types of their own from it."""
    types_ = {path: schema.get("type") for path, schema in given_by(tool)}

    known = ("object", "array", "string", "number", "integer", "boolean")
    assert {path: type_ for path, type_ in types_.items() if type_ not in known} == {}


def test_limits_and_choices_survive_the_slimming() -> None:
    """What the client may pass is told in the schema: ranges, enumerations, nested options."""
    options = input_schema(SearchIn)["properties"]["options"]["properties"]

    limits = {name: options["max_pages"][name] for name in ("type", "minimum", "maximum")}
    assert limits == {"type": "integer", "minimum": 1, "maximum": 1000}
    assert options["sources"]["items"] == {"enum": ["web", "academic", "library", "registries"], "type": "string"}
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


def size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


TWELVE = {
    "create_task", "get_status", "search", "stop_task", "query_graph", "vector_search", "calibrate",
    "calibrate_rollback", "get_auth_queue", "resolve_auth", "notify_user", "wait_for_user",
}  # fmt: skip


def test_there_are_twelve_tools() -> None:
    """The promise below is about all of them (SPEC §1, decision 1)."""
    assert {tool.name for tool in TOOLS} == TWELVE


def test_the_list_without_outputs_takes_at_most_14_kb() -> None:
    """Whatever tools are registered, a model reads this before it has done anything: names, titles, descriptions,
    inputs, hints, and what wraps them."""
    listed = [tool.describe().model_dump(by_alias=True, mode="json", exclude_none=True) for tool in TOOLS]

    taken = size({"tools": [{name: tool[name] for name in tool if name != "outputSchema"} for tool in listed]})

    assert taken <= 14_000


def test_the_whole_list_takes_at_most_28_kb_on_the_wire() -> None:
    """With titles, hints and output schemas."""
    listed = [tool.describe().model_dump(by_alias=True, mode="json", exclude_none=True) for tool in TOOLS]

    taken = size(listed)

    assert taken <= 28_000


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
