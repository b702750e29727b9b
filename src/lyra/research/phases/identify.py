"""Phase 3: every DOI, PMID and arXiv id among the results leads to its paper."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lyra.academic import openalex, semantic_scholar
from lyra.academic.identity import can_be
from lyra.model.page import identifiers_in
from lyra.model.search import Candidate, CandidateState
from lyra.model.work import Work
from lyra.research.search_run import SearchParts, SearchRun, note_retraction, note_unanswered
from lyra.storage import candidates, pages, works
from lyra.urls import resolver_kind

if TYPE_CHECKING:
    from apsw import Connection

_APIS = {openalex.NAME, semantic_scholar.NAME}
_MOST = 50
_MOST_IN_PAGES = 20
# The reason noted with a paper that was read because a page names it.
NAMED = "named in a page that was read"


async def identify(parts: SearchParts, run: SearchRun) -> tuple[Work, ...]:
    """Works behind the identifiers in the candidates' addresses and snippets.

    A candidate that is nothing but a resolver of a known paper is not fetched: the paper is read by its abstract.
    """
    if not parts.settings.academic.enabled:
        return ()
    # Papers that a killed process has read already are no results: what they lead to is not to be found twice.
    found = [one for one in await parts.db.read(candidates.of_search, run.search.id) if not _is_paper(one)]
    by_candidate = {one: identifiers_in(one.url, one.title, one.snippet) for one in found}
    wanted = list(dict.fromkeys(identifier for ids in by_candidate.values() for identifier in ids))[:_MOST]
    if not wanted:
        return ()
    answer = await parts.catalogue.complete(wanted, cause_id=run.search.id)
    await note_unanswered(parts, run, answer.answers)
    known = {identifier for work in answer.works if work.abstract for identifier in work.identifiers}
    for one, ids in by_candidate.items():
        if resolver_kind(one.url) and any(identifier in known for identifier in ids):
            await parts.db.write(candidates.set_state, one.id, CandidateState.SKIPPED, "read by its abstract")
    return answer.works


async def identify_in_pages(parts: SearchParts, run: SearchRun) -> tuple[Work, ...]:
    """Works behind the identifiers that the pages read name or bear, but those that the task has read before."""
    if not parts.settings.academic.enabled:
        return ()
    wanted = await parts.db.read(works.named_in_pages, run.search.id, _MOST_IN_PAGES, NAMED)
    answer = await parts.catalogue.complete(wanted, cause_id=run.search.id)
    await note_unanswered(parts, run, answer.answers)
    await _claim_pages(parts, run, answer.works)
    return answer.works


async def _claim_pages(parts: SearchParts, run: SearchRun, found: Sequence[Work]) -> None:
    """Pages that are papers count as their works from now on, and not as sources of their publishers."""
    told = {identifier: work for work in found for identifier in work.identifiers}
    for page_id, own in await parts.db.read(works.unclaimed, run.task.id):
        page = await parts.db.read(pages.get, page_id)
        work = told.get(own) or await parts.db.read(works.by_identifier, own.kind, own.value)
        if page is None or work is None or not can_be(work, page.title, page.authors):
            continue
        stored = await parts.db.write(_claim, page_id, work)
        if stored.is_retracted:
            await note_retraction(parts, run, stored, work.source_api, page.url)


def _claim(connection: "Connection", page_id: str, work: Work) -> Work:
    stored = works.save(connection, work)
    works.link(connection, page_id, stored.id)
    return stored


def _is_paper(candidate: Candidate) -> bool:
    """Whether it was not found by an engine, but stands for a paper whose abstract was read."""
    return set(candidate.engine.split("+")) <= _APIS
