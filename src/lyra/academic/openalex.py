"""OpenAlex's API."""

import re
from collections.abc import Iterable, Mapping, Sequence
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

NAME = "openalex"
_ROOT = "https://api.openalex.org"
_SELECT = (
    "id,doi,ids,title,display_name,publication_year,publication_date,authorships,primary_location,"
    "locations,abstract_inverted_index,cited_by_count,is_retracted"
)
# The API takes at most 100 values OR-ed in one filter; 50 keep the address short.
_BATCH = 50
_BOOLEAN = frozenset({"AND", "OR", "NOT"})
_WORK_ID = re.compile(r"W\d{1,12}")
_ARXIV_PAGE = re.compile(r"arxiv\.org/(?:abs|pdf)/([^/?#]+?(?:/\d{7})?)(?:v\d+)?(?:\.pdf)?$", re.IGNORECASE)


class OpenAlex:
    """Works, references and citations; the API has no flag of influence."""

    name = NAME

    def __init__(
        self,
        getter: Getter,
        clock: Clock,
        cooldown: ApiCooldown,
        key: str | None = None,
        contact_email: str | None = None,
    ) -> None:
        # As a header the key stays out of addresses, and with them out of archives and logs.
        self._client = ApiClient(NAME, getter, clock, cooldown, (("authorization", f"Bearer {key}"),) if key else ())
        self._contact = (("mailto", contact_email),) if contact_email else ()

    async def search(self, query: str, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        reply = await self._list((("search", _plain(query)), ("per-page", str(limit))), cause_id)
        return failed_answer(reply.failure) if reply.failure else _works(reply, limit)

    async def by_identifiers(self, identifiers: Sequence[Identifier], *, cause_id: str | None = None) -> AcademicAnswer:
        answers: list[AcademicAnswer] = []
        for filter_ in _filters(identifiers):
            reply = await self._list((("filter", filter_), ("per-page", str(_BATCH))), cause_id)
            answers.append(failed_answer(reply.failure) if reply.failure else _works(reply, _BATCH))
            if not answers[-1].outcome.is_answer:
                break
        return merge_answers(NAME, answers)

    async def links(self, work: Work, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        record = await self._record(work, cause_id)
        if record.failure is not None:
            return failed_answer(record.failure)
        found = _work_id(fields.mapping(record.value).get("id"))
        if found is None:
            return AcademicAnswer(NAME, SearchOutcome.FAILED, reason="The API's record has no id.")
        cited = _referenced_ids(record.value)[:limit]
        references = await self._filtered_works(f"openalex:{'|'.join(cited)}", limit, cause_id) if cited else None
        citations = await self._filtered_works(f"cites:{found}", limit, cause_id)
        pairs = [(work, other) for other in references.works] if references else []
        pairs += [(other, work) for other in citations.works]
        links = links_answer(NAME, (CitationLink(citing, cited, source_api=NAME) for citing, cited in pairs))
        failures = [answer for answer in (references, citations) if answer and not answer.works]
        return merge_answers(NAME, (links, *failures))

    async def _record(self, work: Work, cause_id: str | None) -> ApiReply:
        """The API's own id and references of a work; single records are free of charge."""
        name = _work_path(work)
        if name is None:
            reason = "The work has no identifier that the API knows."
            return ApiReply(failure=ApiFailure(NAME, SearchOutcome.EMPTY, reason))
        asked = urlencode((("select", "id,referenced_works"), *self._contact))
        return await self._client.get(f"{_ROOT}/works/{name}?{asked}", cause_id=cause_id)

    async def _filtered_works(self, filter_: str, limit: int, cause_id: str | None) -> AcademicAnswer:
        """Works that a filter admits, the most cited first."""
        asked = (("filter", filter_), ("sort", "cited_by_count:desc"), ("per-page", str(limit)))
        reply = await self._list(asked, cause_id)
        return failed_answer(reply.failure) if reply.failure else _works(reply, limit)

    async def _list(self, asked: tuple[tuple[str, str], ...], cause_id: str | None) -> ApiReply:
        parameters = urlencode((*asked, ("select", _SELECT), *self._contact), safe=":|,")
        return await self._client.get(f"{_ROOT}/works?{parameters}", cause_id=cause_id)


def _plain(query: str) -> str:
    """Without the characters and capital words that mean something in the API's own query language."""
    words = re.sub(r"[|,!:()\"]", " ", query).split()
    return " ".join(word.lower() if word in _BOOLEAN else word for word in words)


def _filters(identifiers: Iterable[Identifier]) -> list[str]:
    """One filter for each kind and batch; arXiv ids are known by their DOIs."""
    dois = [found.value for found in identifiers if found.kind == "doi"]
    dois += [f"10.48550/arxiv.{found.value}" for found in identifiers if found.kind == "arxiv"]
    pmids = [found.value for found in identifiers if found.kind == "pmid"]
    # A comma or bar inside a DOI would end the value.
    safe = [value for value in dois if not re.search(r"[|,]", value)]
    kinds = (("doi", safe), ("pmid", pmids))
    return [
        f"{kind}:{'|'.join(values[start : start + _BATCH])}"
        for kind, values in kinds
        for start in range(0, len(values), _BATCH)
    ]


def _work_path(work: Work) -> str | None:
    ordered = ordered_identifiers(work.identifiers)
    if not ordered:
        found = re.match(r"https://openalex\.org/(W\d{1,12})$", work.url or "")
        return found[1] if found else None
    first = ordered[0]
    if first.kind == "pmid":
        return f"pmid:{first.value}"
    doi = first.value if first.kind == "doi" else f"10.48550/arxiv.{first.value}"
    return f"doi:{quote(doi, safe='/:;()')}"


def _work_id(value: Any) -> str | None:
    match = _WORK_ID.search(value) if isinstance(value, str) else None
    return match.group() if match else None


def _referenced_ids(record: Any) -> list[str]:
    named = fields.mapping(record).get("referenced_works")
    return [found for entry in (named if isinstance(named, list) else []) if (found := _work_id(entry))]


def _works(reply: ApiReply, limit: int) -> AcademicAnswer:
    entries = fields.mapping(reply.value).get("results")
    if not isinstance(entries, list):
        return AcademicAnswer(NAME, SearchOutcome.FAILED, reason="The API's answer holds no list of works.")
    found = (read_work(entry, reply.archive) for entry in fields.objects(entries[:limit]))
    return works_answer(NAME, (work for work in found if work is not None))


def read_work(entry: Mapping[str, Any], archive: ArchiveRef | None = None) -> Work | None:
    """A work of an answer that is archived there, or none where it has no title."""
    title = fields.string(entry.get("title")) or fields.string(entry.get("display_name"))
    if title is None:
        return None
    names = (
        fields.string(fields.mapping(authorship.get("author")).get("display_name"))
        for authorship in fields.objects(entry.get("authorships") or [])
    )
    authors = tuple(name for name in names if name)
    year = fields.year(entry.get("publication_year"))
    identifiers = _identifiers(entry)
    flag = entry.get("is_retracted")
    is_retracted = True if fields.is_marked_retracted(title) else flag if isinstance(flag, bool) else None
    return Work(
        id=canonical_id(identifiers, title, year, authors[0] if authors else None),
        title=title,
        abstract=fields.abstract(fields.text_from_inverted_index(entry.get("abstract_inverted_index"))),
        authors=authors,
        year=year,
        published=fields.day(entry.get("publication_date")) or (str(year) if year else None),
        venue=_venue(entry),
        identifiers=identifiers,
        url=fields.string(entry.get("id")),
        citation_count=fields.count(entry.get("cited_by_count")),
        is_retracted=is_retracted,
        source_api=NAME,
        archive=archive,
        retracted_by=NAME if is_retracted else "",
    )


def _venue(entry: Mapping[str, Any]) -> str | None:
    location = fields.mapping(entry.get("primary_location"))
    return fields.string(fields.mapping(location.get("source")).get("display_name"))


def _identifiers(entry: Mapping[str, Any]) -> tuple[Identifier, ...]:
    ids = fields.mapping(entry.get("ids"))
    found = [fields.doi(entry.get("doi") or ids.get("doi")), fields.pmid(ids.get("pmid"))]
    for location in fields.objects(entry.get("locations") or []):
        page = _ARXIV_PAGE.search(str(location.get("landing_page_url") or ""))
        found.append(fields.arxiv(page[1]) if page else None)
    return ordered_identifiers(identifier for identifier in found if identifier is not None)
