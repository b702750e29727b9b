"""How model values are written in columns and read back."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from lyra.clock import parse_stamp, stamp


def moment(text: Any) -> datetime:
    """The time in a column that is never null."""
    return parse_stamp(str(text))


def moment_or_none(text: Any) -> datetime | None:
    return None if text is None else parse_stamp(str(text))


def stamp_or_none(value: datetime | None) -> str | None:
    return None if value is None else stamp(value)


def to_json(value: Iterable[Any] | Mapping[str, Any]) -> str:
    """Compact JSON; tuples become lists, Japanese stays readable."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def ids_json(ids: Iterable[str]) -> str:
    """A list of ids as the parameter of `in (select value from json_each(?))`."""
    return json.dumps(list(ids))


def strings(text: Any) -> tuple[str, ...]:
    """A JSON list of strings."""
    return tuple(str(item) for item in json.loads(text))
