"""An engine: how it is asked, under which limits, and how its page is read: results, empty, blocked or failed."""

import asyncio
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Protocol
from urllib.parse import urlencode

from lyra.charset import decode
from lyra.clock import Clock, until_tomorrow_s
from lyra.model.page import FetchLane, FetchOutcome, FetchRequest, FetchResult, Getter, PageState
from lyra.model.search import EngineAnswer, SearchOutcome, SerpItem
from lyra.search.engine_spec import EngineSpec, Marker, Transport
from lyra.search.expand import DerivedQuery
from lyra.search.health import UNSERVED, EngineHealthStore
from lyra.search.query import RenderedQuery, cache_key, parse_query, render_query, satisfies_operators
from lyra.search.result_page import PageResult, ResultPage, is_nested_too_deeply
from lyra.settings import Engines
from lyra.storage import caches
from lyra.storage.database import Database

_FORM = ("content-type", "application/x-www-form-urlencoded")
# SPEC §3: engines with plain pages are asked over plain HTTP and never over Tor, the others through the browser.
RUNGS = {Transport.HTTP: ("http",), Transport.BROWSER: ("headless", "headful")}
# As the fetcher names a page that only scripts would fill.
_PAGE_SIZE = 10


class Engine(Protocol):
    """What the federation knows of an engine."""

    id: str
    weight: float
    transport: Transport
    quota_per_day: int | None  # requests a day at most; None where politeness alone limits them
    is_last_mile: bool  # asked only where the others found too little
    has_pages: bool  # further pages of an answer can be asked for

    def strength(self, category: str) -> float:
        """How well it serves a category of questions; 1 is neither well nor badly."""

    def rendered(self, query: str) -> RenderedQuery:
        """The query as this engine understands it."""

    def url_for(self, query: str, page: int = 1) -> FetchRequest:
        """The request that asks the query."""

    def parse(self, html: str, query: str, today: date | None = None) -> EngineAnswer:
        """The answer on a page read that day; never raises for what the page holds."""


class PageEngine:
    """An engine described by data alone."""

    def __init__(self, spec: EngineSpec) -> None:
        self._spec = spec
        self.id = spec.id
        self.weight = spec.weight
        self.transport = spec.transport
        self.quota_per_day = spec.quota_per_day
        self.is_last_mile = spec.is_last_mile
        self.has_pages = spec.paging is not None

    def strength(self, category: str) -> float:
        return dict(self._spec.strengths).get(category, 1.0)

    def rendered(self, query: str) -> RenderedQuery:
        return render_query(parse_query(query), self._spec.dialect)

    def url_for(self, query: str, page: int = 1) -> FetchRequest:
        text = self.rendered(query).text
        asked = [(name, value.replace("{query}", text)) for name, value in self._spec.parameters]
        if page > 1 and self._spec.paging is not None:
            asked.append((self._spec.paging.parameter, self._spec.paging.value(page)))
        encoded = urlencode(asked)
        gate = f"engine:{self.id}"
        rungs = RUNGS[self._spec.transport]
        if self._spec.method == "POST":
            body = encoded.encode()
            address = self._spec.address
            return FetchRequest(address, FetchLane.SERP, gate, method="POST", body=body, headers=(_FORM,), rungs=rungs)
        return FetchRequest(f"{self._spec.address}?{encoded}", FetchLane.SERP, gate, rungs=rungs)

    def parse(self, html: str, query: str, today: date | None = None) -> EngineAnswer:
        if "<" not in html or "\x00" in html[:1000]:
            return self._without_results(query, SearchOutcome.FAILED, "The answer is not HTML.")
        if is_nested_too_deeply(html):
            return self._without_results(query, SearchOutcome.FAILED, "The page nests elements without end.")
        page = ResultPage(html, self._spec, today)
        if found := page.found:
            return EngineAnswer(
                self.id, query, SearchOutcome.RESULTS, self._items(found), reason=self._altered_note(page)
            )
        if marker := page.first_marker(
            one for one in self._spec.blocked if one.source is None and not page.is_quoted(one)
        ):
            return self._blocked(query, marker)
        if marker := page.first_marker(one for one in self._spec.empty if not page.is_quoted(one)):
            return self._without_results(query, SearchOutcome.EMPTY, f"The engine found nothing ({marker}).")
        return self._read_by_structure(page, query)

    def _altered_note(self, page: ResultPage) -> str | None:
        marker = page.first_marker(self._spec.altered)
        return f"The engine answered another query than the one asked ({marker})." if marker else None

    def _read_by_structure(self, page: ResultPage, query: str) -> EngineAnswer:
        """The selectors found nothing and no sign says why: read by structure, or say what failed."""
        if found := page.found_by_structure:
            notes = (f"The page has drifted and was read by structure: {page.failure}.", self._altered_note(page))
            note = " ".join(filter(None, notes))
            return EngineAnswer(self.id, query, SearchOutcome.RESULTS, self._items(found), reason=note)
        if marker := page.first_marker(self._spec.blocked):
            return self._blocked(query, marker)
        about = f"Page {page.title[:80]!r} shows neither results nor a sign that there are none: {page.failure}."
        return self._without_results(query, SearchOutcome.FAILED, about)

    def _blocked(self, query: str, marker: Marker) -> EngineAnswer:
        reason = f"The engine refuses ({marker})."
        return EngineAnswer(self.id, query, SearchOutcome.BLOCKED, reason=reason, challenge=marker.kind)

    def _without_results(self, query: str, outcome: SearchOutcome, reason: str) -> EngineAnswer:
        return EngineAnswer(self.id, query, outcome, reason=reason)

    def _items(self, found: tuple[PageResult, ...]) -> tuple[SerpItem, ...]:
        unique = dict.fromkeys(found)
        return tuple(
            SerpItem(item.title, item.url, item.snippet, self.id, rank, item.date)
            for rank, item in enumerate(unique, start=1)
        )


