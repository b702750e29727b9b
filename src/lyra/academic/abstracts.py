"""A work's abstract as a document, from a work or from an API's archived answer."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from lyra import text
from lyra.academic import openalex, semantic_scholar
from lyra.academic.identity import ordered_identifiers
from lyra.model.page import Document, Heading, Identifier, Passage
from lyra.model.work import Work
from lyra.urls import RESOLVERS
from lyra.word_lists import word_lists

# How a page that is an abstract names its extractor; the APIs that gave it follow.
ABSTRACT_PREFIX = "abstract:"
# What a path may hold as it is (RFC 3986); old DOIs have angle brackets, which it may not.
_IN_ADDRESSES = "/:;()+,=&@!*~'$"
# About a paragraph: long unstructured abstracts are cut at sentences so that a fragment stays one thought.
_PASSAGE_CHARS = 900
# Answers nest works three deep: the list, the link, the paper.
_DEPTH = 5


def work_address(work: Work) -> str | None:
    """Where the work is found: its DOI's resolver, PubMed, arXiv, else the API's own page."""
    return next((resolver_address(identifier) for identifier in ordered_identifiers(work.identifiers)), work.url)


def resolver_address(identifier: Identifier) -> str:
    """The address that leads to the paper of an identifier."""
    return RESOLVERS[identifier.kind].format(quote(identifier.value, safe=_IN_ADDRESSES))


def abstract_document(work: Work) -> Document | None:
    """The abstract as located passages under the paper's title; none where there is no abstract."""
    if not work.abstract:
        return None
    return Document(
        title=work.title,
        text=work.abstract,
        language=text.language_of(work.abstract),
        date=work.published,
        authors=work.authors,
        page_type="paper",
        passages=_passages(work.title, work.abstract),
        identifiers=work.identifiers,
        extractor=f"{ABSTRACT_PREFIX}{work.source_api}",
    )


def _passages(title: str, abstract: str) -> tuple[Passage, ...]:
    passages: list[Passage] = []
    for start, end, label in _sections(abstract):
        headings = (Heading(1, title), Heading(2, label)) if label else (Heading(1, title),)
        for begin, stop in _paragraphs(abstract, start, end):
            passages.append(Passage(abstract[begin:stop], begin, stop, headings=headings, element_index=len(passages)))
    return tuple(passages)


def _sections(abstract: str) -> list[tuple[int, int, str]]:
    """Start and end of each labelled section's own words; one section without label where there are none."""
    label = word_lists("lyra.academic", "scholarship", "en", "ja").pattern("label")
    labels = list(label.finditer(abstract))
    if not labels:
        return [(0, len(abstract), "")]
    opening = [(0, labels[0].start(), "")] if abstract[: labels[0].start()].strip() else []
    ends = [label.start() for label in labels[1:]] + [len(abstract)]
    return opening + [(label.end(), end, label[1]) for label, end in zip(labels, ends, strict=True)]


def _paragraphs(abstract: str, start: int, end: int) -> list[tuple[int, int]]:
    """Whole sentences gathered up to about a paragraph."""
    spans: list[tuple[int, int]] = []
    for begin, stop in text.sentences(abstract[start:end]):
        if spans and start + stop - spans[-1][0] <= _PASSAGE_CHARS:
            spans[-1] = (spans[-1][0], start + stop)
        else:
            spans.append((start + begin, start + stop))
    return spans


def archived_abstracts(body: bytes) -> list[Document]:
    """Every abstract in an API's archived answer; none where it is not an answer."""
    try:
        value = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return []
    return [document for work in _works(value, _DEPTH) if (document := abstract_document(work)) is not None]


def _works(value: Any, depth: int) -> Iterator[Work]:
    """Every work in an answer, whichever API gave it."""
    if isinstance(value, Mapping):
        read = openalex.read_work if "abstract_inverted_index" in value else semantic_scholar.read_work
        work = read(value)
        if work is not None:
            yield work
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    if depth:
        for one in inner:
            yield from _works(one, depth - 1)
