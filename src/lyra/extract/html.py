"""HTML to a document: the main text by trafilatura, the rest of the page for metadata."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lyra.extract.blocks import EXTRACTOR_VERSION, Block, assemble, blocks_of, single_line, without_title
from lyra.extract.classify import (
    PageSignals,
    declares_satire,
    document_language,
    page_type,
    says_satire_of_itself,
    text_quality,
)
from lyra.extract.hidden import lines_outside, text_lines
from lyra.extract.html_parts import find_lede, is_boilerplate, keep_captions, mark_captions, reference_hrefs
from lyra.extract.metadata import Metadata, read_metadata
from lyra.extract.tree import drop_navigation, head_and_foot_texts, parse_remarks, parse_visible, text_of
from lyra.model.page import Document, FragmentType, Identifier, identifiers_in
from lyra.urls import is_web_url, joined

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MAX_LINKS = 500
_SCRIPT = re.compile(r"<script\b", re.IGNORECASE)
_SHORT_CHARS = 250
_MOSTLY_HIDDEN = 10
# Less of the page's prose than this in the careful reading means that it lost the article (measured, see benchmarks).
_PROSE_SHARE = 0.3
_PARAGRAPH_CHARS = 80
_VISIBLE_CHARS = 6_000
_FOOT_CHARS = 1_500


def read_html(markup: str, url: str = "") -> Document:
    """Never raises: markup without a main text gives a document with little or no text."""
    tree, hidden = parse_visible(markup)
    if tree is None:
        return Document(title="", text="", language="und", quality=0.0, extractor=EXTRACTOR_VERSION)
    metadata = read_metadata(tree, url, visible_text(tree))
    lines, mottos = text_lines(tree), head_and_foot_texts(tree)
    drop_navigation(tree)
    captions = keep_captions(tree)
    blocks = mark_captions(main_blocks(tree, title=metadata.title, description=metadata.description), captions)
    text, passages = assemble(without_title(blocks, metadata.title))
    links, link_share = main_links(tree, url, text)
    prose = [passage.text for passage in passages if passage.type is not FragmentType.HEADING]
    outside = lines_outside(lines, text)
    is_satire = declares_satire((*outside, metadata.description), mottos) or says_satire_of_itself(prose)
    return Document(
        title=metadata.title,
        text=text,
        language=document_language(text or metadata.title, metadata.language),
        date=metadata.date,
        updated=metadata.updated,
        authors=metadata.authors,
        page_type=_page_type(metadata, url, prose, link_share, is_satire=is_satire),
        passages=passages,
        identifiers=_identifiers(metadata, links, text),
        links=_with_references(links, tree, url),
        quality=text_quality(text, link_share=link_share, paragraphs=prose),
        extractor=EXTRACTOR_VERSION,
        remarks=parse_remarks(tree),
        is_marked_retracted=metadata.is_retracted,
        site_name=metadata.site_name,
        hidden=hidden.pieces,
        outside=outside,
        needs_scripts=_needs_scripts(markup, len(text), hidden.prose_chars),
    )


def _needs_scripts(markup: str, shown_chars: int, hidden_chars: int) -> bool:
    """Whether the page shows next to nothing of what it has and a script may show the rest."""
    shows_little = shown_chars < _SHORT_CHARS and hidden_chars > _MOSTLY_HIDDEN * shown_chars
    return shows_little and _SCRIPT.search(markup) is not None


def visible_text(tree: "HtmlElement") -> str:
    """The words around the main heading and at the end of the page, where dates are written."""
    body = tree.find("body")
    if body is None:
        return ""
    text = single_line(" ".join([piece for piece in body.itertext() if len(piece) < _VISIBLE_CHARS]))
    heading = body.find(".//h1")
    mark = single_line(text_of(heading, " ")) if heading is not None else ""
    start = max(0, text.find(mark) - 300) if mark else 0
    end = start + _VISIBLE_CHARS
    return text[start:end] if len(text) <= end else f"{text[start:end]} {text[max(end, len(text) - _FOOT_CHARS) :]}"


def main_blocks(tree: "HtmlElement", *, title: str, description: str) -> list[Block]:
    """The main text, read carefully first; read again with every fallback where that lost most of the prose."""
    blocks = _read(tree, careful=True)
    if _size(blocks) < max(_SHORT_CHARS, _PROSE_SHARE * _prose_chars(tree)):
        generous = _read(tree, careful=False)
        if not blocks or _size(blocks) < _PROSE_SHARE * _size(generous):
            blocks = generous
    kept = _without_boilerplate(blocks)
    return find_lede(tree, kept, title=title, description=description) + kept


def _without_boilerplate(blocks: Sequence[Block]) -> list[Block]:
    """What is worth reading; a line of numbers alone counts pages or shares, but for the rows of a table."""
    kept: list[Block] = []
    for block in blocks:
        is_row = block.type is FragmentType.TABLE and bool(kept) and kept[-1].type is FragmentType.TABLE
        if (is_row and not any(map(str.isalpha, block.text))) or not is_boilerplate(block.text):
            kept.append(block)
    return kept


def _read(tree: "HtmlElement", *, careful: bool) -> list[Block]:
    from trafilatura import bare_extraction

    try:
        found: Any = bare_extraction(
            tree, include_comments=False, fast=careful, favor_precision=careful, output_format="xml"
        )
    except RecursionError:  # lists or quotes nested hundreds deep
        return _paragraphs(tree)
    return blocks_of(found.body) if found is not None else []


def _paragraphs(tree: "HtmlElement") -> list[Block]:
    """The plainest reading: every paragraph element, wherever it is."""
    return [Block(text) for element in tree.iter("p") if (text := single_line(text_of(element)))]


def _size(blocks: Sequence[Block]) -> int:
    return sum(len(block.text) for block in blocks)


def _prose_chars(tree: "HtmlElement") -> int:
    lengths = (len(single_line(text_of(p, " "))) for p in tree.iter("p"))
    return sum(length for length in lengths if length >= _PARAGRAPH_CHARS)


def main_links(tree: "HtmlElement", url: str, text: str) -> tuple[tuple[str, ...], float]:
    """Absolute addresses linked from the main text, and the share of the text that is linked."""
    flat = text.replace("\n", " ")
    base = _base(tree, url)
    found: dict[str, None] = {}
    standing: dict[HtmlElement, bool] = {}
    linked = at = 0
    for anchor in tree.iter("a"):
        label = single_line(text_of(anchor, " "))
        if len(label) < 2:
            continue
        # Links and text have the same order: from the last one on, the next is near.
        place = flat.find(label, at)
        at = place if place >= 0 else at
        if (place < 0 and label not in flat) or not _stands_in(anchor, flat, standing):
            continue
        linked += len(label)
        if len(found) < _MAX_LINKS and (target := _absolute(base, anchor.get("href") or "")):
            found[target] = None
    return tuple(found), min(1.0, linked / len(flat)) if flat else 0.0


def _with_references(links: Sequence[str], tree: "HtmlElement", url: str) -> tuple[str, ...]:
    """What the main text links to, then what the list of references does, each address once."""
    base = _base(tree, url)
    cited = (target for href in dict.fromkeys(reference_hrefs(tree)) if (target := _absolute(base, href)))
    return tuple(dict.fromkeys((*links, *cited)))[:_MAX_LINKS]


def _stands_in(anchor: "HtmlElement", flat: str, known: "dict[HtmlElement, bool]") -> bool:
    """Whether the words around the anchor, not only its own, are part of the text; each block is looked at once."""
    block = next(anchor.iterancestors("p", "li", "td", "th", "dd", "blockquote", "h2", "h3", "h4", "div"), anchor)
    if block not in known:
        around = single_line(text_of(block, " "))
        known[block] = len(around) >= 25 and around[:50] in flat
    return known[block]


def _base(tree: "HtmlElement", url: str) -> str:
    element = tree.find(".//base")
    return _absolute(url, (element.get("href") if element is not None else "") or "") or url


def _absolute(base: str, href: str) -> str:
    target = (joined(base, href) or "").split("#")[0]
    return target if is_web_url(target) and target != base.split("#")[0] else ""


def _page_type(metadata: Metadata, url: str, prose: Sequence[str], link_share: float, *, is_satire: bool) -> str:
    return page_type(
        PageSignals(
            url=url,
            schema_types=metadata.schema_types,
            og_type=metadata.og_type,
            has_citation_meta=metadata.has_citation_meta,
            has_article_element=metadata.has_article_element,
            prose_chars=sum(len(passage) for passage in prose if len(passage) >= _PARAGRAPH_CHARS),
            link_share=link_share,
            is_satire=is_satire,
        )
    )


def _identifiers(metadata: Metadata, links: Sequence[str], text: str) -> tuple[Identifier, ...]:
    """The page's own first, then those it links to, then those in its words."""
    found = [*metadata.identifiers, *(entry for link in links for entry in identifiers_in(link)), *identifiers_in(text)]
    return tuple(dict.fromkeys(found))