class EngineClient:
    """Asks engines one query at a time; what the network does becomes an outcome."""

    def __init__(
        self, getter: Getter, db: Database, clock: Clock, settings: Engines, health: EngineHealthStore
    ) -> None:
        self._getter = getter
        self._db = db
        self._clock = clock
        self._settings = settings
        self._health = health

    async def answer(
        self,
        engine: Engine,
        query: DerivedQuery,
        refusal: EngineAnswer | None,
        cause_id: str | None,
        fresh_since: datetime | None = None,
    ) -> EngineAnswer:
        """The engine's answer; after a refusal only the cache is asked, for going on only prolongs it.

        What the cache holds from before `fresh_since` is not taken.
        """
        rendered = engine.rendered(query.text)
        if not rendered.text:
            reason = f"{engine.id} cannot be asked any part of it."
            return EngineAnswer(engine.id, query.text, SearchOutcome.FAILED, reason=reason)
        key = cache_key(engine.id, rendered.text) + (f":{query.page}" if query.page > 1 else "")
        fresh = self._clock.now() - timedelta(seconds=self._settings.serp_cache_ttl_s)
        answer = await self._db.read(caches.serp, key, max(fresh, fresh_since or fresh))
        if answer is None:
            answer = refusal or await self._fetched(engine, query, cause_id)
            if answer.outcome.is_answer:
                await self._db.write(caches.save_serp, key, answer, self._clock.now())
        return self._filtered(replace(answer, query=query.text), rendered)

    async def _fetched(self, engine: Engine, query: DerivedQuery, cause_id: str | None) -> EngineAnswer:
        wait_s = await self._health.wait_s(engine.id)
        if wait_s > 0:
            reason = "The engine failed recently and is not asked for now."
            return EngineAnswer(engine.id, query.text, SearchOutcome.BLOCKED, (), reason, wait_s)
        if not await self._health.count_request(engine.id, engine.quota_per_day):
            reason = f"The day's {engine.quota_per_day} requests to the engine are used up."
            wait_s = until_tomorrow_s(self._clock.now())
            return EngineAnswer(engine.id, query.text, SearchOutcome.BLOCKED, (), reason, wait_s)
        request = replace(engine.url_for(query.text, query.page), cause_id=cause_id)
        result = await self._getter(request)
        today = self._clock.now().date()
        answer = await asyncio.to_thread(read_result, engine, query.text, result, today)
        # A request that was never sent, or that reached no server, says nothing of the engine and costs no quota.
        was_asked = result.status_code is not None or result.outcome in {FetchOutcome.CHALLENGE, FetchOutcome.TIMED_OUT}
        if was_asked and not result.is_unreachable:
            await self._health.record(answer, result.elapsed_s)
            answer = await self._with_retry_time(answer)
        else:
            await self._health.uncount_request(engine.id)
        # Ranks go on over the pages of an answer, whatever their number on the page.
        items = tuple(replace(item, rank=item.rank + _PAGE_SIZE * (query.page - 1)) for item in answer.items)
        record_id = result.archive.record_id if result.archive else None
        return replace(answer, items=items, url=_address_for_person(request), record_id=record_id)

    async def _with_retry_time(self, answer: EngineAnswer) -> EngineAnswer:
        """The answer with the time after which the engine may be asked again."""
        rest_s = await self._health.wait_s(answer.engine)
        return replace(answer, retry_after_s=max(rest_s, answer.retry_after_s or 0.0)) if rest_s > 0 else answer

    def _filtered(self, answer: EngineAnswer, rendered: RenderedQuery) -> EngineAnswer:
        """Cut to the wanted number, filtered by operators that the engine lacks, with a note of what was not sent."""
        if answer.outcome is not SearchOutcome.RESULTS:
            return answer
        items = tuple(item for item in answer.items if satisfies_operators(rendered.dropped, item.url, item.date))
        not_sent = [str(part) for part in rendered.dropped] + (["the end of a long query"] if rendered.is_cut else [])
        notes = [answer.reason] if answer.reason else []
        notes += [f"The engine cannot be given {', '.join(not_sent)}."] if not_sent else []
        outcome = SearchOutcome.RESULTS if items else SearchOutcome.EMPTY
        kept = items[: self._settings.results_per_query]
        return replace(answer, outcome=outcome, items=kept, reason=" ".join(notes) or None)


