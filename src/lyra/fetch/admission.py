"""Admission: what stands between any rung and a server, and what its answer means for the next request.

Every rung asks here before each hop (address, rest of the domain, robots.txt, turn at the gate) and tells here what
came back, so that no way of asking is less polite or less careful than another.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace

from lyra.fetch.addresses import Checked, Refused, ip_version
from lyra.fetch.classify import Verdict, classify
from lyra.fetch.ladder import PATIENCE_S
from lyra.fetch.rung import Climb
from lyra.ids import bytes_hash
from lyra.model.archive import Exchange
from lyra.model.page import ArchiveRef, FetchLane, FetchOutcome, FetchRequest, FetchResult
from lyra.policy.cooldown import Cooldown, requested_s
from lyra.policy.domain_policy import DomainPolicy
from lyra.policy.gate import Gate, Turn
from lyra.policy.robots import Robots, Ruling
from lyra.urls import registrable_domain

Check = Callable[[str], Awaitable[Checked | Refused]]


@dataclass(frozen=True, slots=True)
class Denied:
    """Nothing may be sent: what that makes of the fetch, and why."""

    outcome: FetchOutcome
    reason: str | None
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Admitted:
    """The right to send to `checked`, and only there, for as long as the turn is held."""

    checked: Checked
    turn: Turn


class Admission:
    """Admits requests one by one; `check` judges addresses as the rung will reach them (a proxy resolves names)."""

    def __init__(self, check: Check, gate: Gate, robots: Robots, cooldown: Cooldown, policy: DomainPolicy) -> None:
        self._check = check
        self._gate = gate
        self._robots = robots
        self._cooldown = cooldown
        self._policy = policy

    def over(self, check: Check) -> "Admission":
        """The same rules for a rung that reaches addresses in another way."""
        return Admission(check, self._gate, self._robots, self._cooldown, self._policy)

    async def check(self, url: str) -> Checked | Denied:
        """Whether the address may be asked at all."""
        checked = await self._check(url)
        if isinstance(checked, Checked):
            return checked
        outcome = FetchOutcome.FAILED if checked.is_unresolved else FetchOutcome.REFUSED_ADDRESS
        return Denied(outcome, checked.reason)

    @contextlib.asynccontextmanager
    async def admit(self, url: str, request: FetchRequest, climb: Climb) -> AsyncIterator[Admitted | Denied]:
        """Wait for the right to ask `url` (of the request or a redirect of it) and hold it while inside."""
        judged = await self._judged(url, request, climb)
        if isinstance(judged, Denied):
            yield judged
            return
        names = gate_names(url, request)
        async with self._gate.turn(names) as turn:
            yield await self._in_turn(Admitted(judged[0], turn), names[0], url, request, climb, judged[1])

    async def may_follow(self, url: str, climb: Climb) -> Checked | None:
        """A redirect within the turn's own domain: the address, where nothing else must be asked before following."""
        if climb.get_robots is not None:
            ruling = await self._robots.known_ruling(url)
            if ruling is None or not ruling.is_allowed:
                return None
        checked = await self.check(url)
        return checked if isinstance(checked, Checked) else None

    async def conclude(self, exchange: Exchange, request: FetchRequest, turn: Turn, climb: Climb) -> Verdict:
        """Judge the last answer of a fetch. A short pause that it asks for is kept by whoever comes next.

        A page's server that wants more patience rests at once; other refusals count when the climb has ended.
        """
        has_validators = bool(request.etag or request.last_modified)
        verdict = await asyncio.to_thread(classify, exchange, request.lane, has_validators=has_validators)
        asked_s = requested_s(verdict.retry_after_s)
        if request.lane is not FetchLane.PAGE or asked_s <= PATIENCE_S:
            turn.pause_at_least(asked_s)
            return verdict
        domain = registrable_domain(exchange.url)
        rest_s = await self._cooldown.note(domain, verdict.outcome, exchange.status_code, asked_s, verdict.challenge)
        return replace(verdict, retry_after_s=rest_s or asked_s)

    async def _judged(self, url: str, request: FetchRequest, climb: Climb) -> tuple[Checked, Ruling] | Denied:
        """What can be said before waiting at the gate."""
        checked = await self.check(url)
        if isinstance(checked, Denied):
            return checked
        resting = await self._resting(url, request, climb)
        if resting is not None:
            return resting
        ruling = await self._ruling(url, request, climb)
        return (checked, ruling) if ruling.is_allowed else Denied(ruling.outcome, ruling.reason, ruling.retry_after_s)

    async def _resting(self, url: str, request: FetchRequest, climb: Climb) -> Denied | None:
        """Pages of a domain that has refused us wait; engines and APIs have their own ways to rest."""
        if request.lane is not FetchLane.PAGE or climb.tried:
            return None
        domain = registrable_domain(url)
        rest_s = await self._cooldown.remaining_s(domain)
        if rest_s > 0:
            return Denied(FetchOutcome.COOLING_DOWN, f"{domain} rests after refusing requests.", rest_s)
        rest_s = await self._policy.rest_of_day_s(domain)
        return (
            Denied(FetchOutcome.COOLING_DOWN, f"{domain} has had its requests for today.", rest_s) if rest_s else None
        )

    async def _ruling(self, url: str, request: FetchRequest, climb: Climb) -> Ruling:
        if climb.get_robots is None:
            return Ruling(True)
        return await self._robots.ruling(url, climb.get_robots, request.cause_id)

    async def _in_turn(
        self, admitted: Admitted, name: str, url: str, request: FetchRequest, climb: Climb, ruling: Ruling
    ) -> Admitted | Denied:
        turn = admitted.turn
        if turn.busy_for_s is not None:
            return Denied(FetchOutcome.COOLING_DOWN, f"{name} wants a longer pause between requests.", turn.busy_for_s)
        resting = await self._resting(url, request, climb)  # another request may have been refused meanwhile
        if resting is not None:
            turn.pass_on()
            return resting
        turn.pause_at_least(ruling.crawl_delay_s)
        if request.lane is FetchLane.PAGE:
            turn.pause_at_least(await self._policy.pause_s(registrable_domain(url)))
        return admitted


