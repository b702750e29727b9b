"""Several engines as one: chosen by weight and health, asked side by side, their results fused."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from lyra.clock import Clock, stamp, until_tomorrow_s
from lyra.errors import AllEnginesBlocked, ChromeNotReady, InvalidParams, LyraError, innermost
from lyra.model.domain import BreakerState, ServiceHealth, SiteRecord
from lyra.model.page import Getter
from lyra.model.search import Candidate, EngineAnswer, PageYield, SearchOutcome, Vertical
from lyra.policy import breaker
from lyra.search.engine import Engine, EngineClient
from lyra.search.engine_spec import Transport
from lyra.search.expand import DerivedQuery, has_operators, plan_queries
from lyra.search.health import EngineHealthStore, requests_left_today
from lyra.search.mirrors import MirrorMaker, Translate
from lyra.search.query import normalise_query
from lyra.search.scoring import (
    EngineWeight,
    branch_value,
    by_weight,
    category_of,
    engine_weight,
    fuse_answers,
)
from lyra.search.site_search import SiteSearch
from lyra.settings import Settings
from lyra.storage import derived_queries, site_searches
from lyra.storage.database import Database
from lyra.urls import canonical

_MEMORY = timedelta(days=90)
# A first page this full promises a second one.
_FULL_PAGE = 8
# For how long a machine that had no browser is not asked for one again.
_WITHOUT_BROWSER_S = 600.0


@dataclass(frozen=True, slots=True)
class FederationOptions:
    """What the client wants besides the query; `wanted` addresses are enough, answers from before `fresh_since` are
    not."""

    engines: tuple[str, ...] | None = None
    refute: bool = False
    seek_primary: bool = False
    vertical: Vertical | None = None
    sites: tuple[str, ...] = ()
    wanted: int = 30
    language: str | None = None
    fresh_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class QueryTally:
    """A query that was sent, to which engines, and how much of what came back was new."""

    query: DerivedQuery
    engines: tuple[str, ...]
    results: int
    new_results: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class FederatedAnswer:
    """What every engine answered to every query sent, and the addresses fused from it, best first."""

    queries: tuple[DerivedQuery, ...]
    answers: tuple[EngineAnswer, ...]
    candidates: tuple[Candidate, ...]
    sent: tuple[QueryTally, ...] = ()
    engine_weights: tuple[EngineWeight, ...] = ()
    category: str = "general"
    ended: str = ""

    @property
    def refusal(self) -> LyraError | None:
        """Why there is nothing, where every engine refused or needs a browser that is not there."""
        if all(one.is_unavailable for one in self.answers):
            return _no_browser_error([one.engine for one in self.answers])
        if all(one.outcome is SearchOutcome.BLOCKED or one.is_unavailable for one in self.answers):
            return _all_blocked_error(self.answers, self.engine_weights)
        return None


@dataclass
class _FederatedSearch:
    """One question under way: who is asked, what has come back; `full` are queries and pages that an engine filled."""

    engines: list[Engine]
    weights: dict[str, float]
    cause_id: str | None
    fresh_since: datetime | None = None
    refusals: dict[str, EngineAnswer] = field(default_factory=dict)
    answers: list[EngineAnswer] = field(default_factory=list)
    pages: dict[tuple[str, str], DerivedQuery] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    full: set[tuple[str, int]] = field(default_factory=set)
    sent: list[QueryTally] = field(default_factory=list)


class Federation:
    """Asks engines by weight and health; one that fails is replaced by another."""

    def __init__(
        self,
        engines: Mapping[str, Engine],
        getter: Getter,
        db: Database,
        clock: Clock,
        settings: Settings,
        browser_trouble: Callable[[], str | None] = lambda: None,
        mirrors: MirrorMaker | None = None,
    ) -> None:
        self._engines = engines
        self._db = db
        self._clock = clock
        self._settings = settings.engines
        self._health = EngineHealthStore(db, clock, settings.politeness)
        self._client = EngineClient(getter, db, clock, settings.engines, self._health)
        self.sites = SiteSearch(getter, db, clock, settings.engines)
        self._browser_trouble = browser_trouble
        self._mirrors = mirrors
        self._browser_again_at = 0.0

    async def search(
        self,
        query: str,
        options: FederationOptions | None = None,
        *,
        cause_id: str | None = None,
        translate: Translate | None = None,
    ) -> FederatedAnswer:
        """Put the query, and what the rules derive from it as far as that brings anything new, to engines.

        `translate` is asked for a mirror where word list and dictionary do not know every word.

        Raises InvalidParams for an empty query or an unknown engine, AllEnginesBlocked where none may be
        asked now, ChromeNotReady where all of them need a browser.
        """
        options = options or FederationOptions()
        tidied = normalise_query(query)
        planned = plan_queries(
            tidied,
            refute=options.refute,
            seek_primary=options.seek_primary,
            vertical=options.vertical,
            sites=options.sites,
        )
        category = category_of(tidied)
        engine_weights = await self.engine_weights(category, options.engines)
        chosen, reserve = self._choose(engine_weights, is_named=options.engines is not None)
        weights = {one.engine: one.weight for one in engine_weights}
        search = _FederatedSearch([self._engines[one.engine] for one in chosen], weights, cause_id, options.fresh_since)
        if options.engines is not None:
            search.answers += [_unavailable_answer(one, tidied) for one in engine_weights if one.skipped is not None]
        await self._ask_queries(search, planned.asked[:1], "the client's query")
        await self._ask_reserve(search, reserve, planned.asked[0])
        if search.answers and all(one.is_unreachable for one in search.answers):
            return self._result(search, engine_weights, category, "no engine could be reached")
        # All of them, whatever they bring: "no refutation found" is only worth what was asked.
        await self._ask_queries(search, planned.asked[1:], "the client's options ask for it")
        branches = await self._with_mirror(tidied, planned.branches, translate)
        ended = await self._ask_branches(search, branches, options)
        await self._ask_last_mile(search, engine_weights, planned.asked[0], is_named=options.engines is not None)
        return self._result(search, engine_weights, category, ended)

    async def _with_mirror(
        self, query: str, branches: tuple[DerivedQuery, ...], translate: Translate | None
    ) -> tuple[DerivedQuery, ...]:
        """The branches with the query in the other language, better than the word list alone makes it."""
        if self._mirrors is None or has_operators(query):
            return branches
        mirror = await self._mirrors.mirror(query, translate)
        if mirror is None:
            return branches
        return (mirror, *(one for one in branches if one.rule != mirror.rule))

    async def engine_weights(self, category: str, named: Sequence[str] | None = None) -> tuple[EngineWeight, ...]:
        """Every engine that may be asked, the weightiest first, with how its weight came about."""
        ids = self._known(named)
        health = await self._health.all()
        yields = await self._db.read(derived_queries.engine_yields, category, self._clock.now() - _MEMORY)
        return by_weight(
            engine_weight(self._engines[name], category, health.get(name), yields, **self._skipped(name, health))
            for name in ids
        )

    async def report(self, query: str = "") -> dict[str, Any]:
        """The state of every engine and every site with its own search, for people and programs."""
        category = category_of(query)
        health, now = await self._health.all(), self._clock.now()
        engine_weights = await self.engine_weights(category)
        able = [one for one in engine_weights if one.skipped is None and not self._engines[one.engine].is_last_mile]
        chosen = frozenset(one.engine for one in able[: self._settings.per_search])
        rows = [
            engine_row(self._engines[one.engine], one, health.get(one.engine), now, chosen) for one in engine_weights
        ]
        sites = site_rows(await self._db.read(site_searches.all), self._settings.site_search)
        return {"category": category, "per_search": self._settings.per_search, "engines": rows, "sites": sites}

    def _known(self, named: Sequence[str] | None) -> tuple[str, ...]:
        ids = tuple(dict.fromkeys(named if named is not None else self._settings.enabled))
        unknown = [name for name in ids if name not in self._engines]
        if unknown or not ids:
            about = f"There is no search engine {unknown[0][:60]!r}." if unknown else "No search engine is named."
            known = sorted(self._engines)
            raise InvalidParams(about, remedy=f"Known engines: {', '.join(known)}.", details={"known": known})
        return ids

    def _skipped(self, name: str, health: Mapping[str, Any]) -> dict[str, Any]:
        """Why an engine cannot be asked now, and for how long."""
        engine, known, now = self._engines[name], health.get(name), self._clock.now()
        if known is not None and (wait_s := breaker.wait_s(known, now)) > 0:
            reason = known.last_reason or known.last_outcome or "it failed"
            return {"skipped": f"its circuit is open: {reason}", "wait_s": wait_s}
        if requests_left_today(known, engine.quota_per_day, now) == 0:
            return {"skipped": "the day's quota is used up", "wait_s": until_tomorrow_s(now)}
        if self._had_no_browser(engine):
            return {"skipped": "this machine has no browser"}
        if engine.transport is Transport.BROWSER and (trouble := self._browser_trouble()):
            return {"skipped": f"this machine has no browser ({trouble})"}
        return {}

    def _had_no_browser(self, engine: Engine) -> bool:
        """Whether the engine needs the browser that was missing a while ago."""
        return engine.transport is Transport.BROWSER and self._clock.monotonic() < self._browser_again_at

    def _choose(
        self, engine_weights: Sequence[EngineWeight], *, is_named: bool
    ) -> tuple[tuple[EngineWeight, ...], tuple[EngineWeight, ...]]:
        """Those asked first, and those in reserve; all that the client named are asked."""
        able = [one for one in engine_weights if one.skipped is None]
        if not able:
            raise _no_engine_error(engine_weights)
        if is_named:
            return tuple(able), ()
        ordinary = [one for one in able if not self._engines[one.engine].is_last_mile] or able
        most = self._settings.per_search
        return tuple(ordinary[:most]), tuple(ordinary[most:])

    async def _ask_queries(self, search: _FederatedSearch, queries: Sequence[DerivedQuery], why: str) -> None:
        """Ask every engine of the round each of these queries, side by side."""
        for query in queries:
            engines = [one for one in search.engines if query.page == 1 or one.has_pages]
            answers = await _ask_all(
                [
                    self._client.answer(one, query, search.refusals.get(one.id), search.cause_id, search.fresh_since)
                    for one in engines
                ]
            )
            self._add_answers(search, query, answers, why)

    def _add_answers(
        self, search: _FederatedSearch, query: DerivedQuery, answers: Sequence[EngineAnswer], why: str
    ) -> None:
        found = [canonical(item.url) for answer in answers for item in answer.items]
        fresh = set(found) - search.seen
        search.seen |= fresh
        for answer in answers:
            search.answers.append(answer)
            search.pages.setdefault((answer.engine, answer.query), query)
            if len(answer.items) >= _FULL_PAGE and self._engines[answer.engine].has_pages:
                search.full.add((query.text, query.page))
            if answer.outcome is SearchOutcome.BLOCKED:
                search.refusals[answer.engine] = answer
            if answer.is_unavailable:
                search.refusals[answer.engine] = answer
                self._browser_again_at = self._clock.monotonic() + _WITHOUT_BROWSER_S
        search.sent.append(QueryTally(query, tuple(one.engine for one in answers), len(set(found)), len(fresh), why))

    def _novelty(self, search: _FederatedSearch) -> float:
        """The share of new addresses in the last answer."""
        last = search.sent[-1]
        return last.new_results / last.results if last.results else 0.0

    async def _ask_reserve(
        self, search: _FederatedSearch, reserve: Sequence[EngineWeight], query: DerivedQuery
    ) -> None:
        """As many engines answer as were chosen, while the reserve can replace those that refuse or fail."""
        wanted, waiting = len(search.engines), list(reserve)
        while waiting and _answered(search) < wanted:
            one = waiting.pop(0)
            engine = self._engines[one.engine]
            if self._had_no_browser(engine):
                continue
            answer = await self._client.answer(engine, query, None, search.cause_id, search.fresh_since)
            self._add_answers(search, query, [answer], "stands in for an engine that gave no answer")
            search.engines.append(engine)

    async def _ask_branches(
        self, search: _FederatedSearch, branches: Sequence[DerivedQuery], options: FederationOptions
    ) -> str:
        """The query in the task's language, then best first by UCB1 on harvest; ends at enough addresses, the number
        of queries, or two stale ones running."""
        yields = dict(await self._db.read(derived_queries.family_yields, self._clock.now() - _MEMORY))
        waiting = [*branches, *self._next_page(search, search.sent[0].query)]
        stale = 0
        for _ in range(self._settings.queries_per_search - 1):
            if not waiting:
                return "no rule derives another query"
            if len(search.seen) >= options.wanted:
                return f"{len(search.seen)} addresses are enough for {options.wanted} pages"
            in_language = next((one for one in waiting if one.rule == f"mirror:{options.language}"), None)
            best = in_language or max(waiting, key=lambda one: branch_value(one.family, yields))
            waiting.remove(best)
            chosen_by = f"UCB1 {branch_value(best.family, yields):.2f} for {best.family}"
            await self._ask_queries(search, (best,), "it is in the task's language" if in_language else chosen_by)
            novelty = self._novelty(search)
            waiting += self._next_page(search, best) if best.page > 1 else []
            known = yields.get(best.family, PageYield())
            # What is new is not yet useful, but what is not new cannot be.
            yields[best.family] = PageYield(known.read + 1, known.useful + (novelty >= self._settings.novelty_floor))
            stale = 0 if novelty >= self._settings.novelty_floor else stale + 1
            if stale == 2:
                return "two derived queries running brought nothing new"
        return f"{self._settings.queries_per_search} queries were sent"

    def _next_page(self, search: _FederatedSearch, query: DerivedQuery) -> list[DerivedQuery]:
        """The page after this one, where an engine filled it."""
        following = query.page + 1
        is_full = (query.text, query.page) in search.full
        return [replace(query, rule=f"page:{following}", page=following)] if is_full else []

    async def _ask_last_mile(
        self, search: _FederatedSearch, engine_weights: Sequence[EngineWeight], query: DerivedQuery, *, is_named: bool
    ) -> None:
        """Google and Brave, where all others together found too little."""
        if is_named or len(search.seen) >= self._settings.last_mile_below:
            return
        asked = {engine.id for engine in search.engines}
        for one in engine_weights:
            engine = self._engines[one.engine]
            is_able = one.skipped is None and not self._had_no_browser(engine)
            if engine.is_last_mile and is_able and one.engine not in asked:
                answer = await self._client.answer(engine, query, None, search.cause_id, search.fresh_since)
                self._add_answers(search, query, [answer], "last mile: the others found too little")

    def _result(
        self, search: _FederatedSearch, engine_weights: tuple[EngineWeight, ...], category: str, ended: str
    ) -> FederatedAnswer:
        answers = tuple(search.answers)
        referers = {key: self._engines[key[0]].url_for(key[1], query.page).url for key, query in search.pages.items()}
        queries = tuple(dict.fromkeys(one.query for one in search.sent))
        fused = fuse_answers(answers, search.weights, referers, search.cause_id or "")
        return FederatedAnswer(queries, answers, fused, tuple(search.sent), engine_weights, category, ended)


def _answered(search: _FederatedSearch) -> int:
    return sum(1 for answer in search.answers if answer.outcome.is_answer)


def _unavailable_answer(one: EngineWeight, query: str) -> EngineAnswer:
    """The answer of an engine that was named and cannot be asked now."""
    return EngineAnswer(
        one.engine,
        query,
        SearchOutcome.FAILED if one.wait_s is None else SearchOutcome.BLOCKED,
        reason=f"Not asked: {one.skipped}.",
        retry_after_s=one.wait_s,
        is_unavailable=one.wait_s is None,
    )


def _no_browser_error(engines: Iterable[str]) -> ChromeNotReady:
    return ChromeNotReady(
        f"{', '.join(dict.fromkeys(engines))} can only be asked through a browser, and none can be started.",
        remedy="Install Chrome or Chromium, or name an engine that serves plain pages, such as duckduckgo or mojeek.",
    )


def _no_engine_error(engine_weights: Sequence[EngineWeight]) -> LyraError:
    """Why no engine can be asked: all are paused, or what remains needs a missing browser."""
    waits = [one.wait_s for one in engine_weights if one.wait_s is not None]
    if not waits:
        return _no_browser_error(one.engine for one in engine_weights)
    return _blocked_error({one.engine: one.skipped for one in engine_weights}, min(waits))


def _all_blocked_error(answers: Iterable[EngineAnswer], engine_weights: Sequence[EngineWeight]) -> AllEnginesBlocked:
    reasons: dict[str, str | None] = {one.engine: one.skipped for one in engine_weights if one.skipped}
    reasons |= {answer.engine: answer.reason for answer in answers}
    waits = [answer.retry_after_s for answer in answers if answer.retry_after_s is not None]
    waits += [one.wait_s for one in engine_weights if one.wait_s is not None]
    return _blocked_error(reasons, min(waits) if waits else None)


def _blocked_error(reasons: Mapping[str, str | None], retry_after_s: float | None) -> AllEnginesBlocked:
    return AllEnginesBlocked(
        f"Every search engine asked refuses for now: {', '.join(sorted(reasons))}.",
        remedy="Try again later, or name other engines in options.engines; `lyra engines` shows the state of each.",
        retry_after_s=retry_after_s,
        details={"engines": dict(reasons)},
    )


async def _ask_all(questions: Iterable[Coroutine[Any, Any, EngineAnswer]]) -> tuple[EngineAnswer, ...]:
    """All at once; the first typed error stops the rest and comes out as itself."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(question) for question in questions]
    except* LyraError as errors:
        raise innermost(errors) from None
    return tuple(task.result() for task in tasks)


