"""A server's entry in YAML, put in line by line: comments, quotes and layout of all else stay."""

from collections.abc import Mapping
from typing import Any

import yaml


class _UniqueLoader(yaml.SafeLoader):
    """Refuses a mapping that names a key twice, of which one value would be lost."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if len(keys) != len(set(keys)):
            raise yaml.constructor.ConstructorError(None, None, "a key occurs twice", node.start_mark)
        return super().construct_mapping(node, deep)


def read(text: str) -> Any:
    """The value of a text. Raises yaml.YAMLError where it is not valid."""
    return yaml.load(text, _UniqueLoader)


def dump(value: Any, *, is_flow: bool = False) -> str:
    """A value as it is written into a file."""
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=10_000, default_flow_style=is_flow)


def put_server(text: str, section: str, name: str, wanted: Mapping[str, Any], is_list: bool) -> str:
    """The text with the entry's fields set, in a section of servers by name or in a list of them."""
    key, servers = _child(yaml.compose(text, yaml.SafeLoader), section)
    if key is None or servers is None:
        before = text.rstrip("\n") + "\n" if text.strip() else ""
        return before + dump({section: [dict(wanted)] if is_list else {name: dict(wanted)}})
    if _child(servers, name)[1] is not None:
        return _with_fields(text, (section, name), wanted)
    fresh = dump([dict(wanted)] if is_list else {name: dict(wanted)})
    if not servers.value:
        return _filled(text, key, servers, fresh)
    _refuse_flow(servers)
    return _after(text, _last_line(servers), _indented(fresh, servers.start_mark.column))


def _child(node: yaml.Node | None, name: str) -> tuple[yaml.Node, yaml.Node] | tuple[None, None]:
    """Key and value of that name in a mapping; in a list, the item whose `name` it is, as both."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == name), (None, None))
    if isinstance(node, yaml.SequenceNode):
        named = (row for row in node.value if getattr(_child(row, "name")[1], "value", None) == name)
        return next(((row, row) for row in named), (None, None))
    return None, None


def _with_fields(text: str, path: tuple[str, ...], wanted: Mapping[str, Any]) -> str:
    """The text with the fields of a group that is there; one that differs is written anew, the rest stays."""
    for name, value in wanted.items():
        group = yaml.compose(text, yaml.SafeLoader)
        for part in path:
            group = _child(group, part)[1]
        assert group is not None
        _refuse_flow(group)
        key, found = _child(group, name)
        if key is None or found is None:
            text = _after(text, _last_line(group), _indented(dump({name: value}), group.start_mark.column))
        elif isinstance(found, yaml.MappingNode) and found.value and isinstance(value, dict):
            text = _with_fields(text, (*path, name), value)
        elif yaml.safe_load(yaml.serialize(found)) != value:
            text = _replaced(text, key, found, value)
    return text


def _replaced(text: str, key: yaml.Node, found: yaml.Node, value: Any) -> str:
    """Another value in place of one: within its line where it has only one, else all lines of the field."""
    start, end, column = found.start_mark, found.end_mark, key.start_mark.column
    if start.line == end.line and not isinstance(value, dict):
        inline = dump([value], is_flow=True).strip()[1:-1]
        return text[: start.index] + inline + text[end.index :]
    lines = text.splitlines(keepends=True)
    fresh = _indented(dump({key.value: value}), column)[column:]
    before = lines[key.start_mark.line][:column]  # `- ` of a list
    return "".join([*lines[: key.start_mark.line], before + fresh, *lines[_last_line(found) + 1 :]])


def _filled(text: str, key: yaml.Node, empty: yaml.Node, fresh: str) -> str:
    """A section that holds nothing (`name:`, `{}`, `[]`) with its first entry."""
    without = text[: empty.start_mark.index].rstrip(" ") + text[empty.end_mark.index :]
    return _after(without, key.end_mark.line, _indented(fresh, key.start_mark.column + 2))


def _after(text: str, line: int, fresh: str) -> str:
    """The text with lines put in after one of its lines."""
    lines = text.splitlines(keepends=True)
    if not lines[line].endswith("\n"):
        lines[line] += "\n"
    return "".join([*lines[: line + 1], fresh, *lines[line + 1 :]])


def _indented(fresh: str, column: int) -> str:
    return "".join(" " * column + line for line in fresh.splitlines(keepends=True))


def _last_line(node: yaml.Node) -> int:
    """The last line of a value; a block ends where its last item does, not at the comments after it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return max(_last_line(one) for one in last) if isinstance(last, tuple) else _last_line(last)
    return node.end_mark.line if node.end_mark.column else max(node.start_mark.line, node.end_mark.line - 1)


def _refuse_flow(node: yaml.Node) -> None:
    if isinstance(node, yaml.CollectionNode) and node.flow_style:
        raise ValueError("it is written in braces")
