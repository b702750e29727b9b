"""Text of a page that no reader sees: by its own style sheet, attributes, comments. It is no evidence; it is scanned.

Only what the page itself says is known here: a style sheet on another address is not fetched. Where a colour depends on
one, the text is read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from lxml import etree

from lyra.extract.styles import Colour, Declarations, StyleRule, declarations, rules_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MAX_PIECES = 200
_MAX_PIECE_CHARS = 4_000
_MAX_TOTAL_CHARS = 60_000
_MIN_WORDS = 4
# Most of a page is hidden only until its script has run.
_MOST_HIDDEN = 0.5
_COMMENT = re.compile(r"<!--(?!\[if|<!)(.{12,4000}?)-->", re.DOTALL)
_TAGS = re.compile(r"<[^<>]{0,2000}>")
_WORD = re.compile("[^\\W\\d_]{2,}")
_SCRIPT_LIKE = re.compile(r"[{};=]\s*$|[{}]|=>|\$\(|function\s*\(", re.MULTILINE)
_MATH = re.compile(r"katex|mathjax|mjx|mwe-math", re.IGNORECASE)
_ATTRIBUTES = ("alt", "title", "aria-label", "aria-description", "data-prompt", "placeholder")
_UNSEEN_TAGS = ("template", "noframes", "noembed")
_WHITE = (255, 255, 255)
_NEAR = 24


@dataclass(frozen=True, slots=True)
class _Page:
    """The page's rules by the class, id or tag that their elements have, each with its place in the sheets."""

    rules: Mapping[str, Sequence[tuple[int, StyleRule]]]
    hiding: Mapping[str, Sequence[StyleRule]]
    has_outer_styles: bool


def _page_of(tree: "HtmlElement") -> _Page:
    rules: dict[str, list[tuple[int, StyleRule]]] = {}
    hiding: dict[str, list[StyleRule]] = {}
    found = rules_of(tree)
    backgrounds = {_WHITE, *(rule.declared.background for rule in found if rule.declared.background)}
    for place, rule in enumerate(found):
        rules.setdefault(rule.key, []).append((place, rule))
        color = rule.declared.color
        if rule.declared.hides or (color is not None and any(_is_near(color, one) for one in backgrounds)):
            hiding.setdefault(rule.key, []).append(rule)
    return _Page(rules, hiding, _has_outer_styles(tree))


def _is_near(color: Colour, other: Colour) -> bool:
    return all(abs(a - b) <= _NEAR for a, b in zip(color, other, strict=True))


def take_hidden(tree: "HtmlElement", markup: str) -> tuple[str, ...]:
    """Remove what a reader of the page does not see from the tree, and return its words, a piece each, bounded."""
    page = _page_of(tree)
    pieces = [*_dropped(tree, page), *_attribute_texts(tree), *_comments(markup)]
    return tuple(_bounded(pieces))


def _bounded(pieces: list[str]) -> Iterator[str]:
    left = _MAX_TOTAL_CHARS
    for piece in dict.fromkeys(" ".join(one.split())[:_MAX_PIECE_CHARS] for one in pieces[: 4 * _MAX_PIECES]):
        if left <= 0:
            return
        if _is_prose(piece):
            left -= len(piece)
            yield piece


def _is_prose(text: str) -> bool:
    """Four words, or ten characters of a script without spaces."""
    words = _WORD.findall(text)
    return len(words) >= _MIN_WORDS or (not text.isascii() and len(text) >= 10)


def _dropped(tree: "HtmlElement", page: _Page) -> list[str]:
    hidden = [element for element in _candidates(tree, page) if _is_text(element) and _is_hidden(element, page)]
    outermost = _outermost(hidden)
    texts = [(element, str(element.text_content())) for element in outermost]
    found = [text for _, text in texts]
    total = len(tree.text_content())
    if sum(map(len, found)) < _MOST_HIDDEN * total:
        for element, _ in texts:
            if element.getparent() is not None:
                element.drop_tree()
    return found


def _outermost(hidden: list["HtmlElement"]) -> list["HtmlElement"]:
    """Without those that stand inside another one."""
    inside = set(hidden)
    return [one for one in hidden if not any(ancestor in inside for ancestor in one.iterancestors())]


def _is_text(element: "HtmlElement") -> bool:
    return isinstance(element.tag, str) and element.tag not in ("html", "body", "head", "script", "style")


