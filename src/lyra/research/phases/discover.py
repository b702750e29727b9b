"""Phase 1 and 2: ask the engines, and the academic indexes where the query looks academic."""

import asyncio

from lyra.academic.query import is_academic_query
from lyra.errors import AllEnginesBlocked
from lyra.ids import derived_id
from lyra.model.event import Event
from lyra.model.page import Identifier
from lyra.model.search import Candidate, Outcome, Source
from lyra.model.work import AcademicAnswer, Work
from lyra.research.kit import Kit
from lyra.research.run import SearchRun
from lyra.search.target import Url, recognise
from lyra.storage import candidates, journal
from lyra.urls import canonical


async def discover(kit: Kit, run: SearchRun) -> tuple[Work, ...]:
    """Candidates go into the database; the works found so far are returned.

    A query that names an address or a paper asks no engine. Raises AllEnginesBlocked where nothing else can answer.
    """
    target = recognise(run.search.query)
    if isinstance(target, Url):
        await _add(kit, run, target.url)
        return ()
    if isinstance(target, Identifier):
        return await _complete(kit, run, target)
    web, works = await asyncio.gather(_ask_web(kit, run), _ask_academic(kit, run))
    if web is not None and not works:
        raise web
    return works


async def _add(kit: Kit, run: SearchRun, url: str) -> None:
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
    await kit.db.write(candidates.add, [candidate])


async def _complete(kit: Kit, run: SearchRun, identifier: Identifier) -> tuple[Work, ...]:
    """The paper itself; one that no index knows is looked for at its own address."""
    found = await kit.catalogue.complete([identifier], cause_id=run.search.id)
    await _note_apis(kit, run, found.answers)
    if not found.works and identifier.kind in _RESOLVERS:
        await _add(kit, run, _RESOLVERS[identifier.kind].format(identifier.value))
    return found.works


_RESOLVERS = {
    "doi": "https://doi.org/{}",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/{}/",
    "arxiv": "https://arxiv.org/abs/{}",
}


async def _ask_web(kit: Kit, run: SearchRun) -> AllEnginesBlocked | None:
    """Ask the engines; that all of them are blocked is an answer too, for the caller to weigh."""
    options = run.search.options
    if options.sources is not None and Source.WEB not in options.sources:
        return None
    try:
        answer = await kit.federation.ask(
            run.search.query, engines=options.engines, refute=options.refute, cause_id=run.search.id
        )
    except AllEnginesBlocked as exc:
        await _note(kit, run, "web", Outcome.BLOCKED.value, exc.message)
        return exc
    await kit.db.write(candidates.add, [fused.candidate(run.search.id) for fused in answer.candidates])
    for one in answer.answers:
        await _note(kit, run, one.engine, one.outcome.value, one.reason, query=one.query, count=len(one.items))
    return None


async def _ask_academic(kit: Kit, run: SearchRun) -> tuple[Work, ...]:
    sources = run.search.options.sources
    wanted = Source.ACADEMIC in sources if sources is not None else is_academic_query(run.search.query)
    if not wanted or not kit.settings.academic.enabled:
        return ()
    found = await kit.catalogue.search(run.search.query, cause_id=run.search.id)
    await _note_apis(kit, run, found.answers)
    return found.works


async def _note_apis(kit: Kit, run: SearchRun, answers: tuple[AcademicAnswer, ...]) -> None:
    for one in answers:
        await _note(kit, run, one.api, one.outcome.value, one.reason, count=len(one.works))


async def _note(kit: Kit, run: SearchRun, who: str, outcome: str, reason: str | None, **details: object) -> None:
    """One line of the journal per answer: blocked, failed and empty stay apart."""
    event = Event(
        kind="answer",
        created_at=kit.clock.now(),
        subject=who,
        details={"outcome": outcome, "reason": reason, **details},
        task_id=run.task.id,
        search_id=run.search.id,
        cause_id=run.search.id,
    )
    await kit.db.write(journal.append, [event])
