"""As much of style sheets as decides whether text is seen: the rules of a page, and what they declare of an element."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.extract.appearance import Appearance, appearance, four_sides
from lyra.extract.selectors import Selector, Steps, selectors_of, split_outside, unescape

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MAX_SHEET_CHARS = 2_000_000
_MAX_RULES = 8_000
_MAX_NESTING = 6
_MAX_HEAD_CHARS = 4_000
_MAX_SELECTOR_CHARS = 150_000
_MAX_BODY_CHARS = 20_000
_MAX_MEDIA_CHARS = 300
_MAX_STEPS = 120_000
_CSS_COMMENT = re.compile(r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)")
_TOKEN = re.compile(r""""(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|\\.|[{};]""", re.DOTALL)
_AT_RULE = re.compile(r"@(media|layer|supports)\b\s*(.*)", re.IGNORECASE | re.DOTALL)
_ANY_WIDTH = re.compile(r"\(\s*min-width\s*:\s*(?:[0-2]?\d?\d(?:px|em)?|3[0-2]\d(?:px)?)\s*\)|\band\b", re.IGNORECASE)
_SCREEN = re.compile(r"\s*(?:only\s+)?(?:screen|all)?\s*", re.IGNORECASE)
_RELEVANT = re.compile(
    r"display|visibility|opacity|color|background|font|indent|left|top|right|inset|clip|width|height|overflow"
    r"|transform|translate|scale|zoom|margin|filter|mask|shadow|--|\\",
    re.IGNORECASE,
)
_IMPORTANT = re.compile(r"\s*!\s*important\s*$", re.IGNORECASE)
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_MAX_VALUE_CHARS = 1_000
_RENAMED = {
    "-webkit-mask": "mask-image",
    "-webkit-mask-image": "mask-image",
    "mask": "mask-image",
    "-webkit-clip-path": "clip-path",
    "-webkit-filter": "filter",
    "-webkit-background-clip": "background-clip",
    "-webkit-transform": "transform",
    "inset-inline-start": "left",
    "inset-block-start": "top",
    "margin-inline-start": "margin-left",
    "margin-block-start": "margin-top",
}
# More than any selector reaches.
_OWN_STYLE = (1_000_000, 0, 0)
_SIDES = ("top", "right", "bottom", "left")
_SIZE = re.compile(r"0|[\d.]+(?:px|pt|em|rem|%|vw|vh|ch)")
Declared = tuple[str, str, bool]


@dataclass(frozen=True, slots=True)
class StyleRule:
    """One selector with what it declares: properties, their values, and whether they are important."""

    selector: Selector
    declared: tuple[Declared, ...]
    is_layered: bool
    place: int


def declarations(text: str) -> Iterator[Declared]:
    """The properties of a rule or a `style` attribute by their full names."""
    if not _RELEVANT.search(text):
        return
    for part in split_outside(text[:_MAX_BODY_CHARS], ";"):
        name, colon, value = part.partition(":")
        if not colon or len(value) > _MAX_VALUE_CHARS:
            continue
        name = unescape(name.strip())
        plain = _IMPORTANT.sub("", value)
        is_important = plain != value
        lowered = unescape(plain.strip()).lower()
        for full_name, one in _expanded(name.lower(), lowered):
            yield full_name, one, is_important


def _expanded(name: str, value: str) -> Iterator[tuple[str, str]]:
    name = _RENAMED.get(name, name)
    if name == "font":
        sizes = [size for word in value.split() if _SIZE.fullmatch(size := word.partition("/")[0])]
        yield "font-size", sizes[0] if sizes else ""
    elif name == "background":
        yield "background-color", value
        yield "background-image", value
    elif name in ("inset", "margin"):
        prefix = "margin-" if name == "margin" else ""
        for side, one in zip(_SIDES, four_sides(value.split() or ["auto"]), strict=True):
            yield prefix + side, one
    else:
        yield name, value


def rules_of(tree: "HtmlElement") -> list[StyleRule]:
    """The rules of the page's own sheets that may hide or colour, in their order.

    Not those for print, for small screens, or for readers without scripts. The work grows with the length of the
    sheets: each level of nesting, of which there are few, is read once.
    """
    text = "\n".join(str(style.text or "") for style in tree.iter("style") if _is_applied(style))
    text = _CSS_COMMENT.sub("", text[:_MAX_SHEET_CHARS])
    found: list[StyleRule] = []
    left = _MAX_SELECTOR_CHARS
    for head, body, is_layered in _blocks(text, "", is_layered=False, depth=0):
        last = {(name, is_important): (name, value, is_important) for name, value, is_important in declarations(body)}
        declared = tuple(last.values())
        if declared:
            left -= len(head)
            place = len(found)
            found += [StyleRule(one, declared, is_layered, place) for one in selectors_of(head) if one is not None]
        if len(found) >= _MAX_RULES or left < 0:
            break
    return found


def _is_applied(style: "HtmlElement") -> bool:
    return _is_for_screens(style.get("media") or "") and next(style.iterancestors("noscript"), None) is None


