"""JSON schemas small enough for a client's context: no titles, no references, one level of nulls."""

from typing import Any

from pydantic import BaseModel


def compact(model: type[BaseModel]) -> dict[str, Any]:
    """The model's schema with definitions inlined and everything a reader can do without removed."""
    schema = model.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs", {})
    compacted = _slim(schema, definitions)
    assert isinstance(compacted, dict)
    return compacted


def shallow(model: type[BaseModel]) -> dict[str, Any]:
    """An output schema that names every top field and its type, and leaves the inside of objects open."""
    schema = compact(model)
    properties = {name: _shallow_field(field) for name, field in schema["properties"].items()}
    return {"type": "object", "properties": properties, "required": ["ok"]}


def _shallow_field(field: dict[str, Any]) -> dict[str, Any]:
    kind = field.get("type")
    if kind == "array":
        item_type = field.get("items", {}).get("type")
        return {"type": "array", "items": {"type": item_type}} if item_type else {"type": "array"}
    return {"type": kind} if kind else {}


def _slim(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_slim(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _slim({**definitions[node["$ref"].rsplit("/", 1)[1]], **_without(node, "$ref")}, definitions)
    if "anyOf" in node:
        kept = [option for option in node["anyOf"] if option.get("type") != "null"]
        if len(kept) == 1:
            return _slim({**kept[0], **_without(node, "anyOf")}, definitions)
    return {key: _slim_member(key, value, definitions) for key, value in node.items() if _matters(key, value)}


def _slim_member(key: str, value: Any, definitions: dict[str, Any]) -> Any:
    if key == "properties":
        return {name: _slim(field, definitions) for name, field in value.items()}
    return _slim(value, definitions)


def _matters(key: str, value: Any) -> bool:
    is_title = key == "title" and isinstance(value, str)
    is_null_default = key == "default" and value in (None, [], {})
    return not is_title and not is_null_default and not (key == "description" and "\n" in str(value))


def _without(node: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in node.items() if name != key}