def gate_names(url: str, request: FetchRequest) -> tuple[str, ...]:
    """What must be free; an engine or API is also a domain, which pages may be fetched from."""
    own = f"domain:{registrable_domain(url)}"
    return (request.gate, own) if request.gate else (own,)


def denied_result(denied: Denied, request: FetchRequest, url: str, rung: str, elapsed_s: float = 0.0) -> FetchResult:
    """The result of a fetch that ends without a (further) answer."""
    return FetchResult(
        url=request.url,
        outcome=denied.outcome,
        final_url=url,
        rung=rung,
        elapsed_s=elapsed_s,
        reason=denied.reason,
        retry_after_s=denied.retry_after_s,
        was_sent=False,
    )


def result_of(
    exchange: Exchange,
    verdict: Verdict,
    request: FetchRequest,
    archived: ArchiveRef | None,
    rung: str,
    elapsed_s: float,
) -> FetchResult:
    """The result of a fetch whose last answer was judged."""
    return FetchResult(
        url=request.url,
        outcome=verdict.outcome,
        final_url=exchange.url,
        status_code=exchange.status_code,
        headers=exchange.headers,
        body=b"" if exchange.truncation else exchange.body,
        rung=rung,
        fetched_at=exchange.started_at,
        elapsed_s=elapsed_s,
        reason=verdict.reason,
        retry_after_s=verdict.retry_after_s,
        archive=archived,
        is_partial=exchange.truncation is not None,
        challenge=verdict.challenge,
        page_state=verdict.page_state,
        ip_version=ip_version(exchange.ip_address) if exchange.ip_address else None,
        ip_switched=exchange.is_switched if exchange.ip_address else None,
        broken_hash=bytes_hash(exchange.body) if exchange.truncation and exchange.body else None,
        is_referred=any(name.lower() == "referer" for name, _ in exchange.request_headers),
    )
