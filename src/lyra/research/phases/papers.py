"""Phases 3 to 5: identifiers lead to papers, abstracts become pages, and papers lead to those they cite."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from lyra.academic import abstracts, openalex, semantic_scholar
from lyra.academic.catalogue import ScoredLink, keep_best, linked_papers, rank_by_similarity
from lyra.academic.identity import matches_page
from lyra.clock import stamp
from lyra.extract.fragments import to_fragments
from lyra.ids import derived_id
from lyra.model.edge import Edge, Relation
from lyra.model.library import is_library_url
from lyra.model.page import Fragment, Page, StoredPage, identifiers_in
from lyra.model.search import Candidate, CandidateState
from lyra.model.work import Work
from lyra.research.flow import work_event
from lyra.research.graph_builder import GraphBuilder
from lyra.research.llm_ratings import rate_papers
from lyra.research.page_facts import page_notice
from lyra.research.phases.fetch import page_of_record
from lyra.research.search_run import SearchRun
from lyra.storage import candidates, edges, journal, pages, works
from lyra.urls import resolver_kind

if TYPE_CHECKING:
    from apsw import Connection

_APIS = {openalex.NAME, semantic_scholar.NAME}
_MOST = 50
_MOST_IN_PAGES = 20
# The reason noted with a paper that was read because a page names it.
NAMED = "named in a page that was read"
_PAPERS_FOLLOWED = 5
# Of the papers that pages name in passing fewer lead on.
NAMED_FOLLOWED = 2


async def identify(run: SearchRun) -> tuple[Work, ...]:
    """Works behind the identifiers in the candidates' addresses and snippets.

    A candidate that is nothing but a resolver of a known paper is not fetched: the paper is read by its abstract.
    """
    if not run.parts.settings.academic.enabled:
        return ()
    # Papers that a killed process has read already are no results: what they lead to is not to be found twice.
    known = await run.parts.db.read(candidates.of_search, run.search.id)
    # What the user's own documents name is nobody else's to know.
    found = [one for one in known if not _is_paper(one) and not is_library_url(one.url)]
    by_candidate = {one: identifiers_in(one.url, one.title, one.snippet) for one in found}
    wanted = list(dict.fromkeys(identifier for ids in by_candidate.values() for identifier in ids))[:_MOST]
    if not wanted:
        return ()
    answer = await run.parts.catalogue.look_up(wanted, cause_id=run.search.id)
    await run.log_apis(answer.answers, only_failures=True)
    told = {identifier for work in answer.works if work.abstract for identifier in work.identifiers}
    for one, ids in by_candidate.items():
        if resolver_kind(one.url) and any(identifier in told for identifier in ids):
            await run.parts.db.write(candidates.set_state, one.id, CandidateState.SKIPPED, "read by its abstract")
    return answer.works


async def identify_in_pages(run: SearchRun) -> tuple[Work, ...]:
    """Works behind the identifiers that the pages read name or bear, but those that the task has read before."""
    if not run.parts.settings.academic.enabled:
        return ()
    wanted = await run.parts.db.read(works.named_in_pages, run.search.id, _MOST_IN_PAGES, NAMED)
    answer = await run.parts.catalogue.look_up(wanted, cause_id=run.search.id)
    await run.log_apis(answer.answers, only_failures=True)
    await _link_pages_to_works(run, answer.works)
    return answer.works


async def _link_pages_to_works(run: SearchRun, found: Sequence[Work]) -> None:
    """Pages that are papers count as their works from now on, and not as sources of their publishers."""
    by_identifier = {identifier: work for work in found for identifier in work.identifiers}
    for page_id, own in await run.parts.db.read(works.identifiers_without_work, run.task.id):
        page = await run.parts.db.read(pages.get, page_id)
        work = by_identifier.get(own) or await run.parts.db.read(works.by_identifier, own.kind, own.value)
        if page is None or work is None or not matches_page(work, page.title, page.authors):
            continue
        stored = await run.parts.db.write(_save_and_link, run, page_id, work)
        if stored.is_retracted:
            await _log_retraction(run, stored, work.source_api, page.url)


def _save_and_link(connection: "Connection", run: SearchRun, page_id: str, work: Work) -> Work:
    stored = works.save(connection, work)
    _link(connection, run, page_id, stored)
    return stored


def _link(connection: "Connection", run: SearchRun, page_id: str, work: Work) -> None:
    works.link(connection, page_id, work.id)
    now = run.parts.clock.now()
    journal.append(connection, [work_event(run.task.id, run.search.id, page_id, work, now)])


def _is_paper(candidate: Candidate) -> bool:
    """Whether it was not found by an engine, but is a paper whose abstract was read."""
    return set(candidate.engine.split("+")) <= _APIS


@dataclass(frozen=True, slots=True)
class Paper:
    """A work with the page that holds its abstract; `said_by` are the indexes that returned it just now."""

    work: Work
    stored: StoredPage
    said_by: str


async def read_papers(
    run: SearchRun,
    graph: GraphBuilder,
    found: Sequence[Work],
    *,
    papers_followed: int = _PAPERS_FOLLOWED,
    why: str | None = None,
) -> None:
    """Read the abstracts of the works found, then of the most promising papers one citation away.

    `why` is noted with those found.
    """
    papers = [paper for work in found if (paper := await _store(run, work)) is not None]
    await _log_retractions(run, papers)
    for paper in papers:
        await _read(run, graph, paper, rank=0, why=why)
    followed = await _follow_citations(run, papers, papers_followed)
    await _log_retractions(run, [paper for _, *both in followed for paper in both if paper not in papers])
    for rank, (chosen, citing_page, cited_page) in enumerate(followed, start=1):
        await _cite(run, chosen, citing_page.stored.page.id, cited_page.stored.page.id)
        other = citing_page if chosen.other.id == chosen.link.citing.id else cited_page
        await _read(run, graph, other, rank)


async def _log_retraction(run: SearchRun, work: Work, said_by: str, url: str) -> None:
    """Write that indexes call a paper retracted; its page and claims carry it on into the timeline."""
    await run.log("retraction", work.id, title=work.title, said_by=said_by, url=url)


async def _log_retractions(run: SearchRun, papers: Iterable[Paper]) -> None:
    """Each retracted one among the papers, once however often it was reached."""
    for paper in {one.work.id: one for one in papers if one.work.is_retracted}.values():
        await _log_retraction(run, paper.work, paper.said_by, paper.stored.page.url)


async def _read(run: SearchRun, graph: GraphBuilder, paper: Paper, rank: int, why: str | None = None) -> None:
    """Add an abstract to the graph once: one that this search has read is noted among its candidates."""
    found = await run.parts.db.read(candidates.of_search, run.search.id)
    page = paper.stored.page
    known = next((one for one in found if one.page_id == page.id and one.state is CandidateState.ABSTRACT), None)
    if known is not None:
        if why and known.reason != why:
            await run.parts.db.write(candidates.set_state, known.id, CandidateState.ABSTRACT, why, page.id)
        return
    candidate = _candidate(run, paper.work, page, rank, why)
    await run.count_page(await graph.add_page(paper.stored, partial(candidates.note_read, candidate=candidate)))


async def _store(run: SearchRun, work: Work) -> Paper | None:
    """The paper's page, saved once however often it is found; none without an abstract or an address."""
    document, address = abstracts.abstract_document(work), abstracts.work_address(work)
    if document is None or address is None:
        return None
    now = run.parts.clock.now()
    page = replace(
        page_of_record(document, address, work.archive, now),
        notice=page_notice(document.title, document.text, updated=None, read_on=stamp(now)[:10]),
    )
    fragments = to_fragments(page.id, document)
    stored_work = await run.parts.db.write(_save_paper, run, page, fragments, work)
    said_by = work.source_api if work.is_retracted or not stored_work.is_retracted else stored_work.source_api
    return Paper(stored_work, StoredPage(replace(page, work_id=stored_work.id), fragments), said_by)


