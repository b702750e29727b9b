"""One query to one engine: from the day's cache, or through the getter under its circuit breaker and quota."""

import asyncio
from dataclasses import replace
from datetime import date, timedelta

from lyra.charset import decode
from lyra.clock import Clock, until_tomorrow_s
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult, Getter
from lyra.model.search import EngineAnswer, SearchOutcome
from lyra.search.engine import Engine
from lyra.search.expand import Derived
from lyra.search.health import UNSERVED, Health
from lyra.search.normalise import Rendered, admits, cache_key
from lyra.settings import Engines
from lyra.storage import caches
from lyra.storage.database import Database

# As the fetcher names a page that only scripts would fill.
_SCRIPT_GATE = "needs_javascript"
_PAGE_SIZE = 10


class EngineAsker:
    """Asks engines one query at a time; what the network does becomes an outcome."""

    def __init__(self, getter: Getter, db: Database, clock: Clock, settings: Engines, health: Health) -> None:
        self._getter = getter
        self._db = db
        self._clock = clock
        self._settings = settings
        self._health = health

    async def answer(
        self, engine: Engine, query: Derived, refusal: EngineAnswer | None, cause_id: str | None
    ) -> EngineAnswer:
        """The engine's answer; after a refusal only the cache is asked, for going on only prolongs it."""
        rendered = engine.rendered(query.text)
        if not rendered.text:
            reason = f"{engine.id} understands no part of it."
            return EngineAnswer(engine.id, query.text, SearchOutcome.FAILED, reason=reason)
        key = cache_key(engine.id, rendered.text) + (f":{query.page}" if query.page > 1 else "")
        fresh = self._clock.now() - timedelta(seconds=self._settings.serp_cache_ttl_s)
        answer = await self._db.read(caches.serp, key, fresh)
        if answer is None:
            answer = refusal or await self._fetched(engine, query, cause_id)
            if answer.outcome.is_answer:
                await self._db.write(caches.save_serp, key, answer, self._clock.now())
        return self._shaped(replace(answer, query=query.text), rendered)

    async def _fetched(self, engine: Engine, query: Derived, cause_id: str | None) -> EngineAnswer:
        wait_s = await self._health.wait_s(engine.id)
        if wait_s > 0:
            reason = "The engine failed lately and is left alone for a while."
            return EngineAnswer(engine.id, query.text, SearchOutcome.BLOCKED, (), reason, wait_s)
        if not await self._health.take(engine.id, engine.quota_per_day):
            reason = f"The day's {engine.quota_per_day} requests to the engine are used up."
            wait_s = until_tomorrow_s(self._clock.now())
            return EngineAnswer(engine.id, query.text, SearchOutcome.BLOCKED, (), reason, wait_s)
        request = replace(engine.url_for(query.text, query.page), cause_id=cause_id)
        result = await self._getter(request)
        today = self._clock.now().date()
        answer = await asyncio.to_thread(read_result, engine, query.text, result, today)
        # A request that was never sent, or that reached nobody, says nothing of the engine and costs no quota.
        if result.status_code is not None or result.outcome in {FetchOutcome.CHALLENGE, FetchOutcome.TIMED_OUT}:
            await self._health.record(answer, result.elapsed_s)
            answer = await self._with_rest(answer)
        else:
            await self._health.give_back(engine.id)
        # Ranks go on over the pages of an answer, whatever their number on the page.
        items = tuple(replace(item, rank=item.rank + _PAGE_SIZE * (query.page - 1)) for item in answer.items)
        record_id = result.archive.record_id if result.archive else None
        return replace(answer, items=items, url=_for_a_person(request), record_id=record_id)

    async def _with_rest(self, answer: EngineAnswer) -> EngineAnswer:
        """The answer with the time after which the engine is asked again: its own word, or what its circuit rests."""
        rest_s = await self._health.wait_s(answer.engine)
        return replace(answer, retry_after_s=max(rest_s, answer.retry_after_s or 0.0)) if rest_s > 0 else answer

    def _shaped(self, answer: EngineAnswer, rendered: Rendered) -> EngineAnswer:
        """Cut to the wanted number, held to sites the engine could not be told of, with what it was not told."""
        if answer.outcome is not SearchOutcome.RESULTS:
            return answer
        items = tuple(item for item in answer.items if admits(rendered.dropped, item.url, item.date))
        untold = [str(part) for part in rendered.dropped] + (["the end of a long query"] if rendered.is_cut else [])
        notes = [answer.reason] if answer.reason else []
        notes += [f"The engine could not be told {', '.join(untold)}."] if untold else []
        outcome = SearchOutcome.RESULTS if items else SearchOutcome.EMPTY
        kept = items[: self._settings.results_per_query]
        return replace(answer, outcome=outcome, items=kept, reason=" ".join(notes) or None)


def _for_a_person(request: FetchRequest) -> str:
    """The address a person can open: what was posted stands in the address."""
    return f"{request.url}?{request.body.decode()}" if request.body else request.url


def wall_kind(result: FetchResult) -> str:
    """What a person finds there: a log-in, a question about cookies, else a puzzle, whoever set it."""
    return result.challenge if result.challenge in {"login", "consent", "cloudflare"} else "captcha"


def read_result(engine: Engine, query: str, result: FetchResult, today: date | None = None) -> EngineAnswer:
    """What a fetch says: the parsed page, or why there is none."""
    if result.outcome is FetchOutcome.OK:
        return _parsed(engine, query, result, today)
    if result.outcome is FetchOutcome.COOLING_DOWN:
        reason = result.reason or "The engine rests after it refused."
        return EngineAnswer(engine.id, query, SearchOutcome.BLOCKED, (), reason, result.retry_after_s)
    if result.outcome is FetchOutcome.UNAVAILABLE:
        reason = f"This machine has no browser to ask it with ({result.reason or 'none found'})."
        return EngineAnswer(engine.id, query, SearchOutcome.FAILED, reason=reason, is_unavailable=True)
    outcome = SearchOutcome.BLOCKED if result.outcome.is_access_denied else SearchOutcome.FAILED
    detail = result.reason or (f"status {result.status_code}" if result.status_code else "no answer")
    reason = f"{UNSERVED} ({result.outcome.value}: {detail})."
    challenge = wall_kind(result) if result.outcome is FetchOutcome.CHALLENGE else None
    return EngineAnswer(engine.id, query, outcome, (), reason, result.retry_after_s, challenge)


def _parsed(engine: Engine, query: str, result: FetchResult, today: date | None) -> EngineAnswer:
    """What the page says; one that the parser cannot read and that shows nothing without scripts is a wall."""
    answer = engine.parse(decode(result.body, result.header("content-type")), query, today)
    if answer.outcome is SearchOutcome.FAILED and result.page_state == _SCRIPT_GATE:
        reason = "The engine shows nothing without scripts."
        return EngineAnswer(engine.id, query, SearchOutcome.BLOCKED, reason=reason, challenge="script")
    return answer
