"""The HTTP rung as a whole: from one address to the last redirect, with every check and pause on the way."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from lyra.archive.warc import WarcArchive
from lyra.clock import Clock
from lyra.fetch.addresses import NOT_WEB, Checked, wire_form
from lyra.fetch.admission import Admission, Denied, denied_result, result_of
from lyra.fetch.classify import REDIRECTS, Verdict
from lyra.fetch.headers import Outgoing, outgoing, redirected, with_cookies
from lyra.fetch.http import HttpClient, Visit
from lyra.fetch.rung import Climb
from lyra.model.archive import Exchange
from lyra.model.page import FetchLane, FetchOutcome, FetchRequest, FetchResult
from lyra.policy.gate import Turn
from lyra.settings import Network
from lyra.urls import joined, registrable_domain

Cookies = Callable[[str], Awaitable[tuple[tuple[str, str], ...]]]


@dataclass(frozen=True, slots=True)
class _Trip:
    """How far a fetch has come: the hop to send next, and what the hops before it took."""

    request: FetchRequest
    hop: Outgoing
    climb: Climb
    redirects: int = 0
    elapsed_s: float = 0.0

    @property
    def domain(self) -> str:
        return registrable_domain(self.hop.url)


class HttpRung:
    """Follows redirects by itself, so that each hop is checked, waits its turn and is archived like the first."""

    def __init__(
        self, http: HttpClient, admission: Admission, archive: WarcArchive, clock: Clock, settings: Network,
        name: str = "http", cookies: Cookies | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self._cookies = cookies
        self._http = http
        self._admission = admission
        self._archive = archive
        self._clock = clock
        self._settings = settings

    async def fetch(self, request: FetchRequest, climb: Climb) -> FetchResult:
        """Fetch; robots.txt binds where the climb has a getter for it."""
        url = wire_form(request.url)
        if url is None:
            denied = Denied(FetchOutcome.REFUSED_ADDRESS, NOT_WEB)
            return replace(denied_result(denied, request, "", self.name), fetched_at=self._clock.now())
        state: _Trip | FetchResult = _Trip(request, outgoing(replace(request, url=url)), climb)
        async with self._http.visit() as visit:
            while isinstance(state, _Trip):
                state = await self._leg(state, visit)
        return state if state.fetched_at else replace(state, fetched_at=self._clock.now())

    async def close(self) -> None:
        """End every connection."""
        await self._http.close()

    async def _leg(self, trip: _Trip, visit: Visit) -> _Trip | FetchResult:
        """All hops that one turn at the gate covers: a result, or the trip with its next hop elsewhere."""
        async with self._admission.admit(trip.hop.url, trip.request, trip.climb) as admitted:
            if isinstance(admitted, Denied):
                ended = denied_result(admitted, trip.request, trip.hop.url, self.name, trip.elapsed_s)
                return replace(ended, was_sent=trip.redirects > 0)
            return await self._exchange(trip, admitted.checked, visit, admitted.turn)

    async def _exchange(self, trip: _Trip, checked: Checked, visit: Visit, turn: Turn) -> _Trip | FetchResult:
        hop = await self._with_session(trip)
        exchange = await visit.send(hop, checked, self._time_limit_s(trip))
        archived = await self._archive.store(exchange) if exchange.status_code is not None else None
        trip = replace(trip, elapsed_s=trip.elapsed_s + exchange.elapsed_s)
        target = redirect_target(exchange)
        end = _dead_end(target, trip.redirects, self._settings.max_redirects) if target else None
        if target is None:
            end = await self._admission.conclude(exchange, trip.request, turn, trip.climb)
        if end is not None:
            return result_of(exchange, end, trip.request, archived, self.name, trip.elapsed_s)
        hop = redirected(trip.hop, wire_form(target or "") or "", exchange.status_code or 0)
        return await self._follow(replace(trip, hop=hop, redirects=trip.redirects + 1), trip.domain, visit, turn)

    async def _follow(self, trip: _Trip, domain: str, visit: Visit, turn: Turn) -> _Trip | FetchResult:
        """A redirect within the domain belongs to the same turn, where nothing else must be asked first."""
        if trip.domain != domain:
            return trip
        checked = await self._admission.may_follow(trip.hop.url, trip.climb)
        return trip if checked is None else await self._exchange(trip, checked, visit, turn)

    async def _with_session(self, trip: _Trip) -> Outgoing:
        """The hop with the cookies that visits of this domain in a browser, or a person, have left for it."""
        if self._cookies is None or trip.request.lane is FetchLane.API:
            return trip.hop
        kept = await self._cookies(trip.hop.url)
        return with_cookies(trip.hop, kept) if kept else trip.hop

    def _time_limit_s(self, trip: _Trip) -> float:
        """What is left of the time for the whole fetch; waiting at the gate does not count."""
        whole = self._settings.timeout_s if trip.request.lane is FetchLane.PAGE else self._settings.serp_timeout_s
        return whole - trip.elapsed_s


def redirect_target(exchange: Exchange) -> str | None:
    """The absolute address a redirect leads to; None where the answer is not a redirect to follow."""
    location = exchange.header("location")
    if exchange.failure is not None or exchange.status_code not in REDIRECTS or not location:
        return None
    return joined(exchange.url, location) or location


def _dead_end(target: str, redirects: int, most: int) -> Verdict | None:
    """Why a redirect is not followed; None where it is."""
    if redirects >= most:
        return Verdict(FetchOutcome.FAILED, f"More than {most} redirects, the last to {target[:200]}.")
    if wire_form(target) is None:
        return Verdict(FetchOutcome.REFUSED_ADDRESS, f"A redirect leads to {target[:200]!r}. {NOT_WEB}")
    return None