def _save_paper(
    connection: "Connection", run: SearchRun, page: Page, fragments: Sequence[Fragment], work: Work
) -> Work:
    """The work and its page at once: a work without pages is nobody's, and may go with a task that is deleted."""
    stored = works.save(connection, work)
    pages.save(connection, replace(page, work_id=stored.id), fragments)
    _link(connection, run, page.id, stored)
    return stored


def _candidate(run: SearchRun, work: Work, page: Page, rank: int, why: str | None) -> Candidate:
    return Candidate(
        id=derived_id("r", run.search.id, page.url),
        search_id=run.search.id,
        url=page.url,
        title=work.title,
        snippet=(work.abstract or "")[:300],
        engine=work.source_api,
        rank=rank,
        state=CandidateState.ABSTRACT,
        reason=why,
        page_id=page.id,
    )


async def _follow_citations(
    run: SearchRun, papers: Sequence[Paper], papers_followed: int
) -> list[tuple[ScoredLink, Paper, Paper]]:
    """Links worth following from the papers found, with both ends stored."""
    settings = run.parts.settings.academic
    if not (settings.citations_per_paper and settings.kept_per_paper and settings.kept_per_search):
        return []
    scored = [await _links(run, paper) for paper in papers[:papers_followed]]
    followed: list[tuple[ScoredLink, Paper, Paper]] = []
    by_work = {paper.work.id: paper for paper in papers}
    for chosen in keep_best(scored, settings.kept_per_paper, settings.kept_per_search):
        other = await _store(run, chosen.other)
        near = chosen.link.citing if chosen.other.id == chosen.link.cited.id else chosen.link.cited
        origin = by_work.get(near.id)
        if other is None or origin is None or other.stored.page.id == origin.stored.page.id:
            continue
        is_cited = chosen.other.id == chosen.link.cited.id
        followed.append((chosen, origin, other) if is_cited else (chosen, other, origin))
    return followed


async def _links(run: SearchRun, paper: Paper) -> tuple[ScoredLink, ...]:
    answer = await run.parts.catalogue.citations(paper.work, cause_id=run.search.id)
    await run.log_apis(answer.answers, only_failures=True)
    pairs = linked_papers(paper.work, answer.links)
    if not pairs:
        return ()
    texts = [paper.work.abstract or paper.work.title, *(other.abstract or other.title for _, other in pairs)]
    vectors = await run.parts.embedder.embed(texts)
    return await rate_papers(run, paper.work, rank_by_similarity(pairs, vectors[0], vectors[1:]))


async def _cite(run: SearchRun, chosen: ScoredLink, citing_id: str, cited_id: str) -> None:
    edge = Edge(
        id=derived_id("e", "page", citing_id, "page", cited_id),
        source_type="page",
        source_id=citing_id,
        target_type="page",
        target_id=cited_id,
        relation=Relation.CITES,
        created_at=run.parts.clock.now(),
        cause_id=run.search.id,
        citation_source=chosen.link.source_api,
        is_influential=chosen.link.is_influential,
    )
    await run.parts.db.write(edges.insert_many, [edge])
