"""The browser rungs: a page as a person's browser shows it, headless, in a window, or undetected.

They ask as politely as any other rung. What they read is the page after its scripts have run; that is archived as a
record of its own, beside the answers it was built from, with a picture and a list of everything it loaded.
"""

import contextlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from lyra.archive.captures import Captures
from lyra.archive.warc import WarcArchive
from lyra.clock import Chance, Clock
from lyra.errors import BrowserFault, ChromeNotReady
from lyra.fetch.addresses import NOT_WEB, wire_form
from lyra.fetch.admission import Admission, Admitted, Denied, denied_result, result_of
from lyra.fetch.browser.flags import Mode
from lyra.fetch.browser.pool import BrowserPool
from lyra.fetch.browser.sight import Plan, Sight
from lyra.fetch.classify import Verdict
from lyra.fetch.ladder import BROWSERS
from lyra.fetch.rung import Climb
from lyra.fetch.sessions import SessionStore
from lyra.ids import bytes_hash
from lyra.model.archive import Capture, Exchange, Truncation
from lyra.model.page import ArchiveRef, FetchLane, FetchOutcome, FetchRequest, FetchResult
from lyra.settings import Settings
from lyra.urls import host_of, registrable_domain

_OF_THE_BYTES = frozenset({"content-type", "content-encoding", "content-length", "transfer-encoding"})

Hold = Callable[[], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True)
class _Trip:
    """How far a fetch has come: the address to visit next, and what the visits before it took."""

    request: FetchRequest
    climb: Climb
    url: str
    referer: str | None
    redirects: int = 0
    elapsed_s: float = 0.0

    @property
    def is_first(self) -> bool:
        return self.redirects == 0


@dataclass(frozen=True, slots=True)
class Shelves:
    """Where a visit is kept: its bytes, what was seen of it, and the session it left."""

    archive: WarcArchive
    captures: Captures
    sessions: SessionStore


