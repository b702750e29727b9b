"""Parts of a page that extractors lose or keep wrongly: captions, lede, boilerplate lines, references."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lyra.extract.blocks import Block, single_line
from lyra.extract.tree import text_of
from lyra.model.page import FragmentType
from lyra.word_lists import word_lists

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MIN_CAPTION_CHARS, _MAX_CAPTION_CHARS, _MAX_CAPTIONS = 20, 3_000, 200


def keep_captions(tree: "HtmlElement") -> frozenset[str]:
    """Set each caption as a paragraph of its own beside its figure or table; returns their words."""
    found: set[str] = set()
    # A numbered one is referred to from the text; the words under a photograph are not evidence of anything.
    label = word_lists("lyra.extract", "page_parts", "en", "ja").pattern("caption")
    for caption in list(tree.iter("figcaption", "caption"))[:_MAX_CAPTIONS]:
        text = single_line(text_of(caption, " "))
        owner = next(caption.iterancestors("figure", "table"), None)
        if owner is None or not _MIN_CAPTION_CHARS <= len(text) <= _MAX_CAPTION_CHARS or not label.match(text):
            continue
        paragraph = caption.makeelement("p")
        paragraph.text = text
        caption.drop_tree()
        owner.addprevious(paragraph)
        found.add(text)
    return frozenset(found)


def mark_captions(blocks: Sequence[Block], captions: frozenset[str]) -> list[Block]:
    """The blocks, with those that are captions called so."""
    return [replace(block, type=FragmentType.FIGURE) if block.text in captions else block for block in blocks]


_MAX_BOILERPLATE_CHARS = 220


def is_boilerplate(text: str) -> bool:
    """Whether a short passage is an invitation, a credit or a consent line."""
    lists = word_lists("lyra.extract", "page_lines", "en", "ja", "de", "fr", "others")
    if lists.pattern("only_numbers").match(text):
        return True
    if len(text) > 2 * _MAX_BOILERPLATE_CHARS:
        return False
    if lists.pattern("consent").search(text):
        return True
    return len(text) <= _MAX_BOILERPLATE_CHARS and bool(lists.pattern("opening").match(text))


if TYPE_CHECKING:
    from lxml.html import HtmlElement

_CANDIDATES = frozenset({"p", "div", "h2", "h3", "section", "span"})
_OUTSIDE = frozenset(
    {"nav", "aside", "footer", "figure", "figcaption", "form", "button", "noscript", "script", "style"}
)
_LEDE_CLASS = re.compile(
    r"\b(?:lead|lede|intro|teaser|excerpt|summary|standfirst|sub-?title|sub-?head(?:line)?|description|dek|deck|abstract|"
    r"chapo|chapeau|vorspann|bajada|copete)",
    re.IGNORECASE,
)
_NOT_LEDE_CLASS = re.compile(
    r"nav|menu|bread|share|social|byline|author|date|meta|caption|credit|cookie|newsletter|promo|\bads?\b|advert|related|"
    r"tags|comment|widget|sidebar|banner|login|modal|toolbar|hidden",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…。！？»”\"][\W]*$")
_MIN_LEDE_CHARS, _MAX_LEDE_CHARS = 40, 1_000
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
            text = single_line(text_of(element, " "))
            if _key(text[:200]).startswith(first):
                return between or []
            if between is not None and element.tag in _CANDIDATES:
                between.append((element, text))
    return []


def _is_lede(element: "HtmlElement", text: str, *, is_described: bool) -> bool:
    if not _MIN_LEDE_CHARS <= len(text) <= _MAX_LEDE_CHARS or is_boilerplate(text):
        return False
    lineage = [node for node in (element, *element.iterancestors()) if node.tag not in {"body", "html"}]
    if any(node.tag in _OUTSIDE or _NOT_LEDE_CLASS.search(_class_and_id(node)) for node in lineage):
        return False
    linked = sum(len(single_line(text_of(link, " "))) for link in element.iter("a"))
    if linked > 0.3 * len(text):
        return False
    return (
        is_described
        or bool(_SENTENCE_END.search(text))
        or any(_LEDE_CLASS.search(_class_and_id(node)) for node in lineage[:2])
    )


def _class_and_id(element: "HtmlElement") -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"


if TYPE_CHECKING:
    from lxml.html import HtmlElement

_REFERENCES_CLASS = re.compile(
    r"(?:^|[\s_-])(?:references?|reflist|footnotes?|endnotes?|citations?|bibliography|works-cited|sources)(?:$|[\s_-])",
    re.IGNORECASE,
)
_REFERENCE_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_REFERENCE_CONTAINERS = ("section", "div", "ol", "ul", "details")


def reference_hrefs(tree: "HtmlElement") -> Iterator[str]:
    """The `href` of every link in a list of references: what is marked as one, or is under such a heading."""
    for element in tree.iter(*_REFERENCE_CONTAINERS):
        if _REFERENCES_CLASS.search(f"{element.get('id') or ''} {element.get('class') or ''}"):
            yield from _hrefs(element)
    named = word_lists("lyra.extract", "page_parts", "en", "ja").pattern("reference_heading")
    for heading in tree.iter(*_REFERENCE_HEADINGS):
        if named.fullmatch(heading.text_content()[:80]):
            yield from _under(heading)


def _under(heading: "HtmlElement") -> Iterator[str]:
    """Links between a heading and the next of its rank or a higher one."""
    for sibling in heading.itersiblings():
        if sibling.tag in ("h1", *_REFERENCE_HEADINGS) and sibling.tag <= heading.tag:
            return
        yield from _hrefs(sibling)


def _hrefs(element: "HtmlElement") -> Iterator[str]:
    return (href for anchor in element.iter("a") if (href := anchor.get("href")))
