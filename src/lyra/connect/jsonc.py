"""JSON as clients' files have it, with comments and trailing commas: read with places, and edited in place."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_SAME_LINE = re.compile(r"(?:[ \t]+(?=//|/\*)|//[^\r\n]*|/\*[^\r\n]*?\*/)*")
_WORD = re.compile(r"[-+.\w]+")
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_SPACES = re.compile(r"[ \t]*")
_DEEPEST = 200


class InvalidJson(ValueError):
    """A text that is not JSON; `why` names the line."""

    def __init__(self, why: str) -> None:
        super().__init__(why)


@dataclass(slots=True)
class _Node:
    """A value and where it stands; an object also has its members, an object or array where its last item ends."""

    start: int
    end: int
    value: Any
    members: dict[str, "_Node"] = field(default_factory=dict)
    last_end: int | None = None
    has_trailing_comma: bool = False


def read(text: str) -> Any:
    """The value of a text. Raises ValueError with the line where it is not valid."""
    return _parse(text).value


def dump(value: Any, indent: str = "  ") -> str:
    """A value as it is written into a new file."""
    return json.dumps(value, indent=indent, ensure_ascii=False) + "\n"


def put_server(text: str, section: str, name: str, wanted: Mapping[str, Any], is_list: bool) -> str:
    """The text with the entry's fields set; what has comments or a layout of its own keeps it."""
    assert not is_list, "no client lists servers so in JSON"
    return _put(text if text.strip() else "{}\n", (section, name), dict(wanted))


def _put(text: str, path: tuple[str, ...], wanted: Any) -> str:
    """The text with a value at a path; of an object only the members that differ are touched."""
    node = _parse(text)
    for number, key in enumerate(path):
        if number and node.value is None:
            group = _rendered(_nested(path[number:], wanted), _base(text, node.start), _unit(text), False)
            return text[: node.start] + group + text[node.end :]
        if key not in node.members:
            return _insert(text, node, key, _nested(path[number + 1 :], wanted))
        node = node.members[key]
    if node.value == wanted:
        return text
    if not isinstance(node.value, dict) or not isinstance(wanted, dict):
        is_broken = "\n" in text[node.start : node.end]
        return (
            text[: node.start] + _rendered(wanted, _base(text, node.start), _unit(text), is_broken) + text[node.end :]
        )
    for key, value in wanted.items():
        text = _put(text, (*path, key), value)
    return text


def _nested(keys: tuple[str, ...], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _insert(text: str, node: _Node, key: str, value: Any) -> str:
    """The text with a new member at the end of an object: on a line of its own where the others are."""
    if not isinstance(node.value, dict):
        raise ValueError(f"{key} cannot be put into what is not an object")
    base, unit = _base(text, node.start), _unit(text)
    if node.last_end is None:
        inside = text[node.start + 1 : node.end - 1].rstrip()
        member = _member(key, value, base + unit, unit)
        return text[: node.start] + f"{{{inside}\n{base}{unit}{member}\n{base}}}" + text[node.end :]
    place = _skip(text, node.last_end) + 1 if node.has_trailing_comma else node.last_end
    comma, trailing = ("", ",") if node.has_trailing_comma else (",", "")
    if "\n" not in text[node.start : node.last_end]:
        return f"{text[:place]}{comma} {json.dumps({key: value}, ensure_ascii=False)[1:-1]}{trailing}{text[place:]}"
    end = _SAME_LINE.match(text, place).end()  # type: ignore[union-attr]
    indent = _base(text, next(reversed(node.members.values())).start)
    member = _member(key, value, indent, unit) + trailing
    return f"{text[:place]}{comma}{text[place:end]}\n{indent}{member}{text[end:]}"


def _member(key: str, value: Any, indent: str, unit: str) -> str:
    return f"{json.dumps(key, ensure_ascii=False)}: {_rendered(value, indent, unit, False)}"


def _rendered(value: Any, indent: str, unit: str, is_broken: bool) -> str:
    """A value, without the indentation of its first line: an object over several lines, a list where it was so."""
    inner = indent + unit
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_member(key, item, inner, unit)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and value and is_broken:
        lines = [f"{inner}{json.dumps(item, ensure_ascii=False)}" for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


def _base(text: str, place: int) -> str:
    """The indentation of the line in which something stands."""
    return _SPACES.match(text, text.rfind("\n", 0, place) + 1).group()  # type: ignore[union-attr]


def _unit(text: str) -> str:
    """What the file indents by."""
    found = _INDENT.search(text)
    return found.group(1) if found else "  "


def _parse(text: str) -> _Node:
    node, place = _value(text, _skip(text, 0), 0)
    if _skip(text, place) != len(text):
        raise _error(text, place, "something follows the value")
    return node


def _value(text: str, place: int, depth: int) -> tuple[_Node, int]:
    if depth > _DEEPEST:
        raise _error(text, place, "it nests too deeply")
    first = text[place : place + 1]
    if first == '"':
        value, end = _string(text, place)
    elif first == "{":
        return _object(text, place, depth)
    elif first == "[":
        return _array(text, place, depth)
    else:
        value, end = _word(text, place)
    return _Node(place, end, value), end


def _object(text: str, start: int, depth: int) -> tuple[_Node, int]:
    node, place = _Node(start, start, {}), _skip(text, start + 1)
    while text[place : place + 1] != "}":
        key, place = _string(text, place)
        if key in node.value:
            raise _error(text, place, f"the key {key[:60]!r} occurs twice in one object")
        item, place = _value(text, _skip(text, _expect(text, place, ":")), depth + 1)
        node.members[key], node.value[key] = item, item.value
        place = _next_item(text, place, node, "}")
    node.end = place + 1
    return node, node.end


def _array(text: str, start: int, depth: int) -> tuple[_Node, int]:
    node, place = _Node(start, start, []), _skip(text, start + 1)
    while text[place : place + 1] != "]":
        item, place = _value(text, place, depth + 1)
        node.value.append(item.value)
        place = _next_item(text, place, node, "]")
    node.end = place + 1
    return node, node.end


def _next_item(text: str, end: int, node: _Node, closing: str) -> int:
    """Where the next item begins or the bracket closes, after the item that ended."""
    node.last_end, place = end, _skip(text, end)
    node.has_trailing_comma = text[place : place + 1] == ","
    if node.has_trailing_comma:
        return _skip(text, place + 1)
    if text[place : place + 1] != closing:
        raise _error(text, place, f"a comma or {closing!r} is missing")
    return place


def _skip(text: str, place: int) -> int:
    """Past spaces and comments."""
    return _TRIVIA.match(text, place).end()  # type: ignore[union-attr]


def _expect(text: str, place: int, sign: str) -> int:
    place = _skip(text, place)
    if text[place : place + 1] != sign:
        raise _error(text, place, f"the sign {sign!r} is missing")
    return place + 1


def _string(text: str, place: int) -> tuple[str, int]:
    if text[place : place + 1] != '"':
        raise _error(text, place, "a name in quotes is missing")
    value: str
    value, end = json.JSONDecoder().raw_decode(text, place)
    return value, end


def _word(text: str, place: int) -> tuple[Any, int]:
    """A number, true, false or null."""
    found = _WORD.match(text, place)
    if found is None:
        raise _error(text, place, "a value is missing")
    try:
        return json.loads(found.group(), parse_constant=_no_constant), found.end()
    except ValueError:
        raise _error(text, place, f"the word {found.group()[:20]!r} is not a value") from None


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _error(text: str, place: int, problem: str) -> ValueError:
    line_count = text.count("\n", 0, place) + 1
    return InvalidJson(why=f"line {line_count}: {problem}")