def _blocks(text: str, parent: str, *, is_layered: bool, depth: int) -> Iterator[tuple[str, str, bool]]:
    """Selectors, declarations and whether they stand in a layer; `parent` is the selector around the blocks."""
    own: list[str] = []
    for head, body in _pieces(text):
        if body is None:
            own.append(head)
            continue
        if depth >= _MAX_NESTING or (parent and len(head) + len(parent) > _MAX_HEAD_CHARS):
            continue
        if head.startswith("@"):
            at_rule = _AT_RULE.match(head)
            if at_rule and _applies(at_rule.group(1).lower(), at_rule.group(2)):
                layered = is_layered or at_rule.group(1).lower() == "layer"
                yield from _blocks(body, parent, is_layered=layered, depth=depth + 1)
        else:
            yield from _blocks(body, _nested(head, parent), is_layered=is_layered, depth=depth + 1)
    if parent and own:
        yield parent, ";".join(own), is_layered


def _nested(head: str, parent: str) -> str:
    if not parent:
        return head
    around = f":is({parent})"
    parts = [part.strip() for part in split_outside(head, ",")]
    return ",".join(part.replace("&", around) if "&" in part else f"{around} {part}" for part in parts)


def _pieces(text: str) -> Iterator[tuple[str, str | None]]:
    """Declarations, with no body, and heads with the body of their block, in one pass."""
    depth = start = body = 0
    for token in _TOKEN.finditer(text):
        char = token.group()
        if char == "{":
            body = token.end() if depth == 0 else body
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                yield text[start : body - 1].strip(), text[body : token.start()]
                start = token.end()
        elif char in (";", "}") and depth == 0:
            yield text[start : token.start()].strip(), None
            start = token.end()
    if depth:
        yield text[start : body - 1].strip(), text[body:]
    elif text[start:].strip():
        yield text[start:].strip(), None


def _applies(name: str, condition: str) -> bool:
    if name == "media":
        return _is_for_screens(condition)
    return name == "layer" or not condition.lower().startswith("not")


def _is_for_screens(media: str) -> bool:
    """For every screen, however small."""
    return any(_SCREEN.fullmatch(_ANY_WIDTH.sub(" ", one)) for one in media[:_MAX_MEDIA_CHARS].split(","))


class Styles:
    """The page's rules by a class, id, tag or attribute that their elements have; bounded in what it compares."""

    def __init__(self, rules: list[StyleRule]) -> None:
        self._rules: dict[str, list[StyleRule]] = {}
        self._values: dict[HtmlElement, Mapping[str, str]] = {}
        self._appearances: dict[HtmlElement, Appearance] = {}
        self._steps = Steps(_MAX_STEPS)
        for rule in rules:
            for key in rule.selector.keys:
                self._rules.setdefault(key, []).append(rule)

    def matching(self, element: "HtmlElement") -> Iterator[StyleRule]:
        if not self._rules:
            return
        for key in _keys(element):
            for rule in self._rules.get(key, ()):
                if self._steps.left <= 0:
                    return
                if rule.selector.matches(element, self._steps) and self._steps.take(len(rule.declared)):
                    yield rule

    def of(self, element: "HtmlElement") -> Appearance:
        """What the sheets, the element's attributes and its own style make of it."""
        if element not in self._appearances:
            values = resolved(self._values_of(element), lambda name: self._variable(element, name))
            self._appearances[element] = appearance(values)
        return self._appearances[element]

    def _values_of(self, element: "HtmlElement") -> Mapping[str, str]:
        if element not in self._values:
            self._values[element] = self._cascaded(element)
        return self._values[element]

    def _cascaded(self, element: "HtmlElement") -> Mapping[str, str]:
        """Important over ordinary, outside layers over inside, then the more specific, then the later one."""
        ranked = [
            ((is_important, not rule.is_layered, rule.selector.specificity, rule.place), name, value)
            for rule in self.matching(element)
            for name, value, is_important in rule.declared
        ]
        ranked += [
            ((is_important, True, _OWN_STYLE, _MAX_RULES), name, value)
            for name, value, is_important in declarations(element.get("style") or "")
        ]
        ranked.sort(key=lambda one: one[0])
        return _from_attributes(element) | {name: value for _, name, value in ranked}

    def _variable(self, element: "HtmlElement", name: str) -> str | None:
        for one in (element, *element.iterancestors()):
            if not self._steps.take():
                return None
            if (value := self._values_of(one).get(name)) is not None:
                return value
        return None


def resolved(values: Mapping[str, str], variable: Callable[[str], str | None]) -> Mapping[str, str]:
    """The values with those of their variables; `var()` stays where one is not known."""
    if not any("var(" in value for value in values.values()):
        return values
    return {name: _resolved(value, variable) for name, value in values.items() if not name.startswith("--")}


def _resolved(value: str, variable: Callable[[str], str | None]) -> str:
    for _ in range(_MAX_NESTING):
        if "var(" not in value or len(value) > _MAX_VALUE_CHARS:
            break
        value = _VARIABLE.sub(lambda found: _first(variable(found.group(1)), found.group(2), found.group()), value)
    return value


def _first(value: str | None, otherwise: str | None, text: str) -> str:
    if value is not None:
        return value.strip()
    return otherwise.strip() if otherwise is not None else text


def _from_attributes(element: "HtmlElement") -> dict[str, str]:
    """What HTML's own attributes say of colours; every rule wins over them."""
    values = {}
    if element.tag == "font" and (color := element.get("color")):
        values["color"] = color.lower()
    if background := element.get("bgcolor"):
        values["background-color"] = background.lower()
    if element.get("background"):
        values["background-image"] = "url()"
    return values


def _keys(element: "HtmlElement") -> list[str]:
    keys = [f".{name}" for name in dict.fromkeys((element.get("class") or "").split())]
    if element.get("id"):
        keys.append(f"#{element.get('id')}")
    return [*keys, str(element.tag), *(f"[{name}" for name in element.attrib), "*"]