def engine_row(
    engine: Engine, one: EngineWeight, health: ServiceHealth | None, now: datetime, chosen: frozenset[str]
) -> dict[str, Any]:
    """An engine's status (`asked`, `stands in`, `last mile`, `resting`, `off`), its weight and what it comes from."""
    known = health or ServiceHealth(f"engine:{engine.id}", now)
    return {
        "engine": engine.id,
        "status": _status(engine, one, chosen),
        "weight": one.weight,
        "transport": engine.transport.value,
        "breaker": known.state.value,
        "open_until": stamp(known.open_until) if known.open_until else None,
        "failures_in_row": known.failures if known.state is not BreakerState.CLOSED or known.failures else 0,
        "sound_1h": round(known.success_1h, 3),
        "sound_24h": round(known.success_24h, 3),
        "captcha_24h": round(known.captcha_24h, 3),
        "drift_24h": round(known.drift_24h, 3),
        "latency_s": None if known.latency_s is None else round(known.latency_s, 2),
        "quota_per_day": engine.quota_per_day,
        "left_today": requests_left_today(health, engine.quota_per_day, now),
        "last_outcome": known.last_outcome,
        "last_reason": known.last_reason,
        "retry_after_s": None if one.wait_s is None else round(one.wait_s),
        "why": one.why,
    }


def _status(engine: Engine, one: EngineWeight, chosen: frozenset[str]) -> str:
    if one.skipped is not None:
        return "resting" if one.wait_s is not None else "off"
    if engine.id in chosen:
        return "asked"
    return "last mile" if engine.is_last_mile else "stands in"


def site_rows(records: Iterable[SiteRecord], allowed: Iterable[str]) -> list[dict[str, Any]]:
    """Every site of the allow-list, with how asking it has gone."""
    known: Mapping[str, SiteRecord] = {one.domain: one for one in records}
    rows: list[dict[str, Any]] = []
    for host in allowed:
        one = known.get(host)
        rows.append(
            {
                "site": host,
                "form": one.form.action if one and one.form else None,
                "needs_browser": bool(one and one.form and one.form.needs_browser),
                "successes": one.successes if one else 0,
                "failures": one.failures if one else 0,
                "skipped_on": one.skipped_on if one else None,
                "last_reason": one.last_reason if one else None,
            }
        )
    return rows
