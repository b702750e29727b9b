"""Putting one server's entry into the text of a configuration file; everything else in it keeps its value."""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from lyra.connect.clients import Form

_HEADER = re.compile(r"\s*\[")


class Unfit(ValueError):
    """The text cannot be edited safely; the words say why."""


def put(text: str, form: Form, section: str, name: str, entry: Mapping[str, Any]) -> str:
    """The text with `entry` as server `name`; the same text where it says so already.

    Fields that the user added to an earlier entry stay. Raises Unfit where the text is not valid.
    """
    known = _read(text, form)
    servers = known.get(section, {})
    if not isinstance(servers, dict) or not isinstance(servers.get(name, {}), dict):
        raise Unfit(f"{section} in it is not a group of servers")
    earlier = servers.get(name)
    wanted = {**(earlier or {}), **entry}
    if wanted == earlier:
        return text
    expected = {**known, section: {**servers, name: wanted}}
    if form is Form.JSON:
        return json.dumps(expected, indent=2, ensure_ascii=False) + "\n"
    edited = _put_table(text, f"{section}.{name}", wanted)
    if _read_or_none(edited, form) != expected:
        raise Unfit(f"{section}.{name} in it is written in a way that cannot be changed without harm")
    return edited


def snippet(form: Form, section: str, name: str, entry: Mapping[str, Any]) -> str:
    """What a user would paste into an empty file."""
    return put("", form, section, name, entry)


def _read(text: str, form: Form) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        found = json.loads(text, object_pairs_hook=_without_doubles) if form is Form.JSON else tomllib.loads(text)
    except (ValueError, RecursionError) as exc:
        raise Unfit(f"it is not valid {form.value.upper()} ({exc})") from exc
    if not isinstance(found, dict):
        raise Unfit("it does not hold an object")
    return found


def _read_or_none(text: str, form: Form) -> dict[str, Any] | None:
    try:
        return _read(text, form)
    except Unfit:
        return None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; one that names a key twice would lose a value when written again."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _put_table(text: str, dotted: str, values: Mapping[str, Any]) -> str:
    """TOML with the table `dotted` replaced where it stands, else at the end; comments elsewhere stay."""
    table = [f"[{dotted}]", *(f"{_toml(key)} = {_toml_value(value)}" for key, value in values.items())]
    lines = text.splitlines()
    own = [number for number, line in enumerate(lines) if _belongs(line, dotted)]
    if not own:
        before = text.rstrip("\n") + "\n\n" if text.strip() else ""
        return before + "\n".join(table) + "\n"
    kept: list[str] = []
    inside = False
    for number, line in enumerate(lines):
        if _HEADER.match(line):
            inside = number in own
        if number == own[0]:
            kept += [*table, ""]
        if not inside:
            kept.append(line)
    return "\n".join(kept).rstrip("\n") + "\n"


def _belongs(line: str, dotted: str) -> bool:
    """Whether the line is the head of the table or of one below it."""
    return re.match(rf"\s*\[\s*{re.escape(dotted)}\s*[\].]", line) is not None


def _toml(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(key)} = {_toml_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml_value(item) for item in value) + "]"
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
