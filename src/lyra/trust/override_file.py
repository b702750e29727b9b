"""The user's overrides as the user's own file: one entry is set, changed or removed, everything else stays as written.

The file belongs to the user, with comments and an order of its own, so that the text is changed only where YAML says
that the entry is. A file in a form where that cannot be done is left alone, and the error says so.
"""

import json
from pathlib import Path
from typing import Any

import yaml

from lyra.disk import put_whole, writing
from lyra.errors import SettingsError
from lyra.model.trust import TrustLevel
from lyra.trust.levels import override_host, read_overrides

_SECTION = "user_overrides"
_BY_HAND = "Change the entry in domains.yaml by hand."


def write_override(path: Path, domain: str, level: TrustLevel | None, reason: str) -> None:
    """Give a domain this level in the user's file; None takes its entry away.

    Raises SettingsError for what is not a domain, and where the file is broken or cannot be changed safely.
    """
    host = override_host(domain)
    text = _read(path)
    entry = None if level is None else _entry(host, level, reason)
    changed = _changed(text, host, entry)
    if changed != text:
        read_overrides(changed, path)
        with writing(path.parent):
            put_whole(path, changed, keeps_mode=path.exists())


def _entry(host: str, level: TrustLevel, reason: str) -> str:
    lines = [f"- domain: {json.dumps(host, ensure_ascii=False)}", f"  trust_level: {level.value}"]
    return "\n".join([*lines, f"  reason: {json.dumps(reason, ensure_ascii=False)}"] if reason else lines)


def _changed(text: str, host: str, entry: str | None) -> str:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as exc:
        raise SettingsError("The file domains.yaml is broken.", remedy=_BY_HAND) from exc
    section = _section(root)
    if section is None:
        return text if entry is None else _with_section(text, root, entry)
    known = next((item for item in section.value if _host_of(item) == host), None)
    if known is None:
        return text if entry is None else _with_item(text, section, entry)
    return _with_replaced(text, section, known, entry)


def _section(root: Any) -> Any:
    """The list of overrides, None where the file has none."""
    if root is None:
        return None
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    found = next((value for key, value in pairs if key.value == _SECTION), None)
    if isinstance(root, yaml.SequenceNode):
        found = root
    if found is None or (isinstance(found, yaml.ScalarNode) and not found.value):
        return None
    if not isinstance(found, yaml.SequenceNode) or found.flow_style:
        raise SettingsError("The overrides in domains.yaml are not written as a list of lines.", remedy=_BY_HAND)
    return found


def _host_of(item: Any) -> str | None:
    pairs = item.value if isinstance(item, yaml.MappingNode) else []
    name = next((value.value for key, value in pairs if key.value == "domain"), None)
    try:
        return override_host(name) if isinstance(name, str) else None
    except SettingsError:
        return None


def _with_section(text: str, root: Any, entry: str) -> str:
    if root is not None and not isinstance(root, yaml.MappingNode):
        raise SettingsError("The file domains.yaml has no sections.", remedy=_BY_HAND)
    key = next((key for key, _ in root.value if key.value == _SECTION), None) if root is not None else None
    if key is not None:  # a section without entries
        end = _line_end(text, key.end_mark.index)
        return f"{text[:end]}{_newline(text[:end])}{_indented(entry, 2)}\n{text[end:]}"
    gap = _newline(text) if text else ""
    return f"{text}{gap}{_SECTION}:\n{_indented(entry, 2)}\n"


def _with_item(text: str, section: Any, entry: str) -> str:
    """After the last item, as far in as the others."""
    end = _end_of(text, section.value[-1])
    return f"{text[:end]}{_newline(text[:end])}{_indented(entry, section.start_mark.column)}\n{text[end:]}"


def _with_replaced(text: str, section: Any, item: Any, entry: str | None) -> str:
    """The entry's lines from its dash on; a rate that it has besides is kept."""
    rate = next((value.value for key, value in item.value if key.value == "qps"), None)
    if entry is None and rate is not None:
        raise SettingsError("The entry in domains.yaml also sets a qps.", remedy=_BY_HAND)
    start, end = text.rfind("\n", 0, text.rindex("-", 0, item.start_mark.index)) + 1, _end_of(text, item)
    if entry is None:
        return text[:start] + text[end:]
    kept = entry if rate is None else f"{entry}\n  qps: {rate}"
    return f"{text[:start]}{_indented(kept, section.start_mark.column)}\n{text[end:]}"


def _end_of(text: str, item: Any) -> int:
    """Where the line after the item's last value begins: a comment between two items is not the item's."""
    last = max((value.end_mark.index for _, value in item.value), default=item.end_mark.index)
    return _line_end(text, last if last == 0 or text[last - 1] != "\n" else last - 1)


def _line_end(text: str, place: int) -> int:
    line = text.find("\n", place)
    return len(text) if line < 0 else line + 1


def _newline(head: str) -> str:
    return "" if head.endswith("\n") else "\n"


def _indented(entry: str, columns: int) -> str:
    return "\n".join(" " * columns + line for line in entry.splitlines())


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as exc:
        raise SettingsError(f"The domain list {path} cannot be read: {exc}.", remedy=_BY_HAND) from exc
