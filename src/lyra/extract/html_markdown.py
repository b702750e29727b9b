"""A page of HTML as Markdown, whole: headings, paragraphs, quotations, links, notes, lists and tables."""

import re
from typing import TYPE_CHECKING

from lyra.extract.tree import parse

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_BLOCKS = frozenset(
    "address article aside blockquote dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main "
    "nav ol p pre section table tbody thead tr ul body".split()
)
_DROPPED = frozenset("script style noscript template svg head title button select option textarea".split())


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
        self._is_line_open = False

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
            if self._is_mark(element):
                self.parts.append(f"[^{str(element.get('href'))[1:]}]")
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
        self.parts.append(re.sub(r"\s+", " ", text))

    def _open(self, element: "HtmlElement") -> None:
        tag = str(element.tag)
        note = str(element.get("id") or "")
        if tag in _BLOCKS:
            self.parts.append("\n" if tag in ("li", "tr") else "\n\n")
            self._is_line_open = False
        if note in self._notes and tag in _BLOCKS:
            self.parts.append(f"\n\n[^{note}]: ")
        elif re.fullmatch("h[1-6]", tag):
            self.parts.append(f"{'#' * int(tag[1])} ")
        elif tag == "li":
            self.parts.append("- ")
        elif tag == "blockquote":
            self._quotes += 1
        elif tag in ("td", "th"):
            self.parts.append("| ")
        elif tag == "br":
            self.parts.append(" ")
        elif tag == "q":
            self.parts.append("“")
        elif tag == "a":
            self.parts.append(self._link(element, is_end=False))

    def _close(self, element: "HtmlElement") -> None:
        tag = str(element.tag)
        if tag == "q":
            self.parts.append("”")
        elif tag == "a":
            self.parts.append(self._link(element, is_end=True))
        elif tag == "tr":
            self.parts.append(" |")
        elif tag in _BLOCKS and tag != "li":
            self._quotes -= tag == "blockquote"
            self._is_line_open = False
            self.parts.append("\n\n")

    def _is_mark(self, element: "HtmlElement") -> bool:
        target = str(element.get("href") or "")
        return element.tag == "a" and target.startswith("#") and target[1:] in self._notes

    def _link(self, element: "HtmlElement", *, is_end: bool) -> str:
        target = str(element.get("href") or "")
        if not re.match(r"https?://\S+$", target):
            return ""
        return f"]({target.replace('(', '%28').replace(')', '%29')})" if is_end else "["
