"""The list of references of a page: no part of its text, but the pages and papers that it rests on."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lyra.word_lists import word_lists

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_NAMED = re.compile(
    r"(?:^|[\s_-])(?:references?|reflist|footnotes?|endnotes?|citations?|bibliography|works-cited|sources)(?:$|[\s_-])",
    re.IGNORECASE,
)
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_CONTAINERS = ("section", "div", "ol", "ul", "details")


def reference_hrefs(tree: "HtmlElement") -> Iterator[str]:
    """The `href` of every link in a list of references: what is marked as one, or stands under such a heading."""
    for element in tree.iter(*_CONTAINERS):
        if _NAMED.search(f"{element.get('id') or ''} {element.get('class') or ''}"):
            yield from _hrefs(element)
    named = word_lists("lyra.extract", "page_parts", "en", "ja").pattern("reference_heading")
    for heading in tree.iter(*_HEADINGS):
        if named.fullmatch(heading.text_content()[:80]):
            yield from _under(heading)


def _under(heading: "HtmlElement") -> Iterator[str]:
    """Links between a heading and the next of its rank or a higher one."""
    for sibling in heading.itersiblings():
        if sibling.tag in ("h1", *_HEADINGS) and sibling.tag <= heading.tag:
            return
        yield from _hrefs(sibling)


def _hrefs(element: "HtmlElement") -> Iterator[str]:
    return (href for anchor in element.iter("a") if (href := anchor.get("href")))
