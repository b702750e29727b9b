"""Arguments for tools, drawn from their own schemas and then damaged. Pure."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

_WORDS = (
    "heart failure",
    "",
    " ",
    "\x00",
    "\ud800",
    "'; drop table tasks; --",
    "\u202e\u200b",
    "task_x",
    "../" * 40,
    "9" * 5000,
)
_NUMBERS = (0, 1, -1, 2**31, 2**63, -(2**63), 1e308, 0.5, True)
_ODD: tuple[Any, ...] = (None, *_WORDS, *_NUMBERS, [], {}, [[]], {"": None}, ["a"] * 2000)
_SQL = (
    "select * from tasks",
    "select",
    "with recursive a as (select 1) select * from a",
    "pragma x",
    "select json('{')",
)


def arguments(chance: random.Random, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Values for the properties of a tool's schema: mostly of their type, some odd, some missing, some unknown."""
    required = set(schema.get("required", ()))
    drawn = {
        str(name): _value(chance, one, schema)
        for name, one in schema.get("properties", {}).items()
        if name in required or chance.random() < 0.5
    }
    if drawn and chance.random() < 0.1:
        drawn.pop(chance.choice(sorted(drawn)))
    if chance.random() < 0.1:
        drawn["unknown"] = chance.choice(_ODD)
    return drawn


def _value(chance: random.Random, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    if chance.random() < 0.06:
        return chance.choice(_ODD)
    if "$ref" in schema:
        return _value(chance, root.get("$defs", {}).get(str(schema["$ref"]).rpartition("/")[2], {}), root)
    choices: Sequence[Mapping[str, Any]] = schema.get("anyOf") or schema.get("oneOf") or ()
    if choices:
        return _value(chance, chance.choice(choices), root)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            known = schema.get("properties", {})
            return {name: _value(chance, one, root) for name, one in known.items() if chance.random() < 0.3}
        case "array":
            return [_value(chance, schema.get("items", {}), root) for _ in range(chance.randint(0, 3))]
        case "integer" | "number":
            return chance.choice(_NUMBERS) if chance.random() < 0.3 else chance.randint(1, 20)
        case "boolean":
            return chance.random() < 0.5
    return chance.choice((*_WORDS, *_SQL))
