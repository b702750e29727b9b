"""Text of a page that no reader sees: by its own style sheet, attributes, comments. It is no evidence; it is scanned.

Only what the page itself says is known here: a style sheet on another address is not fetched. Where a colour depends on
one, the text is read. What is decided is each text, by how it looks where it stands.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.extract.computed_styles import ComputedStyles
from lyra.extract.formulas import read_formulas

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
_NO_TEXT = frozenset({"script", "style", "template", "head", "title"})


@dataclass(frozen=True, slots=True)
class HiddenText:
    """The words that no reader of a page sees, a piece each, bounded; `prose_chars` counts those of elements."""

    pieces: tuple[str, ...] = ()
    prose_chars: int = 0


def take_hidden(tree: "HtmlElement", markup: str) -> HiddenText:
    """Remove what a reader of the page does not see from the tree, and return its words."""
    # Held until all that knows their children is freed: lxml would search what is left of each for every child.
    removed: list[HtmlElement] = []
    dropped = _dropped(tree, ComputedStyles(tree), removed)
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


def _dropped(tree: "HtmlElement", looks: ComputedStyles, removed: list["HtmlElement"]) -> list[str]:
    """What styles hide goes however much it is; a page that shows nothing without its scripts has no text."""
    copies = read_formulas(tree, lambda element: not looks.is_seen(element))
    found = looks.elements_maybe_hidden()
    unseen = _outermost([element for element in found if not looks.is_seen(element)])
    words = [text for element in unseen for text in _take_unseen(element, looks, removed)]
    silent = _outermost([element for element in found if _is_silent(element) and tree in element.iterancestors()])
    silent_words = [str(element.text_content()) for element in silent]
    if sum(map(len, silent_words)) < _MOST_SILENT * len(tree.text_content()):
        for element in silent:
            _removed(element, removed)
    return words + silent_words + copies


def _outermost(hidden: list["HtmlElement"]) -> list["HtmlElement"]:
    """Without those that stand inside another one."""
    inside = set(hidden)
    return [one for one in hidden if not any(ancestor in inside for ancestor in one.iterancestors())]


def _take_unseen(element: "HtmlElement", looks: ComputedStyles, removed: list["HtmlElement"]) -> list[str]:
    """Remove an element, or of one that shows something inside it what does not show; the words that went."""
    shown = _with_shown(element, looks)
    if not shown:
        return [_removed(element, removed)] if element.getparent() is not None else []
    words = []
    for one in list(element.iter("*")):
        if one in shown:
            words += [] if looks.is_seen(one) else [_emptied(one)]
        elif one.getparent() in shown and one.tag not in _NO_TEXT:
            words.append(_removed(one, removed))
    return words


def _with_shown(element: "HtmlElement", looks: ComputedStyles) -> set["HtmlElement"]:
    """The elements inside, and it itself, that show text or hold one that does; body and html always stay."""
    shown: set[HtmlElement] = set(element.iter("html", "body", "head"))
    if looks.is_not_rendered(element):
        return shown
    for one in element.iter("*"):
        if one.tag not in _NO_TEXT and _has_text(one) and looks.is_seen(one):
            for holder in (one, *one.iterancestors()):
                if holder in shown:
                    break
                shown.add(holder)
    return shown


def _has_text(element: "HtmlElement") -> bool:
    return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)


def _removed(element: "HtmlElement", removed: list["HtmlElement"]) -> str:
    words = str(element.text_content())
    removed.append(element)
    element.drop_tree()
    return words


def _emptied(element: "HtmlElement") -> str:
    """Take the text that stands directly in an element, and the style by which a later pass would drop the rest."""
    element.attrib.pop("style", None)
    words = [element.text or "", *(child.tail or "" for child in element)]
    element.text = None
    for child in element:
        child.tail = None
    return " ".join(words)


def _is_silent(element: "HtmlElement") -> bool:
    return element.get("aria-hidden") == "true" and len(str(element.text_content()).split()) >= _MIN_WORDS


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