def _address_for_person(request: FetchRequest) -> str:
    """The address a person can open: posted fields become part of the address."""
    return f"{request.url}?{request.body.decode()}" if request.body else request.url


def challenge_kind(result: FetchResult) -> str:
    """What a person finds there: a log-in, a question about cookies, else a captcha."""
    return result.challenge if result.challenge in {"login", "consent", "cloudflare"} else "captcha"


def read_result(engine: Engine, query: str, result: FetchResult, today: date | None = None) -> EngineAnswer:
    """What a fetch says: the parsed page, or why there is none."""
    if result.outcome is FetchOutcome.OK:
        return _parsed(engine, query, result, today)
    if result.outcome is FetchOutcome.COOLING_DOWN:
        reason = result.reason or "The engine refused and is not asked for now."
        return EngineAnswer(engine.id, query, SearchOutcome.BLOCKED, (), reason, result.retry_after_s)
    if result.outcome is FetchOutcome.UNAVAILABLE:
        reason = f"This machine has no browser to ask it with ({result.reason or 'none found'})."
        return EngineAnswer(engine.id, query, SearchOutcome.FAILED, reason=reason, is_unavailable=True)
    outcome = SearchOutcome.BLOCKED if result.outcome.is_access_denied else SearchOutcome.FAILED
    detail = result.reason or (f"status {result.status_code}" if result.status_code else "no answer")
    reason = f"{UNSERVED} ({result.outcome.value}: {detail})."
    challenge = challenge_kind(result) if result.outcome is FetchOutcome.CHALLENGE else None
    return EngineAnswer(
        engine.id,
        query,
        outcome,
        reason=reason,
        retry_after_s=result.retry_after_s,
        challenge=challenge,
        is_unreachable=result.is_unreachable,
    )


def _parsed(engine: Engine, query: str, result: FetchResult, today: date | None) -> EngineAnswer:
    """What the page says; one that the parser cannot read and that shows nothing without scripts is blocked."""
    answer = engine.parse(decode(result.body, result.header("content-type")), query, today)
    if answer.outcome is SearchOutcome.FAILED and result.page_state == PageState.NEEDS_JAVASCRIPT:
        reason = "The engine shows nothing without scripts."
        return EngineAnswer(engine.id, query, SearchOutcome.BLOCKED, reason=reason, challenge="script")
    return answer
