"""Phases 1 and 2: ask the user's library, the engines, the sites the client named and, for academic queries, the
academic indexes."""

import asyncio
from collections.abc import Iterable

from lyra.academic.abstracts import resolver_address
from lyra.academic.catalogue import is_academic_query
from lyra.errors import AllEnginesBlocked, ChromeNotReady, LyraError
from lyra.ids import derived_id
from lyra.model.handoff import Handoff
from lyra.model.page import Identifier
from lyra.model.search import Candidate, EngineAnswer, SearchOutcome, SentQuery, Source
from lyra.model.work import Work
from lyra.research.library_pages import ask_library
from lyra.research.llm_mirrors import translator
from lyra.research.search_run import SearchRun, no_answer_error
from lyra.search.expand import DerivedQuery, vertical_sites, word_list_language
from lyra.search.federation import FederatedAnswer, FederationOptions, QueryTally
from lyra.search.query import TargetUrl, plain_terms, recognise_target
from lyra.search.scoring import fuse_answers
from lyra.storage import candidates, derived_queries, handoffs, journal
from lyra.urls import canonical, registrable_domain

# Other sources have phases of their own.
_ASKED_HERE = frozenset({Source.WEB, Source.ACADEMIC, Source.LIBRARY})


async def discover(run: SearchRun) -> tuple[Work, ...]:
    """Candidates go into the database; the works found so far are returned.

    A query that names an address or a paper asks no engine. Where no engine answered and no index knows a paper it
    raises why: AllEnginesBlocked, or PipelineError where they failed.
    """
    options = run.search.options
    if options.sources is not None and not _ASKED_HERE.intersection(options.sources):
        return ()
    target = None if options.is_local else recognise_target(run.search.query)
    if isinstance(target, TargetUrl):
        await _add_address(run, target.url)
        return ()
    if isinstance(target, Identifier):
        return await _look_up(run, target)
    in_library = await ask_library(run)
    web, (works, academic) = await asyncio.gather(ask_web(run), _ask_academic(run))
    if web is not None and not works and not in_library:
        raise web
    if academic is not None and run.search.options.sources == (Source.ACADEMIC,):
        raise academic
    return works


async def _add_address(run: SearchRun, url: str) -> None:
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
    await run.parts.db.write(candidates.add, [candidate])


async def _look_up(run: SearchRun, identifier: Identifier) -> tuple[Work, ...]:
    """The paper itself; one that no index knows is looked for at its own address."""
    found = await run.parts.catalogue.look_up([identifier], cause_id=run.search.id)
    await run.log_apis(found.answers)
    if not found.works:
        await _add_address(run, resolver_address(identifier))
    return found.works


async def _ask_academic(run: SearchRun) -> tuple[tuple[Work, ...], LyraError | None]:
    """Works that match, and why there are none where no index answered."""
    sources = run.search.options.sources
    wanted = Source.ACADEMIC in sources if sources is not None else is_academic_query(run.search.query)
    words = plain_terms(run.search.query)
    if not wanted or not words or not run.parts.settings.academic.enabled:
        return (), None
    found = await run.parts.catalogue.search(words, cause_id=run.search.id)
    await run.log_apis(found.answers)
    return found.works, no_answer_error("academic index", [(one.api, one) for one in found.answers])


async def ask_web(run: SearchRun) -> LyraError | None:
    """Ask sites and engines; why none of them answered is returned, for the caller to weigh."""
    options = run.search.options
    if options.sources is not None and Source.WEB not in options.sources:
        return None
    sites = await _ask_sites(run)
    cooldown_s = run.parts.settings.politeness.cooldown_min_s
    # A site whose own search did not serve is asked for through the engines.
    fallback = tuple(one.engine.removeprefix("site:") for one in sites if not one.outcome.is_answer)
    asked = FederationOptions(
        engines=options.engines,
        refute=options.refute,
        seek_primary=options.seek_primary,
        vertical=options.vertical,
        sites=fallback,
        wanted=run.page_limit,
        language=run.task.language,
        fresh_since=run.fresh_since,
    )
    try:
        answer = await run.parts.federation.search(
            run.search.query, asked, cause_id=run.search.id, translate=translator(run)
        )
    except (AllEnginesBlocked, ChromeNotReady) as exc:  # no engine could be asked
        for engine, reason in exc.details.get("engines", {"web": exc.message}).items():
            await run.log_answer(engine, SearchOutcome.BLOCKED, reason)
        await _queue_known_walls(run, exc)
        return (
            None
            if any(one.items for one in sites)
            else _with_retry_time(exc, run.parts.settings.politeness.cooldown_min_s)
        )
    await run.parts.db.write(candidates.add, answer.candidates)
    await _record(run, answer)
    await _queue_for_person(run, answer.answers)
    if any(one.items for one in sites):
        return None
    if answer.refusal is not None:
        await _queue_known_walls(run, answer.refusal)
        return _with_retry_time(answer.refusal, cooldown_s)
    return no_answer_error("search engine", [(one.engine, one) for one in answer.answers])


