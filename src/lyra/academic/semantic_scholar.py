"""Semantic Scholar's Graph API."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from lyra.academic import fields
from lyra.academic.api import failed_answer, links_answer, merge_answers, works_answer
from lyra.academic.identity import canonical_id, ordered_identifiers
from lyra.apis.client import ApiClient, ApiCooldown, ApiFailure, ApiReply
from lyra.clock import Clock
from lyra.model.page import ArchiveRef, Getter, Identifier
from lyra.model.search import SearchOutcome
from lyra.model.work import AcademicAnswer, CitationLink, Work

NAME = "semantic_scholar"
_ROOT = "https://api.semanticscholar.org/graph/v1"
_FIELDS = "title,abstract,authors,year,publicationDate,venue,externalIds,url,citationCount"
# The API refuses more ids in one batch.
_BATCH = 500
_PREFIXES = {"doi": "DOI", "pmid": "PMID", "arxiv": "ARXIV"}
_PAPER_PAGE = re.compile(r"https://www\.semanticscholar\.org/paper/(?:[^/]+/)?([0-9a-f]{40})")


class SemanticScholar:
    """Works, references and citations, with the API's flag of influence."""

    name = NAME

    def __init__(self, getter: Getter, clock: Clock, cooldown: ApiCooldown, key: str | None = None) -> None:
        self._client = ApiClient(NAME, getter, clock, cooldown, (("x-api-key", key),) if key else ())

    async def search(self, query: str, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        asked = urlencode({"query": _plain(query), "limit": limit, "fields": _FIELDS})
        reply = await self._client.get(f"{_ROOT}/paper/search?{asked}", cause_id=cause_id)
        return failed_answer(reply.failure) if reply.failure else _works(_data(reply.value), limit, reply.archive)

    async def by_identifiers(self, identifiers: Sequence[Identifier], *, cause_id: str | None = None) -> AcademicAnswer:
        url = f"{_ROOT}/paper/batch?{urlencode({'fields': _FIELDS})}"
        ids = [f"{_PREFIXES[found.kind]}:{found.value}" for found in identifiers]
        answers: list[AcademicAnswer] = []
        for start in range(0, len(ids), _BATCH):
            reply = await self._client.post(url, {"ids": ids[start : start + _BATCH]}, cause_id=cause_id)
            found = failed_answer(reply.failure) if reply.failure else _works(reply.value, _BATCH, reply.archive)
            answers.append(found)
            if not answers[-1].outcome.is_answer:
                break
        return merge_answers(NAME, answers)

    async def links(self, work: Work, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        paper = _paper_id(work)
        if paper is None:
            return AcademicAnswer(NAME, SearchOutcome.EMPTY, reason="The work has no identifier that the API knows.")
        references = await self._citation_list(paper, "references", limit, cause_id)
        citations = await self._citation_list(paper, "citations", limit, cause_id)
        cited = _links(references, "citedPaper", lambda other: (work, other))
        citing = _links(citations, "citingPaper", lambda other: (other, work))
        return merge_answers(NAME, (cited, citing))

    async def _citation_list(self, paper: str, side: str, limit: int, cause_id: str | None) -> ApiReply:
        asked = urlencode({"limit": limit, "fields": f"isInfluential,{_FIELDS}"})
        name = quote(paper, safe=":/")
        reply = await self._client.get(f"{_ROOT}/paper/{name}/{side}?{asked}", cause_id=cause_id)
        if reply.failure is not None:
            return reply
        entries = _data(reply.value)
        if entries is not None and not isinstance(entries, list):  # null: the publisher keeps them to itself
            reason = "The API's answer holds no list of papers."
            return ApiReply(failure=ApiFailure(NAME, SearchOutcome.FAILED, reason))
        return ApiReply(fields.objects(entries or [])[:limit], archive=reply.archive)


def _plain(query: str) -> str:
    """Hyphens as spaces: the API finds nothing for a word with one (its documentation of `/paper/search`)."""
    return " ".join(re.sub(r"[-\u2010-\u2015\u2212]", " ", query).split())


def _paper_id(work: Work) -> str | None:
    if ordered := ordered_identifiers(work.identifiers):
        return f"{_PREFIXES[ordered[0].kind]}:{ordered[0].value}"
    match = _PAPER_PAGE.match(work.url or "")
    return match[1] if match else None


def _data(value: Any) -> Any:
    """The list of a search: absent where there are no hits; what is no such object is handed on as it is."""
    is_search = isinstance(value, Mapping) and ("total" in value or "data" in value)
    return value.get("data") if is_search else value


def _works(entries: Any, limit: int, archive: ArchiveRef | None) -> AcademicAnswer:
    if entries is not None and not isinstance(entries, list):
        return AcademicAnswer(NAME, SearchOutcome.FAILED, reason="The API's answer holds no list of papers.")
    papers = fields.objects((entries or [])[:limit])
    return works_answer(NAME, (work for entry in papers if (work := read_work(entry, archive)) is not None))


def _links(reply: ApiReply, key: str, pair: Callable[[Work], tuple[Work, Work]]) -> AcademicAnswer:
    if reply.failure is not None:
        return failed_answer(reply.failure)
    others = ((entry, read_work(entry.get(key), reply.archive)) for entry in reply.value)
    return links_answer(
        NAME,
        (
            CitationLink(*pair(other), is_influential=entry.get("isInfluential") is True, source_api=NAME)
            for entry, other in others
            if other is not None
        ),
    )


def read_work(entry: Any, archive: ArchiveRef | None = None) -> Work | None:
    """A paper of an answer that is archived there, or none for null and for papers without a title."""
    paper = fields.mapping(entry)
    title = fields.string(paper.get("title"))
    if title is None:
        return None
    names = (fields.string(author.get("name")) for author in fields.objects(paper.get("authors") or []))
    authors = tuple(name for name in names if name)
    year = fields.year(paper.get("year"))
    identifiers = _identifiers(fields.mapping(paper.get("externalIds")))
    # There is no flag here: a title without the mark says nothing.
    is_retracted = True if fields.is_marked_retracted(title) else None
    return Work(
        id=canonical_id(identifiers, title, year, authors[0] if authors else None),
        title=title,
        abstract=fields.abstract(paper.get("abstract")),
        authors=authors,
        year=year,
        published=fields.day(paper.get("publicationDate")) or (str(year) if year else None),
        venue=fields.string(paper.get("venue")),
        identifiers=identifiers,
        url=_page(paper),
        citation_count=fields.count(paper.get("citationCount")),
        is_retracted=is_retracted,
        source_api=NAME,
        archive=archive,
        retracted_by=NAME if is_retracted else "",
    )


def _identifiers(external: Mapping[str, Any]) -> tuple[Identifier, ...]:
    found = (
        fields.doi(external.get("DOI")),
        fields.pmid(external.get("PubMed")),
        fields.arxiv(external.get("ArXiv")),
    )
    return ordered_identifiers(identifier for identifier in found if identifier is not None)


def _page(paper: Mapping[str, Any]) -> str | None:
    known = fields.string(paper.get("url"))
    paper_id = fields.string(paper.get("paperId"))
    return known or (f"https://www.semanticscholar.org/paper/{paper_id}" if paper_id else None)
