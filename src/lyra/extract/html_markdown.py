"""A page of HTML as Markdown, whole: headings, paragraphs, quotations, links, notes, lists and tables."""

import re
from itertools import islice
from typing import TYPE_CHECKING

from lyra.extract.tree import parse

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_BLOCKS = frozenset(
    "address article aside blockquote dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main "
    "nav ol p pre section table tbody thead tr ul body".split()
)
_LISTS = ("ol", "ul")
# What is one line of Markdown.
_ONE_LINE = frozenset("h1 h2 h3 h4 h5 h6 td th a q blockquote".split())
_DROPPED = frozenset("script style noscript template svg head title button select option textarea".split())
# Numbers as they stand for notes, powers and units; words such as "th" stay as they are.
_RAISED = re.compile(r"[(]?\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,8}[)]?")
_MOST_IN_RAISED = 20
_RAISED_SIGNS = str.maketrans("0123456789()–-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁽⁾⁻⁻", " ")


def html_markdown(markup: str) -> str:
    """The words of a page in order; links to notes on the page become notes."""
    tree = parse(markup)
    if tree is None:
        return ""
    writer = _Writer(_noted(tree))
    writer.walk(tree)
    return re.sub(r"\n{3,}", "\n\n", "".join(writer.parts)).strip()


def _noted(tree: "HtmlElement") -> frozenset[str]:
    """Ids that short links on the page lead to: marks such as 1 or [1]."""
    marks = (one for one in tree.iter("a") if str(one.get("href", "")).startswith("#"))
    short = (one for one in marks if re.fullmatch(r"[\[(]?\w{1,3}[\])]?", "".join(one.itertext()).strip()))
    ids = {str(one.get("href"))[1:] for one in short}
    return frozenset(str(one.get("id")) for one in tree.iter() if one.get("id") in ids)


class _Writer:
    """Collects the pieces; `notes` are the ids of notes."""

    def __init__(self, notes: frozenset[str]) -> None:
        self.parts: list[str] = []
        self._notes = notes
        self._quotes = 0
        self._lists: list[_Numbering] = []
        self._is_line_open = False
        # Open elements within which a line of Markdown may not be broken.
        self._lines_kept = 0
        self._is_after_break = False
        # How many parts there were when the last of them were words of the page, and no sign of ours.
        self._words_end = 0

    def walk(self, root: "HtmlElement") -> None:
        """Every element in order, without recursion: markup may be nested without end."""
        stack: list[tuple[HtmlElement, bool]] = [(root, False)]
        while stack:
            element, is_end = stack.pop()
            if is_end:
                self._close(element)
                self._text(element.tail)
                continue
            if not isinstance(element.tag, str) or element.tag in _DROPPED:
                self._text(element.tail)
                continue
            inline = self._mark(element) or self._raised(element)
            if inline:
                self._attach(inline)
                self._text(element.tail)
                continue
            self._open(element)
            self._text(element.text)
            stack.append((element, True))
            stack += [(child, False) for child in reversed(element)]

    def _text(self, text: str | None) -> None:
        if not text:
            return
        if self._quotes and text.strip() and not self._is_line_open:
            self.parts.append("> ")
            self._is_line_open = True
        words = re.sub(r"\s+", " ", text)
        self.parts.append(words.lstrip(" ") if self._is_after_break else words)
        self._is_after_break = self._is_after_break and not words.strip()
        self._words_end = len(self.parts)

    def _open(self, element: "HtmlElement") -> None:
        tag = str(element.tag)
        self._lines_kept += tag in _ONE_LINE
        note = str(element.get("id") or "")
        if tag in _BLOCKS:
            self.parts.append("\n" if tag in ("li", "tr") else "\n\n")
            self._is_line_open = False
        sign = self._lists[-1].sign(element) if tag == "li" and self._lists else "- "
        if tag in _LISTS:
            self._lists.append(_Numbering(element))
        if note in self._notes and tag in _BLOCKS:
            self.parts.append(f"\n\n[^{note}]: ")
        elif re.fullmatch("h[1-6]", tag):
            self.parts.append(f"{'#' * int(tag[1])} ")
        elif tag == "li":
            self.parts.append(sign)
        elif tag == "blockquote":
            self._quotes += 1
        elif tag in ("td", "th"):
            self.parts.append("| ")
        elif tag == "br":
            self._break()
        elif tag == "q":
            self.parts.append("“")
        elif tag == "a":
            self.parts.append(self._link(element, is_end=False))

    def _close(self, element: "HtmlElement") -> None:
        tag = str(element.tag)
        self._lines_kept -= tag in _ONE_LINE
        if tag == "q":
            self.parts.append("”")
        elif tag == "a":
            self.parts.append(self._link(element, is_end=True))
        elif tag == "tr":
            self.parts.append(" |")
        elif tag in _BLOCKS and tag != "li":
            if tag in _LISTS:
                self._lists.pop()
            self._quotes -= tag == "blockquote"
            self._is_line_open = False
            self.parts.append("\n\n")

    def _break(self) -> None:
        """A new line, which an entry of a list of references may begin; a blank where a line is one cell or heading."""
        self._is_after_break = not self._lines_kept
        self.parts.append(" " if self._lines_kept else "\n")

    def _mark(self, element: "HtmlElement") -> str:
        """A link to a note as its mark; nothing for other elements."""
        target = str(element.get("href") or "")
        is_mark = element.tag == "a" and target.startswith("#") and target[1:] in self._notes
        return f"[^{target[1:]}]" if is_mark else ""

    def _attach(self, mark: str) -> None:
        """Put a mark behind the last word: a blank before it would make it one of its own."""
        if self._words_end == len(self.parts) > 0:
            self.parts[-1] = self.parts[-1].rstrip(" ")
        self.parts.append(mark)

    def _raised(self, element: "HtmlElement") -> str:
        """A superscript of numbers, none of them a link, in raised digits; nothing for other elements."""
        inside = list(islice(element.iter(), _MOST_IN_RAISED)) if element.tag == "sup" else []
        if not inside or len(inside) == _MOST_IN_RAISED:
            return ""
        words = "".join(element.itertext()).strip()
        is_linked = any(one.tag == "a" and bool(self._mark(one) or self._link(one, is_end=False)) for one in inside)
        return words.translate(_RAISED_SIGNS) if _RAISED.fullmatch(words) and not is_linked else ""

    def _link(self, element: "HtmlElement", *, is_end: bool) -> str:
        target = str(element.get("href") or "")
        if not re.match(r"https?://\S+$", target):
            return ""
        return f"]({target.replace('(', '%28').replace(')', '%29')})" if is_end else "["


class _Numbering:
    """The numbers of a list's items; of a list with bullets there are none."""

    def __init__(self, element: "HtmlElement") -> None:
        self._is_ordered = element.tag == "ol"
        self._step = -1 if element.get("reversed") is not None else 1
        self._next = _whole(element.get("start"), sum(one.tag == "li" for one in element) if self._step < 0 else 1)

    def sign(self, item: "HtmlElement") -> str:
        """What the next item of the list begins with."""
        number = _whole(item.get("value"), self._next)
        self._next = number + self._step
        return f"{number}. " if self._is_ordered else "- "


def _whole(value: object, default: int) -> int:
    return int(str(value)) if re.fullmatch(r"\s*-?\d{1,9}\s*", str(value)) else default
