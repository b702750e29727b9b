"""Sets a server's entry in a client's configuration in place: comments, order and spacing of all else stay."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import tomlkit
import yaml

from lyra.connect import jsonc, toml_text, yaml_text
from lyra.connect.clients import ClientConfig, ConfigFormat


class ConfigNotEditable(ValueError):
    """The text cannot be edited safely; `why` is the end of a sentence about the file."""

    def __init__(self, why: str) -> None:
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class _Language:
    """How a format is read and written, and how the server's entry is put into a text of it."""

    read: Callable[[str], Any]
    dump: Callable[[Any], str]
    put: Callable[[str, str, str, Mapping[str, Any], bool], str]
    errors: tuple[type[Exception], ...] = field(default=(ValueError, RecursionError))


_LANGUAGES = {
    ConfigFormat.JSON: _Language(jsonc.read, jsonc.dump, jsonc.put_server),
    ConfigFormat.TOML: _Language(tomllib.loads, tomlkit.dumps, toml_text.put_server),
    ConfigFormat.YAML: _Language(
        yaml_text.read, yaml_text.dump, yaml_text.put_server, (ValueError, RecursionError, yaml.YAMLError)
    ),
}


def set_server_entry(text: str, kind: ClientConfig, name: str, entry: Mapping[str, Any]) -> str:
    """The text with `entry` as server `name`; the same text where it has that entry already.

    Fields and variables that the user added to an earlier entry stay. Raises ConfigNotEditable where the text is not
    valid, or where the edited text, read again, would differ in anything else.
    """
    language = _LANGUAGES[kind.form]
    known = _read(text, kind)
    servers = known.get(kind.section)
    earlier = _earlier(servers, name, kind)
    wanted = _merged(earlier, entry, kind.defaults)
    if wanted == earlier:
        return text
    expected = {**known, kind.section: _with_entry(servers, name, wanted, kind)}
    if not text.strip() and kind.new_file:
        expected = {**kind.new_file, **expected}
        text = language.dump(dict(kind.new_file))
    try:
        edited = language.put(text, kind.section, name, wanted, kind.is_list)
        found = language.read(edited)
    except language.errors:
        found = None
    if found != expected:
        raise ConfigNotEditable(why=f"{kind.section} in it is written in a way that cannot be changed without harm")
    return edited


def server_entry(text: str, kind: ClientConfig, name: str) -> dict[str, Any]:
    """The entry of that server; empty where there is none."""
    return _earlier(_read(text, kind).get(kind.section), name, kind) or {}


def snippet(kind: ClientConfig, name: str, entry: Mapping[str, Any]) -> str:
    """What a user would paste into an empty file."""
    return set_server_entry("", kind, name, entry)


def _read(text: str, kind: ClientConfig) -> dict[str, Any]:
    language = _LANGUAGES[kind.form]
    try:
        found = language.read(text) if text.strip() else {}
    except language.errors as exc:
        form = kind.form.value.upper()
        raise ConfigNotEditable(why=f"it is not valid {form} ({exc})") from exc
    if found is None and kind.form is ConfigFormat.YAML:  # comments alone
        return {}
    if not isinstance(found, dict):
        raise ConfigNotEditable(why="it does not hold an object")
    return found


def _earlier(servers: Any, name: str, kind: ClientConfig) -> dict[str, Any] | None:
    """The entry that is there; raises where what stands in its place is something else."""
    if kind.is_list:
        rows = servers or []
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ConfigNotEditable(why=f"{kind.section} in it is not a list of servers")
        return next((row for row in rows if row.get("name") == name), None)
    found = {} if servers is None else servers
    if not isinstance(found, dict) or not isinstance(found.get(name, {}), dict):
        raise ConfigNotEditable(why=f"{kind.section} in it is not a group of servers")
    return found.get(name)


def _merged(earlier: dict[str, Any] | None, entry: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    if earlier is None:
        return {**entry, **defaults}
    kept = {key: {**earlier[key], **value} for key, value in entry.items() if _are_groups(earlier.get(key), value)}
    added = {key: value for key, value in defaults.items() if key not in earlier}
    return {**earlier, **entry, **kept, **added}


def _are_groups(*values: Any) -> bool:
    return all(isinstance(value, dict) for value in values)


def _with_entry(servers: Any, name: str, wanted: dict[str, Any], kind: ClientConfig) -> Any:
    if not kind.is_list:
        return {**(servers or {}), name: wanted}
    rows = list(servers or [])
    if not any(row.get("name") == name for row in rows):
        return [*rows, wanted]
    return [wanted if row.get("name") == name else row for row in rows]