class BrowserRung:
    """Visits in one kind of browser; `hold` is what a browser with a window must have to itself meanwhile."""

    def __init__(
        self, mode: Mode, pool: BrowserPool, admission: Admission, shelves: Shelves, clock: Clock, settings: Settings,
        hold: Hold = contextlib.nullcontext,
    ) -> None:  # fmt: skip
        self.name: str = mode
        self._pool = pool
        self._admission = admission
        self._shelves = shelves
        self._clock = clock
        self._settings = settings
        self._hold = hold

    async def fetch(self, request: FetchRequest, climb: Climb) -> FetchResult:
        """Fetch; robots.txt binds where the climb has a getter for it."""
        url = wire_form(request.url)
        if url is None:
            denied = Denied(FetchOutcome.REFUSED_ADDRESS, NOT_WEB)
            return replace(denied_result(denied, request, "", self.name), fetched_at=self._clock.now())
        referer = wire_form(request.referer) if request.referer else None
        state: _Trip | FetchResult = _Trip(request, climb, url, referer)
        while isinstance(state, _Trip):
            state = await self._leg(state)
        return state if state.fetched_at else replace(state, fetched_at=self._clock.now())

    async def close(self) -> None:
        """End the browser, if one was started."""
        await self._pool.close()

    async def _leg(self, trip: _Trip) -> _Trip | FetchResult:
        """What one turn at the gate covers: a result, or the trip with its next address elsewhere."""
        async with self._admission.admit(trip.url, trip.request, trip.climb) as admitted:
            if isinstance(admitted, Denied):
                return self._denied(trip, admitted)
            return await self._visit(trip, admitted)

    def _denied(self, trip: _Trip, denied: Denied, *, was_sent: bool = False) -> FetchResult:
        result = denied_result(denied, trip.request, trip.url, self.name, trip.elapsed_s)
        return replace(result, was_sent=was_sent or not trip.is_first)

    async def _visit(self, trip: _Trip, admitted: Admitted) -> _Trip | FetchResult:
        domain = registrable_domain(trip.url)

        async def follow(url: str) -> bool:
            is_near = wire_form(url) is not None and registrable_domain(url) == domain
            return is_near and await self._admission.may_follow(url, trip.climb) is not None

        try:
            async with self._hold():
                sight = await self._pool.visit(await self._plan(trip), follow)
        except BrowserFault as exc:
            return self._denied(trip, Denied(FetchOutcome.FAILED, exc.message), was_sent=True)
        except ChromeNotReady as exc:
            admitted.turn.pass_on()
            reason = f"{exc.message} {exc.remedy or ''}".strip()
            return self._denied(trip, Denied(FetchOutcome.UNAVAILABLE, reason, exc.retry_after_s))
        archived = await self._keep(sight.exchanges)
        trip = replace(trip, elapsed_s=trip.elapsed_s + sight.elapsed_s)
        if sight.leads_to is not None:
            return await self._lead_on(trip, sight, archived)
        return await self._conclude(trip, sight, archived, admitted)

    async def _plan(self, trip: _Trip) -> Plan:
        network, request = self._settings.network, trip.request
        session = await self._shelves.sessions.load(trip.url)
        whole_s = network.timeout_s if request.lane is FetchLane.PAGE else network.serp_timeout_s
        return Plan(
            url=trip.url,
            timeout_s=whole_s - trip.elapsed_s,
            method=request.method.upper() if trip.is_first else "GET",
            body=request.body if trip.is_first else None,
            headers=request.headers if trip.is_first else (),
            referer=trip.referer,
            cookies=session.cookies if session else (),
            is_humane=self.name != "headless",
        )

    async def _keep(self, exchanges: tuple[Exchange, ...]) -> ArchiveRef | None:
        """Every answer for the page itself, in order; the record of the last one."""
        archived = None
        for exchange in exchanges:
            archived = await self._shelves.archive.store(exchange)
        return archived

    async def _lead_on(self, trip: _Trip, sight: Sight, archived: ArchiveRef | None) -> _Trip | FetchResult:
        """The page leads elsewhere: another domain, or an address whose rules must be asked first."""
        target, redirects = sight.leads_to or "", trip.redirects + max(1, len(sight.exchanges))
        last = sight.exchanges[-1] if sight.exchanges else self._unanswered(trip, sight)
        end: Verdict | None = None
        if redirects > self._settings.network.max_redirects:
            most = self._settings.network.max_redirects
            end = Verdict(FetchOutcome.FAILED, f"More than {most} redirects, the last to {target[:200]}.")
        elif wire_form(target) is None:
            end = Verdict(FetchOutcome.REFUSED_ADDRESS, f"The page leads to {target[:200]!r}. {NOT_WEB}")
        if end is not None:
            return result_of(last, end, trip.request, archived, self.name, trip.elapsed_s)
        return replace(trip, url=wire_form(target) or "", redirects=redirects)

    async def _conclude(
        self, trip: _Trip, sight: Sight, archived: ArchiveRef | None, admitted: Admitted
    ) -> FetchResult:
        seen = _if_whole(self._as_seen(trip, sight), sight, trip.climb)
        verdict = await self._admission.conclude(seen, trip.request, admitted.turn, trip.climb)
        if sight.html is not None and archived is not None and seen.truncation is None:
            archived = await self._shelves.archive.store_rendered(seen.url, sight.html, refers_to=archived)
            capture = Capture(seen.url, archived.record_id, self._clock.now(), sight.screenshot, sight.resources)
            await self._shelves.captures.store(capture)
        if verdict.outcome is FetchOutcome.OK and sight.cookies:
            await self._shelves.sessions.save(
                seen.url, sight.cookies, user_agent=self._pool.user_agent, language=sight.language
            )
        return result_of(seen, verdict, trip.request, archived, self.name, trip.elapsed_s)

    def _as_seen(self, trip: _Trip, sight: Sight) -> Exchange:
        """The last answer with the page as it stood at the end in place of the bytes that came."""
        if not sight.exchanges:
            return self._unanswered(trip, sight)
        last = sight.exchanges[-1]
        if sight.html is not None:
            headers = tuple((name, value) for name, value in last.headers if name.lower() not in _OF_THE_BYTES)
            return replace(last, headers=(*headers, ("content-type", "text/html; charset=utf-8")), body=sight.html)
        if sight.failure is not None and last.failure is None:
            return replace(last, failure=sight.failure, reason=sight.reason, truncation=Truncation.TIME)
        return last

    def _unanswered(self, trip: _Trip, sight: Sight) -> Exchange:
        return Exchange(
            url=trip.url,
            method=trip.request.method,
            started_at=self._clock.now(),
            elapsed_s=sight.elapsed_s,
            failure=sight.failure or FetchOutcome.FAILED,
            reason=sight.reason or "No answer came.",
        )


def _if_whole(seen: Exchange, sight: Sight, climb: Climb) -> Exchange:
    """The page, unless a lighter rung has found that exactly these bytes are only its beginning."""
    if not sight.exchanges or sight.html is None or bytes_hash(sight.exchanges[-1].body) not in climb.broken:
        return seen
    reason = f"{host_of(seen.url)}: the body broke off where it had broken off before."
    return replace(seen, failure=FetchOutcome.FAILED, reason=reason, truncation=Truncation.DISCONNECT)


def browser_rungs(
    settings: Settings, admission: Admission, shelves: Shelves, clock: Clock, chance: Chance,
    hold: Hold = contextlib.nullcontext,
) -> tuple[BrowserRung, ...]:  # fmt: skip
    """All rungs that need a browser; none is started before its first visit. `hold` binds those with a window."""
    return tuple(
        BrowserRung(
            mode,
            BrowserPool(settings, mode, clock, chance),
            admission,
            shelves,
            clock,
            settings,
            contextlib.nullcontext if mode == "headless" else hold,
        )
        for mode in (BROWSERS if settings.browser.enabled else ())
    )
