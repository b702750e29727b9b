"""Phase 1 and 2: ask the engines, and the academic indexes where the query looks academic."""

import asyncio
from collections.abc import Sequence

from lyra.academic.query import is_academic_query
from lyra.errors import AllEnginesBlocked, LyraError, PipelineError
from lyra.ids import derived_id
from lyra.model.page import Identifier
from lyra.model.search import Candidate, EngineAnswer, Outcome, Source
from lyra.model.work import AcademicAnswer, Work
from lyra.research.kit import Kit
from lyra.research.phases.notes import UNANSWERED, note, note_apis
from lyra.research.run import SearchRun
from lyra.search.target import Url, recognise
from lyra.storage import candidates
from lyra.urls import canonical


async def discover(kit: Kit, run: SearchRun) -> tuple[Work, ...]:
    """Candidates go into the database; the works found so far are returned.

    A query that names an address or a paper asks no engine. Where no engine answered and no index knows a paper it
    raises why: AllEnginesBlocked, or PipelineError where they failed.
    """
    target = recognise(run.search.query)
    if isinstance(target, Url):
        await _add(kit, run, target.url)
        return ()
    if isinstance(target, Identifier):
        return await _complete(kit, run, target)
    web, (works, academic) = await asyncio.gather(_ask_web(kit, run), _ask_academic(kit, run))
    if web is not None and not works:
        raise web
    if academic is not None and run.search.options.sources == (Source.ACADEMIC,):
        raise academic
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
    await note_apis(kit, run, found.answers)
    if not found.works and identifier.kind in _RESOLVERS:
        await _add(kit, run, _RESOLVERS[identifier.kind].format(identifier.value))
    return found.works


_RESOLVERS = {
    "doi": "https://doi.org/{}",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/{}/",
    "arxiv": "https://arxiv.org/abs/{}",
}


async def _ask_web(kit: Kit, run: SearchRun) -> LyraError | None:
    """Ask the engines; why none of them answered is returned, for the caller to weigh."""
    options = run.search.options
    if options.sources is not None and Source.WEB not in options.sources:
        return None
    try:
        answer = await kit.federation.ask(
            run.search.query, engines=options.engines, refute=options.refute, cause_id=run.search.id
        )
    except AllEnginesBlocked as exc:
        await note(kit, run, "web", Outcome.BLOCKED, exc.message)
        return _with_rest(exc, kit.settings.politeness.cooldown_min_s)
    await kit.db.write(candidates.add, [fused.candidate(run.search.id) for fused in answer.candidates])
    for one in answer.answers:
        await note(kit, run, one.engine, one.outcome, one.reason, query=one.query, count=len(one.items))
    return _unanswered("search engine", [(one.engine, one) for one in answer.answers])


def _with_rest(exc: AllEnginesBlocked, least_s: float) -> AllEnginesBlocked:
    """The same error, always with a time to come back: whoever was refused rests as long as a cooldown at least."""
    rest_s = exc.retry_after_s if exc.retry_after_s is not None else least_s
    return AllEnginesBlocked(exc.message, remedy=exc.remedy, retry_after_s=rest_s, details=exc.details)


async def _ask_academic(kit: Kit, run: SearchRun) -> tuple[tuple[Work, ...], LyraError | None]:
    """Works that match, and why there are none where no index answered."""
    sources = run.search.options.sources
    wanted = Source.ACADEMIC in sources if sources is not None else is_academic_query(run.search.query)
    if not wanted or not kit.settings.academic.enabled:
        return (), None
    found = await kit.catalogue.search(run.search.query, cause_id=run.search.id)
    await note_apis(kit, run, found.answers)
    return found.works, _unanswered("academic index", [(one.api, one) for one in found.answers])


def _unanswered(kind: str, answers: Sequence[tuple[str, EngineAnswer | AcademicAnswer]]) -> PipelineError | None:
    """An error where every source of a kind was blocked or failed."""
    if any(one.outcome not in UNANSWERED for _, one in answers):
        return None
    reasons = {name: one.reason for name, one in answers}
    waits = [one.retry_after_s for _, one in answers if one.retry_after_s is not None]
    return PipelineError(
        f"No {kind} answered: {', '.join(sorted(reasons))}.",
        remedy="Search again; if it lasts, look at the network with `lyra doctor`.",
        retry_after_s=min(waits) if waits else None,
        details={"reasons": reasons},
    )