def _candidates(tree: "HtmlElement", page: _Page) -> list["HtmlElement"]:
    """Elements that might be hidden, in the order of the page."""
    marked = tree.xpath("descendant::*[@hidden or @style or @aria-hidden='true' or contains(@class, 'mw-editsection')]")
    found = dict.fromkeys(marked)
    for element in tree.iter() if page.hiding else ():
        if isinstance(element.tag, str) and any(
            rule.matches(element) for key in _keys(element) for rule in page.hiding.get(key, ())
        ):
            found[element] = None
    return list(found)


def _keys(element: "HtmlElement") -> list[str]:
    keys = [f".{name}" for name in (element.get("class") or "").split()[:20]]
    if element.get("id"):
        keys.append(f"#{element.get('id')}")
    return [*keys, str(element.tag)]


def _is_hidden(element: "HtmlElement", page: _Page) -> bool:
    # Formulas are hidden beside the picture that shows them.
    if next(element.iter("math"), None) is not None or _MATH.search(element.get("class") or ""):
        return False
    if element.get("hidden") is not None or "mw-editsection" in (element.get("class") or ""):
        return True
    style = _style_of(element, page)
    if style.hides or _is_painted_over(element, style, page):
        return True
    return element.get("aria-hidden") == "true" and len(str(element.text_content()).split()) >= _MIN_WORDS


def _style_of(element: "HtmlElement", page: _Page) -> Declarations:
    """What the page's own sheets and the element itself declare; a later rule wins."""
    found = Declarations()
    meeting = sorted((pair for key in _keys(element) for pair in page.rules.get(key, ())), key=itemgetter(0))
    for _, rule in meeting:
        if rule.matches(element):
            found = found.overridden_by(rule.declared)
    return found.overridden_by(declarations(element.get("style") or ""))


def _is_painted_over(element: "HtmlElement", style: Declarations, page: _Page) -> bool:
    """Text in the colour of what is behind it."""
    if style.color is None or style.has_picture:
        return False
    behind = style.background or _background(element, page)
    return behind is not None and _is_near(style.color, behind)


def _background(element: "HtmlElement", page: _Page) -> Colour | None:
    """The colour behind an element; none where a picture or a style sheet elsewhere may decide it."""
    for ancestor in element.iterancestors():
        style = _style_of(ancestor, page)
        if style.has_picture:
            return None
        if style.background is not None:
            return style.background
        if page.has_outer_styles and (ancestor.get("class") or ancestor.get("id")):
            return None
    return None if page.has_outer_styles else _WHITE


def _has_outer_styles(tree: "HtmlElement") -> bool:
    return any("stylesheet" in (link.get("rel") or "").lower() for link in tree.iter("link"))


def _attribute_texts(tree: "HtmlElement") -> Iterator[str]:
    condition = " or ".join(f"@{name}" for name in _ATTRIBUTES)
    for element in tree.xpath(f"descendant::*[{condition}]")[: 10 * _MAX_PIECES]:
        for name in _ATTRIBUTES:
            if value := element.get(name):
                yield value
    for meta in tree.iter("meta"):
        if value := meta.get("content"):
            yield value
    for element in tree.iter(*_UNSEEN_TAGS):
        yield str(element.text_content())


def _comments(markup: str) -> Iterator[str]:
    if "<!--" not in markup:
        return
    for number, match in enumerate(_COMMENT.finditer(markup)):
        if number >= _MAX_PIECES:
            return
        text = _TAGS.sub(" ", match.group(1))
        if not _SCRIPT_LIKE.search(text):
            yield text


_INLINE = frozenset(
    "a abbr b bdi bdo cite code em i kbd mark q s small span strong sub sup time u var br wbr font".split()
)


def text_lines(tree: "HtmlElement") -> list[str]:
    """What the page shows, a line for each block."""
    body = tree.find("body")
    if body is None:
        return []
    lines: list[list[str]] = [[]]
    for event, element in etree.iterwalk(body, events=("start", "end")):
        is_block = isinstance(element.tag, str) and element.tag not in _INLINE
        if is_block and lines[-1]:
            lines.append([])
        if event == "start" and isinstance(element.tag, str) and element.tag not in ("script", "style"):
            lines[-1].append(element.text or "")
        elif event == "end" and element is not body:
            lines[-1].append(element.tail or "")
    return [line for pieces in lines if (line := " ".join("".join(pieces).split()))]


def lines_outside(lines: list[str], text: str) -> tuple[str, ...]:
    """Lines that are no part of the main text, bounded."""
    flat = " ".join(text.split())
    return tuple(_bounded([line for line in lines if line[:60] not in flat]))
