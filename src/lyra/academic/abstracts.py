"""A work's abstract as a document, so that a paper found through an API becomes a page with fragments."""

from urllib.parse import quote

from lyra import text
from lyra.academic.identity import arranged
from lyra.model.page import Document, Heading, Identifier, Passage
from lyra.model.work import Work
from lyra.urls import RESOLVERS
from lyra.word_lists import word_lists

# How a page that is an abstract names its extractor; the APIs that gave it follow.
PREFIX = "abstract:"
# What a path may hold as it is (RFC 3986); old DOIs have angle brackets, which it may not.
_IN_ADDRESSES = "/:;()+,=&@!*~'$"
# About a paragraph: long unstructured abstracts are cut at sentences so that a fragment stays one thought.
_PASSAGE_CHARS = 900


def address(work: Work) -> str | None:
    """Where the work is found: its DOI's resolver, PubMed, arXiv, else the API's own page."""
    return next((resolver(identifier) for identifier in arranged(work.identifiers)), work.url)


def resolver(identifier: Identifier) -> str:
    """The address that leads to the paper of an identifier."""
    return RESOLVERS[identifier.kind].format(quote(identifier.value, safe=_IN_ADDRESSES))


def document(work: Work) -> Document | None:
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
        extractor=f"{PREFIX}{work.source_api}",
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
