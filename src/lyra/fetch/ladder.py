"""The ladder: what a rung is, and which one a fetch goes on to, and why. At most three live rungs, none twice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lyra.fetch.browser.flags import Mode
from lyra.fetch.challenge import is_script_gate
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult, Getter, PageState
from lyra.policy.domain_policy import RungAdvice

# From the lightest to the heaviest (§4.3.5). A rung that is not there or lacks its means takes itself out.
BROWSERS: tuple[Mode, ...] = ("headless", "headful", "undetected")
STEALTHIEST = BROWSERS[-1]
ARCHIVE = "wayback"
RUNGS: tuple[str, ...] = ("http", "tor", *BROWSERS, ARCHIVE)
# What three rungs could not open waits for a person; only the archive is still asked.
MOST_LIVE = 3
# A server that wants a longer pause than this is not asked on another rung: it gets the pause.
PATIENCE_S = 10.0
_ELSEWHERE = ("tor", *BROWSERS, ARCHIVE)


@dataclass(frozen=True, slots=True)
class FetchContext:
    """What a rung is given besides the request: robots.txt binds where a getter for it is given; `tried` came before.

    All rungs of a fetch are one visit: the refusal of one does not keep the next from asking. `broken` are hashes of
    bodies that are known to have broken off: a browser shows such a body as if it were whole.
    """

    get_robots: Getter | None = None
    tried: tuple[str, ...] = ()
    broken: frozenset[str] = frozenset()


class Rung(Protocol):
    """One way to fetch. What it lacks on this machine is the outcome UNAVAILABLE with a reason, never an exception."""

    @property
    def name(self) -> str:
        """One of `RUNGS`."""

    async def fetch(self, request: FetchRequest, context: FetchContext) -> FetchResult:
        """Fetch once, politely (`lyra.fetch.admission`), archived; never raises for what the network does."""

    async def close(self) -> None:
        """Give back everything the rung holds: connections, processes, tabs."""


@dataclass(frozen=True, slots=True)
class LadderStep:
    """The rung to go on to, or none; the reason goes into the journal either way."""

    rung: str | None
    reason: str


def next_rung(
    results: Sequence[FetchResult], rungs: Sequence[str] = RUNGS, advice: RungAdvice | None = None
) -> LadderStep:
    """The step after these results, oldest first; one that was UNAVAILABLE says nothing about the page.

    `rungs` are those that may be used, in their order.
    """
    advice = advice or RungAdvice()
    answered = [one for one in results if one.outcome is not FetchOutcome.UNAVAILABLE]
    wanted, reason = _targets(answered[-1]) if answered else _beginning(rungs, advice)
    live = sum(one.rung != ARCHIVE and one.was_sent for one in answered)
    if live == MOST_LIVE - 1 and STEALTHIEST in wanted and _is_recognised(answered[-1]):
        wanted = (STEALTHIEST, *wanted)
        reason += "; for the last attempt the browser with the fewest traces"
    if live >= MOST_LIVE:
        wanted = tuple(rung for rung in wanted if rung == ARCHIVE)
        reason = f"three rungs could not open the page: {reason}"
    tried = {one.rung for one in results}
    reasons = [reason]
    for rung in (rung for rung in wanted if rung in rungs and rung not in tried):
        if rung not in advice.barred:
            return LadderStep(rung, "; ".join(reasons))
        reasons.append(f"not {rung}: {advice.barred[rung]}")
    return LadderStep(None, "; ".join(reasons))


def _beginning(rungs: Sequence[str], advice: RungAdvice) -> tuple[tuple[str, ...], str]:
    if advice.first is None or advice.first not in rungs:
        return tuple(rungs), "the lightest way first"
    start = rungs.index(advice.first)
    return (*rungs[start:], *rungs[:start]), advice.first_reason


def _targets(last: FetchResult) -> tuple[tuple[str, ...], str]:
    """Where it makes sense to go on after an attempt, best first, and why; nowhere where nothing would change."""
    if last.rung == ARCHIVE and last.outcome is not FetchOutcome.OK:
        return (), "the archive could not help"
    if last.was_sent and (last.retry_after_s or 0.0) > PATIENCE_S:
        return (ARCHIVE,), f"the server wants {last.retry_after_s:.0f} s of patience"
    match last.outcome:
        case FetchOutcome.OK if last.page_state == PageState.NEEDS_JAVASCRIPT and last.rung not in BROWSERS:
            return BROWSERS, "the page needs JavaScript"
        case FetchOutcome.OK | FetchOutcome.NOT_MODIFIED:
            return (), "the page was served"
        case FetchOutcome.CHALLENGE if is_script_gate(last.challenge):
            return BROWSERS, f"the check of {last.challenge} may pass in a browser"
        case FetchOutcome.CHALLENGE:
            return (), f"{last.challenge or 'the challenge'} asks for a person"
        case FetchOutcome.BLOCKED:
            return _after_refusal(last)
        case FetchOutcome.TIMED_OUT | FetchOutcome.FAILED:
            return _after_failure(last)
        case FetchOutcome.NOT_FOUND:
            return (ARCHIVE,), "the page is gone; an archive may hold it"
        case FetchOutcome.COOLING_DOWN:
            return (ARCHIVE,), "the domain rests; an archive may hold the page"
    return (), f"{last.outcome.value} is the same on every rung"


def _is_recognised(last: FetchResult) -> bool:
    """Whether a browser was met by a check or a refusal: the site may have seen that a program drives it."""
    is_gate = last.outcome is FetchOutcome.CHALLENGE and is_script_gate(last.challenge)
    return last.rung in BROWSERS and (is_gate or last.outcome is FetchOutcome.BLOCKED)


def _after_refusal(last: FetchResult) -> tuple[tuple[str, ...], str]:
    if last.challenge == "login":
        return (), "the page wants a sign-in"
    if last.status_code == 402:
        return (ARCHIVE,), "the page wants a payment"
    if last.status_code == 451:
        return (), "the page is withheld for legal reasons"
    return _ELSEWHERE, f"refused by status {last.status_code}; another way may be let in"


def _after_failure(last: FetchResult) -> tuple[tuple[str, ...], str]:
    """No answer, or a broken one: another rung where that may help, the archive where the server is down."""
    if not last.was_sent:
        return (ARCHIVE,), "the host cannot be reached"
    if last.status_code is not None and last.status_code >= 500 and last.status_code != 503:
        return (ARCHIVE,), f"the server fails with status {last.status_code}"
    if last.rung in BROWSERS:
        return ("http", *_ELSEWHERE), f"{last.outcome.value} in a browser; a lighter way may do"
    what = f"status {last.status_code}" if last.status_code else last.outcome.value
    return (_ELSEWHERE if last.status_code is None else (*BROWSERS, ARCHIVE)), f"{what}; another way may be answered"
