"""Text of a page that no reader sees: by its own style sheet, attributes, comments. It is no evidence; it is scanned.

Only what the page itself says is known here: a style sheet on another address is not fetched. Where a colour depends on
one, the text is read.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lyra.extract.appearance import Appearance, Colour, appearance
from lyra.extract.formulas import read_formulas
from lyra.extract.styles import StyleRule, Styles, rules_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MAX_PIECES = 200
_MAX_PIECE_CHARS = 4_000
_MAX_TOTAL_CHARS = 60_000
_MIN_WORDS = 4
# A page whose larger part is closed to screen readers has a dialogue open; who looks at it still sees that part.
_MOST_SILENT = 0.5
_COMMENT = re.compile(r"<!--(?!\[if|<!)(.{12,4000}?)-->", re.DOTALL)
_TAGS = re.compile(r"<[^<>]{0,2000}>")
_WORD = re.compile("[^\\W\\d_]{2,}")
_SCRIPT_LIKE = re.compile(r"[{};=]\s*$|[{}]|=>|\$\(|function\s*\(", re.MULTILINE)
_ATTRIBUTES = ("alt", "title", "aria-label", "aria-description", "data-prompt", "placeholder")
_UNSEEN_TAGS = ("template", "noframes", "noembed")
_MARKED = """descendant::*[@hidden or @popover or @style or @aria-hidden='true' or self::font[@color]
    or contains(@class, 'mw-editsection')]"""
_WHITE = (255, 255, 255)
_NEAR = 24


@dataclass(frozen=True, slots=True)
class _Page:
    """All rules of the page, and those of them that may hide text."""

    styles: Styles
    hiding: Styles | None
    has_outer_styles: bool
    behind: "dict[HtmlElement | None, Colour | None]" = field(default_factory=dict)


def _page_of(tree: "HtmlElement") -> _Page:
    found = rules_of(tree)
    looks = [(rule, appearance({name: value for name, value, _ in rule.declared})) for rule in found]
    backgrounds = {_WHITE, *(look.background for _, look in looks if look.background)}
    hiding = [rule for rule, look in looks if _may_hide(rule, look, backgrounds)]
    return _Page(Styles(found), Styles(hiding) if hiding else None, _has_outer_styles(tree))


def _may_hide(rule: StyleRule, look: Appearance, backgrounds: Iterable[Colour]) -> bool:
    if look.hides or any("var(" in value for _, value, _ in rule.declared):
        return True
    return look.color is not None and any(_is_near(look.color, one) for one in backgrounds)


def _is_near(color: Colour, other: Colour) -> bool:
    return all(abs(a - b) <= _NEAR for a, b in zip(color, other, strict=True))


@dataclass(frozen=True, slots=True)
class HiddenText:
    """The words that no reader of a page sees, a piece each, bounded; `prose_chars` counts those of elements."""

    pieces: tuple[str, ...] = ()
    prose_chars: int = 0


def take_hidden(tree: "HtmlElement", markup: str) -> HiddenText:
    """Remove what a reader of the page does not see from the tree, and return its words."""
    dropped = _dropped(tree, _page_of(tree))
    pieces = tuple(_bounded([*dropped, *_attribute_texts(tree), *_comments(markup)]))
    return HiddenText(pieces, prose_chars=sum(len(one) for one in dropped if _is_prose(one)))


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
    """What styles hide goes however much it is; a page that shows nothing without its scripts has no text."""
    copies = read_formulas(tree, lambda element: _is_unseen(element, page))
    found = [element for element in _candidates(tree, page) if _is_text(element)]
    unseen = _outermost([element for element in found if _is_unseen(element, page)])
    words = _words_of(unseen)
    _drop(unseen)
    silent = _outermost([element for element in found if _is_silent(element) and tree in element.iterancestors()])
    silent_words = _words_of(silent)
    if sum(map(len, silent_words)) < _MOST_SILENT * len(tree.text_content()):
        _drop(silent)
    return words + silent_words + copies


def _words_of(elements: list["HtmlElement"]) -> list[str]:
    return [str(element.text_content()) for element in elements]


def _drop(elements: list["HtmlElement"]) -> None:
    for element in elements:
        if element.getparent() is not None:
            element.drop_tree()


def _outermost(hidden: list["HtmlElement"]) -> list["HtmlElement"]:
    """Without those that stand inside another one."""
    inside = set(hidden)
    return [one for one in hidden if not any(ancestor in inside for ancestor in one.iterancestors())]


def _is_text(element: "HtmlElement") -> bool:
    return isinstance(element.tag, str) and element.tag not in ("html", "body", "head", "script", "style")


def _candidates(tree: "HtmlElement", page: _Page) -> list["HtmlElement"]:
    """Elements that might be hidden, in the order of the page."""
    found = dict.fromkeys(tree.xpath(_MARKED))
    for element in tree.iter() if page.hiding else ():
        if isinstance(element.tag, str) and page.hiding and next(page.hiding.matching(element), None):
            found[element] = None
    return list(found)


def _is_unseen(element: "HtmlElement", page: _Page) -> bool:
    if element.get("hidden") is not None or element.get("popover") is not None:
        return True
    if "mw-editsection" in (element.get("class") or ""):
        return True
    style = page.styles.of(element)
    return style.hides or _is_painted_over(element, style, page)


def _is_silent(element: "HtmlElement") -> bool:
    return element.get("aria-hidden") == "true" and len(str(element.text_content()).split()) >= _MIN_WORDS


def _is_painted_over(element: "HtmlElement", style: Appearance, page: _Page) -> bool:
    """Text in the colour of what is behind it."""
    if style.color is None or style.has_picture:
        return False
    parent = element.getparent()
    if parent not in page.behind:
        page.behind[parent] = _background(element, page)
    behind = style.background or page.behind[parent]
    return behind is not None and _is_near(style.color, behind)


def _background(element: "HtmlElement", page: _Page) -> Colour | None:
    """The colour behind an element; none where a picture or a style sheet elsewhere may decide it."""
    for ancestor in element.iterancestors():
        style = page.styles.of(ancestor)
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
    from lxml import etree  # lazy: the server itself parses no markup

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