async def _ask_sites(run: SearchRun) -> tuple[EngineAnswer, ...]:
    """The own searches of sites that the client named and the user allows."""
    options, query = run.search.options, run.search.query
    spoken = (word_list_language(query), run.task.language)
    hosts = vertical_sites(options.vertical, spoken) if options.vertical else ()
    named = run.parts.federation.sites.named_sites(query, run.task.priority_domains, hosts)
    answers = tuple([await run.parts.federation.sites.ask(host, query, cause_id=run.search.id) for host in named])
    await run.parts.db.write(candidates.add, fuse_answers(answers, {}, {}, run.search.id))
    for one in answers:
        await run.log_answer(
            one.engine, one.outcome, one.reason, query=query, count=len(one.items), record=one.record_id
        )
    await _queue_for_person(run, answers)
    return answers


async def _record(run: SearchRun, answer: FederatedAnswer) -> None:
    """Which engines were chosen and why, every query sent and what caused it, what each engine answered."""
    now, search = run.parts.clock.now(), run.search
    sent = [
        SentQuery(
            id=derived_id("dq", search.id, one.query.text, one.query.rule),
            search_id=search.id,
            text=one.query.text,
            parent=one.query.parent,
            rule=one.query.rule,
            family=one.query.family,
            created_at=now,
            page=one.query.page,
            category=answer.category,
            engines=one.engines,
            results=one.results,
            new_results=one.new_results,
            why=one.why,
        )
        for one in _tallies_by_query(answer.sent)
    ]
    weights = {one.engine: {"weight": one.weight, "why": one.why} for one in answer.engine_weights}
    events = [run.event("engines", answer.category, weights=weights, ended=answer.ended)]
    events += [run.event("query", one.text, **_query_details(one)) for one in sent]
    await run.parts.db.write(derived_queries.save, sent)
    await run.parts.db.write(journal.append, events)
    for one in answer.answers:
        await run.log_answer(one.engine, one.outcome, one.reason, **_answer_details(one))


def _tallies_by_query(sent: Iterable[QueryTally]) -> list[QueryTally]:
    """Each query once, with all engines it was sent to, replacements included."""
    by_query: dict[DerivedQuery, QueryTally] = {}
    for one in sent:
        first = by_query.get(one.query)
        by_query[one.query] = one if first is None else _add_tallies(first, one)
    return list(by_query.values())


def _add_tallies(first: QueryTally, more: QueryTally) -> QueryTally:
    return QueryTally(
        first.query,
        tuple(dict.fromkeys((*first.engines, *more.engines))),
        first.results + more.new_results,
        first.new_results + more.new_results,
        f"{first.why}; {', '.join(more.engines)}: {more.why}",
    )


def _answer_details(one: EngineAnswer) -> dict[str, object]:
    """The query, how much came back, and the page in the archive: what a parser misread can be read again."""
    return {"query": one.query, "count": len(one.items), "record_id": one.record_id, "challenge": one.challenge}


def _query_details(one: SentQuery) -> dict[str, object]:
    return {
        "rule": one.rule,
        "parent": one.parent,
        "page": one.page,
        "engines": one.engines,
        "results": one.results,
        "new_results": one.new_results,
        "why": one.why,
    }


async def _queue_for_person(run: SearchRun, answers: Iterable[EngineAnswer]) -> None:
    """An engine or site that asks for a human waits for one; an address is filed once however often it asked."""
    for one in {answer.engine: answer for answer in answers if answer.challenge and answer.url}.values():
        await _add_handoff(run, one.engine, one.url or "", one.challenge or "captcha", one.reason)


async def _queue_known_walls(run: SearchRun, refusal: LyraError) -> None:
    """Engines that wait for a person because of another task: opening the page frees this search too."""
    walls = await run.parts.db.read(handoffs.pending_of_engines, tuple(refusal.details.get("engines", ())))
    for engine, wall in walls.items():
        await _add_handoff(run, engine, wall.url, wall.auth_type, wall.reason)


async def _add_handoff(run: SearchRun, engine: str, url: str, auth_type: str, reason: str | None) -> None:
    handoff = Handoff(
        id=derived_id("auth", run.task.id, engine),
        task_id=run.task.id,
        search_id=run.search.id,
        domain=registrable_domain(url),
        url=url,
        auth_type=auth_type,
        queued_at=run.parts.clock.now(),
        priority=run.search.options.auth_priority or "normal",
        reason=reason or "",
    )
    await run.parts.db.write(handoffs.insert, handoff)


def _with_retry_time(exc: LyraError, least_s: float) -> LyraError:
    """The same error; one that waits for engines always has a time to come back, a cooldown's at least."""
    if not isinstance(exc, AllEnginesBlocked):
        return exc
    rest_s = exc.retry_after_s if exc.retry_after_s is not None else least_s
    return AllEnginesBlocked(exc.message, remedy=exc.remedy, retry_after_s=rest_s, details=exc.details)
