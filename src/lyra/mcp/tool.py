"""What a tool is, and how clients see it.

Schemas have no titles, references and nulls, so that they stay small, and only what the APIs of all models understand:
Gemini's refuse `additionalProperties` and `exclusiveMinimum`, which are checked in every call all the same.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mcp_types as types
from pydantic import BaseModel

from lyra.answers.answer import Answer
from lyra.mcp.inputs import Input
from lyra.model.person import Role

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.research.searches import Progress

_NOT_PORTABLE = frozenset({"additionalProperties", "exclusiveMinimum"})


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a tool needs besides its arguments; `elapsed_s` is how long its client has waited already."""

    lyra: "Lyra"
    progress: "Progress"
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Tool:
    """A named function of the server; `handler` takes a valid `input_model` and returns an `answer_model`.

    `needs` is the least role that may call it on a shared server.
    """

    name: str
    title: str
    description: str
    input_model: type[Input]
    answer_model: type[Answer]
    handler: Callable[[CallContext, Any], Awaitable[Answer]]
    needs: Role = Role.READER
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False
    is_open_world: bool = False

    def describe(self) -> types.Tool:
        """The tool as the client sees it."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=input_schema(self.input_model),
            output_schema=output_schema(self.answer_model),
            annotations=types.ToolAnnotations(
                read_only_hint=self.is_read_only,
                destructive_hint=self.is_destructive,
                idempotent_hint=self.is_idempotent,
                open_world_hint=self.is_open_world,
            ),
        )


def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The model's schema with definitions inlined and everything a reader can do without removed."""
    schema = model.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs", {})
    compacted = _compact(schema, definitions)
    assert isinstance(compacted, dict)
    return compacted


def output_schema(model: type[BaseModel]) -> dict[str, Any]:
    """A schema that names every top field and its type, and leaves the inside of objects open."""
    schema = input_schema(model)
    properties = {name: _outline(field) for name, field in schema["properties"].items()}
    return {"type": "object", "properties": properties, "required": ["ok"]}


def _outline(field: dict[str, Any]) -> dict[str, Any]:
    """A field's type, that of its items, and what it says."""
    outline: dict[str, Any] = {name: value for name, value in field.items() if name in ("type", "description")}
    if field.get("type") == "array":
        outline["items"] = {"type": field["items"]["type"]}
    return outline


def _compact(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_compact(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _compact({**definitions[node["$ref"].rsplit("/", 1)[1]], **_without(node, "$ref")}, definitions)
    if "anyOf" in node:
        kept = [option for option in node["anyOf"] if option.get("type") != "null"]
        if len(kept) == 1:
            return _compact({**kept[0], **_without(node, "anyOf")}, definitions)
    return {key: _compact_member(key, value, definitions) for key, value in node.items() if _matters(key, value)}


def _compact_member(key: str, value: Any, definitions: dict[str, Any]) -> Any:
    if key == "properties":
        return {name: _compact(field, definitions) for name, field in value.items()}
    return _compact(value, definitions)


def _matters(key: str, value: Any) -> bool:
    if key in _NOT_PORTABLE:
        return False
    is_title = key == "title" and isinstance(value, str)
    is_null_default = key == "default" and value in (None, [], {})
    return not is_title and not is_null_default and not (key == "description" and "\n" in str(value))


def _without(node: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in node.items() if name != key}
