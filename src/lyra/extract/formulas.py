"""Formulas of a page, each read once and as it is shown.

Pages carry a formula up to three times: as it is shown (letters in boxes, a picture, MathML), as MathML for screen
readers, and as its TeX source inside that. Only the first is what a reader sees. The hidden MathML knows what is above
and below a line, so it is read where it has the letters and digits of what is shown, or where a picture is shown.
"""

import re
import unicodedata
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

IsHidden = Callable[["HtmlElement"], bool]
_MOST_FORMULAS = 5_000
_MOST_LEVELS = 8
_FRAME_CLASSES = frozenset({"katex", "MathJax", "mwe-math-element"})
_SILENT = """descendant::*[@aria-hidden and ancestor-or-self::*[self::mjx-container
    or contains(concat(' ', @class, ' '), ' katex ') or contains(concat(' ', @class, ' '), ' MathJax ')]]"""
# Hidden by style sheets that are usually elsewhere: KaTeX's, MathJax's, and those of sites.
_COPY_CLASSES = frozenset(
    "katex-mathml MJX_Assistive_MathML mwe-math-mathml-a11y sr-only visually-hidden visuallyhidden "
    "screen-reader-text".split()
)
_PICTURES = ("img", "svg", "mjx-math")
_UNSEEN = frozenset({"annotation", "annotation-xml", "mphantom", "script", "style"})
_COMMAND = re.compile(r"\\[A-Za-z]+")
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_MOST_LONG_WORDS = 3
_MOST_WIDE_CHARS = 10


def read_formulas(tree: "HtmlElement", is_hidden: IsHidden) -> list[str]:
    """Put plain text in the place of every formula; the copies that say something else are returned."""
    hidden: list[str] = []
    for element in tree.xpath(_SILENT):
        del element.attrib["aria-hidden"]  # screen readers are given the copy; the page shows this
    for math in list(islice(tree.iter("math"), _MOST_FORMULAS)):
        if tree in math.iterancestors() and next(math.iterancestors("math"), None) is None:
            hidden += _replace_formula(math, is_hidden)
    return hidden


def _replace_formula(math: "HtmlElement", is_hidden: IsHidden) -> list[str]:
    frame, copy = _frame_of(math), _copy_of(math, is_hidden)
    spelled = spell(math, is_hidden)
    unseen = [text for element in math.iterdescendants() if _is_prose(text := _unseen_words(element, is_hidden))]
    if copy is None:
        _put(math, spelled)
        return unseen
    place = frame if frame is not None and copy in frame.iterdescendants() else _beside(copy)
    copied = " ".join(str(copy.text_content()).split())
    _put(copy, "")
    if place is None:
        return [copied]
    shown = " ".join(str(place.text_content()).split())
    is_same = _letters(shown) == _letters(spelled)
    is_pictured = not _letters(shown) and _has_picture(place) and not _is_prose(spelled)
    _put(place, spelled if is_same or is_pictured else shown)
    return unseen if is_same or is_pictured else [copied]


def spell(element: "HtmlElement", is_hidden: IsHidden) -> str:
    """A formula in one line: `E=mc^2`, `(a+b)/c`, `√(x)`."""
    parts = [spell(child, is_hidden) for child in element if _is_seen(child, is_hidden)]
    if not parts:
        text = " ".join((element.text or "").split())
        return f" {text} " if element.tag in ("mtext", "ms") and text else text
    match element.tag, parts:
        case "mfrac", [above, below]:
            return f"{_grouped(above)}/{_grouped(below)}"
        case "msup" | "mover", [base, above]:
            return f"{_grouped(base)}^{_grouped(above)}"
        case "msub" | "munder", [base, below]:
            return f"{_grouped(base)}_{_grouped(below)}"
        case "msubsup" | "munderover", [base, below, above]:
            return f"{_grouped(base)}_{_grouped(below)}^{_grouped(above)}"
        case "msqrt", _:
            return f"√{_grouped(''.join(parts))}"
        case "mroot", [base, degree]:
            return f"{_grouped(base)}^(1/{degree})"
        case "mtable", _:
            return "; ".join(parts)
        case "mtr" | "mlabeledtr", _:
            return ", ".join(parts)
    return "".join(parts)


def _grouped(text: str) -> str:
    text = text.strip()
    is_plain = len(text) == 1 or text.replace(".", "").isdigit()
    return text if is_plain or (text[:1] == "(" and text.find(")") == len(text) - 1) else f"({text})"


def _unseen_words(element: "HtmlElement", is_hidden: IsHidden) -> str:
    return "" if _is_seen(element, is_hidden) else str(element.text_content())


def _is_seen(element: "HtmlElement", is_hidden: IsHidden) -> bool:
    if not isinstance(element.tag, str) or element.tag in _UNSEEN:
        return False
    return not (element.attrib and is_hidden(element))


def _frame_of(math: "HtmlElement") -> "HtmlElement | None":
    """What holds the formula and its copies, where a library made it and it holds no other."""
    for ancestor in islice(math.iterancestors(), _MOST_LEVELS):
        if ancestor.tag == "mjx-container" or _FRAME_CLASSES & set((ancestor.get("class") or "").split()):
            return ancestor if next(islice(ancestor.iter("math"), 1, None), None) is None else None
    return None


def _copy_of(math: "HtmlElement", is_hidden: IsHidden) -> "HtmlElement | None":
    """The outermost element with nothing but the MathML in it by which it is hidden, if it is."""
    found = None
    inner = math
    for element in (math, *islice(math.iterancestors(), _MOST_LEVELS)):
        if element is not math and (len(element) > 1 or (element.text or "").strip() or (inner.tail or "").strip()):
            break
        is_copy = element.tag == "mjx-assistive-mml" or _COPY_CLASSES & set((element.get("class") or "").split())
        if is_copy or is_hidden(element):
            found = element
        inner = element
    return found


def _beside(copy: "HtmlElement") -> "HtmlElement | None":
    """The neighbour that is shown to readers who see, in place of the copy."""
    for neighbour in (copy.getnext(), copy.getprevious()):
        if neighbour is not None and (neighbour.tag in _PICTURES or neighbour.get("aria-hidden") == "true"):
            return neighbour
    return None


def _has_picture(place: "HtmlElement") -> bool:
    return next(place.iter(*_PICTURES), None) is not None


def _letters(text: str) -> list[str]:
    return sorted(char for char in unicodedata.normalize("NFKC", text) if char.isalnum())


def _is_prose(text: str) -> bool:
    """More words than names of functions and units: what no picture of a formula shows."""
    text = _COMMAND.sub(" ", text)
    wide = sum(char.isalpha() and unicodedata.east_asian_width(char) == "W" for char in text)
    return len(set(_LONG_WORD.findall(text))) > _MOST_LONG_WORDS or wide >= _MOST_WIDE_CHARS


def _put(element: "HtmlElement", text: str) -> None:
    """The text in the place of the element, apart from the words around it; what follows it stays."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    if text:
        written = (parent.text if before is None else before.tail) or ""
        written += f" {text}" if written[-1:].isalnum() else text
        written += " " if (element.tail or "")[:1].isalnum() else ""
        if before is None:
            parent.text = written
        else:
            before.tail = written
    element.drop_tree()
