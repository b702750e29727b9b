"""Admission: what is checked before any rung sends a request, and what the answer means for the next request.

Every rung asks here before each hop (address, cooldown of the domain, robots.txt, turn at the gate) and reports here
what came back, so that no way of asking is less polite or less careful than another.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace

from lyra.clock import Clock
from lyra.fetch.addresses import NOT_WEB, CheckedAddress, RefusedAddress, ip_version, wire_form
from lyra.fetch.classify import PageClass, classify
from lyra.fetch.headers import OutgoingRequest, first_request
from lyra.fetch.ladder import PATIENCE_S, FetchContext
from lyra.ids import bytes_hash
from lyra.model.archive import Exchange
from lyra.model.page import ArchiveRef, FetchLane, FetchOutcome, FetchRequest, FetchResult
from lyra.policy.cooldown import Cooldown, requested_s
from lyra.policy.domain_policy import DomainPolicy
from lyra.policy.gate import Gate, Turn
from lyra.policy.robots import Robots, RobotsDecision
from lyra.settings import Network
from lyra.urls import registrable_domain

AddressCheck = Callable[[str], Awaitable[CheckedAddress | RefusedAddress]]


@dataclass(frozen=True, slots=True)
class Denied:
    """Nothing may be sent: what that makes of the fetch, and why."""

    outcome: FetchOutcome
    reason: str | None
    retry_after_s: float | None = None
    is_unreachable: bool = False


@dataclass(frozen=True, slots=True)
class Admitted:
    """The right to send to `checked`, and only there, for as long as the turn is held."""

    checked: CheckedAddress
    turn: Turn


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """How far a fetch on one rung has come: what to send next, and what the requests before it took."""

    request: FetchRequest
    context: FetchContext
    hop: OutgoingRequest
    redirects: int = 0
    elapsed_s: float = 0.0

    @property
    def url(self) -> str:
        return self.hop.url

    def time_left_s(self, network: Network) -> float:
        """What is left of the time for the whole fetch; waiting at the gate does not count."""
        whole_s = network.timeout_s if self.request.lane is FetchLane.PAGE else network.serp_timeout_s
        return whole_s - self.elapsed_s


# Sends the next request of a fetch: a result, or the progress with an address for which another turn is needed.
SendNext = Callable[[FetchProgress, Admitted], Awaitable[FetchProgress | FetchResult]]


class Admission:
    """Admits requests one by one; `check` judges addresses as the rung will reach them (a proxy resolves names)."""

    def __init__(
        self, check: AddressCheck, gate: Gate, robots: Robots, cooldown: Cooldown, policy: DomainPolicy
    ) -> None:
        self._check = check
        self._gate = gate
        self._robots = robots
        self._cooldown = cooldown
        self._policy = policy

    def with_check(self, check: AddressCheck) -> "Admission":
        """The same rules for a rung that reaches addresses in another way."""
        return Admission(check, self._gate, self._robots, self._cooldown, self._policy)

    async def fetch(
        self, request: FetchRequest, context: FetchContext, send: SendNext, rung: str, clock: Clock
    ) -> FetchResult:
        """Fetch on one rung: `send` is called within a turn at the gate, again for every address elsewhere."""
        url = wire_form(request.url)
        if url is None:
            return FetchResult(
                request.url, FetchOutcome.REFUSED_ADDRESS, rung=rung, fetched_at=clock.now(), reason=NOT_WEB,
                was_sent=False,
            )  # fmt: skip
        state: FetchProgress | FetchResult = FetchProgress(request, context, first_request(replace(request, url=url)))
        while isinstance(state, FetchProgress):
            async with self._admit(state) as admitted:
                if isinstance(admitted, Denied):
                    state = denied_result(admitted, state, rung)
                else:
                    state = await send(state, admitted)
        return state if state.fetched_at else replace(state, fetched_at=clock.now())

    @contextlib.asynccontextmanager
    async def _admit(self, progress: FetchProgress) -> AsyncIterator[Admitted | Denied]:
        """Wait for the right to ask the next address, and hold it while inside."""
        url, request, context = progress.url, progress.request, progress.context
        checked = await self._checked(url)
        if isinstance(checked, Denied):
            yield checked
            return
        denied = await self._cooling_down(progress)
        decision = RobotsDecision(True)
        if denied is None and context.get_robots is not None:
            decision = await self._robots.decision(url, context.get_robots, request.cause_id)
            if not decision.is_allowed:
                denied = Denied(decision.outcome, decision.reason, decision.retry_after_s)
        if denied is not None:
            yield denied
            return
        # An engine or API is also a domain, which pages may be fetched from.
        own = f"domain:{registrable_domain(url)}"
        names = (request.gate, own) if request.gate else (own,)
        async with self._gate.turn(names) as turn:
            if turn.busy_for_s is not None:
                reason = f"{names[0]} wants a longer pause between requests."
                yield Denied(FetchOutcome.COOLING_DOWN, reason, turn.busy_for_s)
                return
            denied = await self._cooling_down(progress)  # another request may have been refused meanwhile
            if denied is not None:
                turn.pass_on()
                yield denied
                return
            turn.pause_at_least(decision.crawl_delay_s)
            if request.lane is FetchLane.PAGE:
                turn.pause_at_least(await self._policy.pause_s(registrable_domain(url)))
            yield Admitted(checked, turn)

    async def may_follow(self, url: str, context: FetchContext) -> CheckedAddress | None:
        """A redirect within the turn's own domain: the address, where nothing else must be asked before following."""
        if context.get_robots is not None:
            decision = await self._robots.known_decision(url)
            if decision is None or not decision.is_allowed:
                return None
        checked = await self._check(url)
        return checked if isinstance(checked, CheckedAddress) else None

    async def classify_answer(self, exchange: Exchange, request: FetchRequest, turn: Turn) -> PageClass:
        """Judge the last answer of a fetch. A short pause that it asks for is kept by the next request.

        A page's server that asks for a longer one gets it at once; other refusals count when the fetch has ended.
        """
        has_validators = bool(request.etag or request.last_modified)
        page_class = await asyncio.to_thread(classify, exchange, request.lane, has_validators=has_validators)
        asked_s = requested_s(page_class.retry_after_s)
        if request.lane is not FetchLane.PAGE or asked_s <= PATIENCE_S:
            turn.pause_at_least(asked_s)
            return page_class
        domain = registrable_domain(exchange.url)
        rest_s = await self._cooldown.note(
            domain, page_class.outcome, exchange.status_code, asked_s, page_class.challenge
        )
        return replace(page_class, retry_after_s=rest_s or asked_s)

    async def _checked(self, url: str) -> CheckedAddress | Denied:
        checked = await self._check(url)
        if isinstance(checked, CheckedAddress):
            return checked
        outcome = FetchOutcome.FAILED if checked.is_unresolved else FetchOutcome.REFUSED_ADDRESS
        return Denied(outcome, checked.reason, is_unreachable=checked.is_unresolved)

    async def _cooling_down(self, progress: FetchProgress) -> Denied | None:
        """Pages of a domain that has refused us wait; engines and APIs have cooldowns of their own."""
        if progress.request.lane is not FetchLane.PAGE or progress.context.tried:
            return None
        domain = registrable_domain(progress.url)
        rest_s = await self._cooldown.remaining_s(f"domain:{domain}")
        if rest_s > 0:
            return Denied(FetchOutcome.COOLING_DOWN, f"{domain} rests after refusing requests.", rest_s)
        rest_s = await self._policy.rest_of_day_s(domain)
        if rest_s:
            return Denied(FetchOutcome.COOLING_DOWN, f"{domain} has had its requests for today.", rest_s)
        return None


