"""A server's entry in TOML, inline tables and dotted keys included; comments and spacing stay."""

import tomllib
from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError


def put_server(text: str, section: str, name: str, wanted: Mapping[str, Any], is_list: bool) -> str:
    """The text with the entry's fields set. Raises ValueError where that is not possible."""
    assert not is_list, "no client lists servers so in TOML"
    try:
        document = tomlkit.parse(text)
        servers: Any = document.get(section, {})
        if name not in servers:
            appended = _appended(text, section, name, wanted)
            if _is_valid(appended):  # not below an inline table or dotted keys
                return appended
            servers[name] = _inline(wanted)
        _set_fields(servers[name], wanted)
        return tomlkit.dumps(document)
    except TOMLKitError as exc:
        raise ValueError(str(exc)) from exc


def _set_fields(table: Any, wanted: Mapping[str, Any]) -> None:
    """Only the fields that differ; those of a group one by one, so that comments between them stay."""
    for key, value in wanted.items():
        if isinstance(value, dict) and key in table:
            _set_fields(table[key], value)
        elif key not in table or table[key] != value:
            table[key] = _inline(value) if isinstance(value, dict) else value


def _appended(text: str, section: str, name: str, wanted: Mapping[str, Any]) -> str:
    """The entry as a table of its own at the end."""
    table = tomlkit.table()
    for key, value in wanted.items():
        table[key] = _inline(value) if isinstance(value, dict) else value
    before = text.rstrip("\n") + "\n\n" if text.strip() else ""
    return f"{before}[{section}.{name}]\n{tomlkit.dumps(table)}"


def _inline(value: Mapping[str, Any]) -> Any:
    table = tomlkit.inline_table()
    for key, item in value.items():
        table[key] = _inline(item) if isinstance(item, dict) else item
    return table


def _is_valid(text: str) -> bool:
    try:
        tomllib.loads(text)
    except ValueError:
        return False
    return True
