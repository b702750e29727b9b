"""Phase 1 and 2: ask the engines, and the academic indexes where the query looks academic."""

import asyncio

from lyra.academic.abstracts import resolver
from lyra.academic.query import is_academic_query
from lyra.errors import LyraError
from lyra.ids import derived_id
from lyra.model.page import Identifier
from lyra.model.search import Candidate, Source
from lyra.model.work import Work
from lyra.research.phases.web import ask_web
from lyra.research.search_run import SearchParts, SearchRun, note_apis, unanswered
from lyra.search.normalise import said
from lyra.search.target import Url, recognise
from lyra.storage import candidates
from lyra.urls import canonical


async def discover(parts: SearchParts, run: SearchRun) -> tuple[Work, ...]:
    """Candidates go into the database; the works found so far are returned.

    A query that names an address or a paper asks no engine. Where no engine answered and no index knows a paper it
    raises why: AllEnginesBlocked, or PipelineError where they failed.
    """
    target = recognise(run.search.query)
    if isinstance(target, Url):
        await _add(parts, run, target.url)
        return ()
    if isinstance(target, Identifier):
        return await _complete(parts, run, target)
    web, (works, academic) = await asyncio.gather(ask_web(parts, run), _ask_academic(parts, run))
    if web is not None and not works:
        raise web
    if academic is not None and run.search.options.sources == (Source.ACADEMIC,):
        raise academic
    return works


async def _add(parts: SearchParts, run: SearchRun, url: str) -> None:
    address = canonical(url)
    candidate = Candidate(
        id=derived_id("r", run.search.id, address),
        search_id=run.search.id,
        url=address,
        title="",
        snippet="",
        engine="client",
        rank=1,
        score=1.0,
    )
    await parts.db.write(candidates.add, [candidate])


async def _complete(parts: SearchParts, run: SearchRun, identifier: Identifier) -> tuple[Work, ...]:
    """The paper itself; one that no index knows is looked for at its own address."""
    found = await parts.catalogue.complete([identifier], cause_id=run.search.id)
    await note_apis(parts, run, found.answers)
    if not found.works:
        await _add(parts, run, resolver(identifier))
    return found.works


async def _ask_academic(parts: SearchParts, run: SearchRun) -> tuple[tuple[Work, ...], LyraError | None]:
    """Works that match, and why there are none where no index answered."""
    sources = run.search.options.sources
    wanted = Source.ACADEMIC in sources if sources is not None else is_academic_query(run.search.query)
    words = said(run.search.query)
    if not wanted or not words or not parts.settings.academic.enabled:
        return (), None
    found = await parts.catalogue.search(words, cause_id=run.search.id)
    await note_apis(parts, run, found.answers)
    return found.works, unanswered("academic index", [(one.api, one) for one in found.answers])
