"""The HTTP rung as a whole: from one address to the last redirect, with every check and pause on the way."""

import asyncio
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from lyra.archive.warc import WarcArchive
from lyra.clock import Clock
from lyra.fetch.addresses import NOT_WEB, Checked, Refused, wire_form
from lyra.fetch.classify import REDIRECTS, Verdict, classify
from lyra.fetch.headers import Outgoing, outgoing, redirected
from lyra.fetch.http import HttpClient, Visit
from lyra.model.exchange import Exchange
from lyra.model.page import ArchiveRef, FetchOutcome, FetchRequest, FetchResult, Getter, Lane
from lyra.policy.cooldown import Cooldown, requested_s
from lyra.policy.gate import Gate, Turn
from lyra.policy.robots import Robots, Ruling
from lyra.settings import Network
from lyra.urls import registrable_domain

NAME = "http"


@dataclass(frozen=True, slots=True)
class _Trip:
    """How far a fetch has come: the hop to send next, and what the hops before it took."""

    request: FetchRequest
    hop: Outgoing
    get_robots: Getter | None
    redirects: int = 0
    elapsed_s: float = 0.0

    @property
    def domain(self) -> str:
        return registrable_domain(self.hop.url)

    def gate_names(self) -> tuple[str, ...]:
        """What must be free; an engine or API is also a domain, which pages may be fetched from."""
        own = f"domain:{self.domain}"
        return (self.request.gate, own) if self.request.gate else (own,)

    def ended(self, outcome: FetchOutcome, reason: str | None, retry_after_s: float | None = None) -> FetchResult:
        """The result of a trip that ends without a (further) answer."""
        return FetchResult(
            url=self.request.url,
            outcome=outcome,
            final_url=self.hop.url,
            rung=NAME,
            elapsed_s=self.elapsed_s,
            reason=reason,
            retry_after_s=retry_after_s,
        )


