"""The paragraph between headline and body, which extractors that look for the body's container lose."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lyra.extract.furniture import is_boilerplate
from lyra.extract.passages import Block, on_one_line
from lyra.extract.tree import text_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_CANDIDATES = frozenset({"p", "div", "h2", "h3", "section", "span"})
_OUTSIDE = frozenset(
    {"nav", "aside", "footer", "figure", "figcaption", "form", "button", "noscript", "script", "style"}
)
_NAMED = re.compile(
    r"\b(?:lead|lede|intro|teaser|excerpt|summary|standfirst|sub-?title|sub-?head(?:line)?|description|dek|deck|abstract|"
    r"chapo|chapeau|vorspann|bajada|copete)",
    re.IGNORECASE,
)
_NAMED_OTHERWISE = re.compile(
    r"nav|menu|bread|share|social|byline|author|date|meta|caption|credit|cookie|newsletter|promo|\bads?\b|advert|related|"
    r"tags|comment|widget|sidebar|banner|login|modal|toolbar|hidden",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…。！？»”\"][\W]*$")
_SHORTEST, _LONGEST = 40, 1_000
_MAX_LEDES = 2


def find_lede(tree: "HtmlElement", blocks: Sequence[Block], *, title: str, description: str) -> list[Block]:
    """Paragraphs after the main heading and before the first extracted block that are not among the blocks."""
    first = next((key for block in blocks[:3] if len(key := _key(block.text)[:60]) > 20), None)
    body = tree.find("body")
    if first is None or body is None:
        return []
    known = _key(" ".join(block.text for block in blocks))
    found: list[str] = []
    for element, text in _texts_before(body, first, _key(title)):
        key = _key(text)
        is_new = key[:40] not in known and not any(key in _key(other) for other in found)
        if is_new and _is_lede(element, text, is_described=key[:40] == _key(description)[:40]):
            found.append(text)
    return [Block(text) for text in found[:_MAX_LEDES]]


def _key(text: str) -> str:
    return re.sub(r"\W+", "", text).lower()


def _texts_before(body: "HtmlElement", first: str, title: str) -> list[tuple["HtmlElement", str]]:
    """Elements with words of their own between the last main heading and the first block; none without both."""
    between: list[tuple[HtmlElement, str]] | None = None
    for element in body.iter("h1", *_CANDIDATES, "li", "td"):
        if element.tag == "h1" or (element.tag in {"h2", "h3"} and title and _key(text_of(element)) == title):
            between = []
        elif element.tag in {"p", "h2", "h3", "li", "td"} or (element.text or "").strip():
            text = on_one_line(text_of(element, " "))
            if _key(text[:200]).startswith(first):
                return between or []
            if between is not None and element.tag in _CANDIDATES:
                between.append((element, text))
    return []


def _is_lede(element: "HtmlElement", text: str, *, is_described: bool) -> bool:
    if not _SHORTEST <= len(text) <= _LONGEST or is_boilerplate(text):
        return False
    lineage = [node for node in (element, *element.iterancestors()) if node.tag not in {"body", "html"}]
    if any(node.tag in _OUTSIDE or _NAMED_OTHERWISE.search(_names(node)) for node in lineage):
        return False
    linked = sum(len(on_one_line(text_of(link, " "))) for link in element.iter("a"))
    if linked > 0.3 * len(text):
        return False
    return is_described or bool(_SENTENCE_END.search(text)) or any(_NAMED.search(_names(node)) for node in lineage[:2])


def _names(element: "HtmlElement") -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"