def denied_result(denied: Denied, progress: FetchProgress, rung: str, *, was_sent: bool = False) -> FetchResult:
    """The result of a fetch that may not go on; what was sent before a redirect stays sent."""
    return FetchResult(
        url=progress.request.url,
        outcome=denied.outcome,
        final_url=progress.url,
        rung=rung,
        elapsed_s=progress.elapsed_s,
        reason=denied.reason,
        retry_after_s=denied.retry_after_s,
        was_sent=was_sent or progress.redirects > 0,
        is_unreachable=denied.is_unreachable,
    )


def dead_end(target: str, redirects: int, most: int) -> PageClass | None:
    """Why the redirect to `target`, the n-th of its fetch, is not followed; None where it is."""
    if redirects > most:
        return PageClass(FetchOutcome.FAILED, f"More than {most} redirects, the last to {target[:200]}.")
    if wire_form(target) is None:
        return PageClass(FetchOutcome.REFUSED_ADDRESS, f"A redirect leads to {target[:200]!r}. {NOT_WEB}")
    return None


def result_of(
    exchange: Exchange,
    page_class: PageClass,
    request: FetchRequest,
    archived: ArchiveRef | None,
    rung: str,
    elapsed_s: float,
) -> FetchResult:
    """The result of a fetch whose last answer was judged."""
    return FetchResult(
        url=request.url,
        outcome=page_class.outcome,
        final_url=exchange.url,
        status_code=exchange.status_code,
        headers=exchange.headers,
        body=b"" if exchange.truncation else exchange.body,
        rung=rung,
        fetched_at=exchange.started_at,
        elapsed_s=elapsed_s,
        reason=page_class.reason,
        retry_after_s=page_class.retry_after_s,
        archive=archived,
        is_partial=exchange.truncation is not None,
        challenge=page_class.challenge,
        page_state=page_class.page_state,
        ip_version=ip_version(exchange.ip_address) if exchange.ip_address else None,
        ip_switched=exchange.is_switched if exchange.ip_address else None,
        broken_hash=bytes_hash(exchange.body) if exchange.truncation and exchange.body else None,
        is_referred=any(name.lower() == "referer" for name, _ in exchange.request_headers),
        is_unreachable=exchange.is_unreachable,
    )