class HttpRung:
    """Follows redirects by itself, so that each hop is checked, waits its turn and is archived like the first."""

    def __init__(
        self, http: HttpClient, gate: Gate, robots: Robots, cooldown: Cooldown, archive: WarcArchive,
        clock: Clock, settings: Network,
    ) -> None:  # fmt: skip
        self._http = http
        self._gate = gate
        self._robots = robots
        self._cooldown = cooldown
        self._archive = archive
        self._clock = clock
        self._settings = settings

    async def fetch(self, request: FetchRequest, get_robots: Getter | None) -> FetchResult:
        """Fetch; robots.txt binds where a getter for it is given."""
        url = wire_form(request.url)
        if url is None:
            return FetchResult(
                request.url, FetchOutcome.REFUSED_ADDRESS, reason=NOT_WEB, fetched_at=self._clock.now(), rung=NAME
            )
        state: _Trip | FetchResult = _Trip(request, outgoing(replace(request, url=url)), get_robots)
        async with self._http.visit() as visit:
            while isinstance(state, _Trip):
                state = await self._leg(state, visit)
        return state if state.fetched_at else replace(state, fetched_at=self._clock.now())

    async def _leg(self, trip: _Trip, visit: Visit) -> _Trip | FetchResult:
        """All hops that one turn at the gate covers: a result, or the trip with its next hop elsewhere."""
        checked = await self._http.check(trip.hop.url)
        if isinstance(checked, Refused):
            outcome = FetchOutcome.FAILED if checked.is_unresolved else FetchOutcome.REFUSED_ADDRESS
            return trip.ended(outcome, checked.reason)
        resting = await self._resting(trip)
        if resting is not None:
            return resting
        ruling = await self._ruling(trip)
        if not ruling.is_allowed:
            return trip.ended(ruling.outcome, ruling.reason, ruling.retry_after_s)
        async with self._gate.turn(trip.gate_names()) as turn:
            return await self._in_turn(trip, checked, ruling, visit, turn)

    async def _resting(self, trip: _Trip) -> FetchResult | None:
        """Pages of a domain that has refused us wait; engines and APIs have their own ways to rest."""
        if trip.request.lane is not Lane.PAGE:
            return None
        rest_s = await self._cooldown.remaining_s(trip.domain)
        if rest_s <= 0:
            return None
        return trip.ended(FetchOutcome.COOLING_DOWN, f"{trip.domain} rests after refusing requests.", rest_s)

    async def _ruling(self, trip: _Trip) -> Ruling:
        if trip.get_robots is None:
            return Ruling(True)
        return await self._robots.ruling(trip.hop.url, trip.get_robots, trip.request.cause_id)

    async def _in_turn(
        self, trip: _Trip, checked: Checked, ruling: Ruling, visit: Visit, turn: Turn
    ) -> _Trip | FetchResult:
        if turn.busy_for_s is not None:
            reason = f"{trip.gate_names()[0]} wants a longer pause between requests."
            return trip.ended(FetchOutcome.COOLING_DOWN, reason, turn.busy_for_s)
        resting = await self._resting(trip)
        if resting is not None:
            turn.pass_on()
            return resting
        turn.pause_at_least(ruling.crawl_delay_s)
        return await self._exchange(trip, checked, visit, turn)

    async def _exchange(self, trip: _Trip, checked: Checked, visit: Visit, turn: Turn) -> _Trip | FetchResult:
        exchange = await visit.send(trip.hop, checked, self._time_limit_s(trip))
        archived = await self._archive.store(exchange) if exchange.status_code is not None else None
        trip = replace(trip, elapsed_s=trip.elapsed_s + exchange.elapsed_s)
        target = redirect_target(exchange)
        if target is None:
            return await self._conclude(trip, exchange, archived, turn)
        if trip.redirects >= self._settings.max_redirects:
            reason = f"More than {self._settings.max_redirects} redirects, the last to {target[:200]}."
            return _result(trip, exchange, archived, Verdict(FetchOutcome.FAILED, reason))
        url = wire_form(target)
        if url is None:
            verdict = Verdict(FetchOutcome.REFUSED_ADDRESS, f"A redirect leads to {target[:200]!r}. {NOT_WEB}")
            return _result(trip, exchange, archived, verdict)
        hop = redirected(trip.hop, url, exchange.status_code or 0)
        return await self._follow(replace(trip, hop=hop, redirects=trip.redirects + 1), trip.domain, visit, turn)

    async def _follow(self, trip: _Trip, domain: str, visit: Visit, turn: Turn) -> _Trip | FetchResult:
        """A redirect within the domain belongs to the same turn, where nothing else must be asked first."""
        if trip.domain != domain:
            return trip
        if trip.get_robots is not None:
            ruling = await self._robots.known_ruling(trip.hop.url)
            if ruling is None or not ruling.is_allowed:
                return trip
        checked = await self._http.check(trip.hop.url)
        return trip if isinstance(checked, Refused) else await self._exchange(trip, checked, visit, turn)

    async def _conclude(self, trip: _Trip, exchange: Exchange, archived: ArchiveRef | None, turn: Turn) -> FetchResult:
        """Judge the answer and let it shape how soon the source may be asked again."""
        has_validators = bool(trip.request.etag or trip.request.last_modified)
        verdict = await asyncio.to_thread(classify, exchange, trip.request.lane, has_validators=has_validators)
        if trip.request.lane is not Lane.PAGE:
            turn.pause_at_least(requested_s(verdict.retry_after_s))
        else:
            rest_s = await self._cooldown.note(
                trip.domain, verdict.outcome, exchange.status_code, verdict.retry_after_s
            )
            verdict = replace(verdict, retry_after_s=rest_s or verdict.retry_after_s)
        return _result(trip, exchange, archived, verdict)

    def _time_limit_s(self, trip: _Trip) -> float:
        """What is left of the time for the whole fetch; waiting at the gate does not count."""
        whole = self._settings.timeout_s if trip.request.lane is Lane.PAGE else self._settings.serp_timeout_s
        return whole - trip.elapsed_s


def redirect_target(exchange: Exchange) -> str | None:
    """The absolute address a redirect leads to; None where the answer is not a redirect to follow."""
    location = exchange.header("location")
    if exchange.failure is not None or exchange.status_code not in REDIRECTS or not location:
        return None
    try:
        return urljoin(exchange.url, location.strip())
    except ValueError:
        return location


def _result(trip: _Trip, exchange: Exchange, archived: ArchiveRef | None, verdict: Verdict) -> FetchResult:
    return FetchResult(
        url=trip.request.url,
        outcome=verdict.outcome,
        final_url=exchange.url,
        status_code=exchange.status_code,
        headers=exchange.headers,
        body=b"" if exchange.truncation else exchange.body,
        rung=NAME,
        fetched_at=exchange.started_at,
        elapsed_s=trip.elapsed_s,
        reason=verdict.reason,
        retry_after_s=verdict.retry_after_s,
        archive=archived,
        is_partial=exchange.truncation is not None,
    )
