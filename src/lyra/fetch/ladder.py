"""The ladder: which rung a fetch climbs to next, and why. Pure; never the same rung twice, at most three live ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lyra.fetch.browser.flags import Mode
from lyra.fetch.challenge import is_script_gate
from lyra.fetch.page_state import PageState
from lyra.model.page import FetchOutcome

# From the lightest to the heaviest (§4.3.5). A rung that is not there or lacks its means takes itself out.
BROWSERS: tuple[Mode, ...] = ("headless", "headful", "undetected")
ARCHIVE = "wayback"
RUNGS: tuple[str, ...] = ("http", "tor", *BROWSERS, ARCHIVE)
# What three rungs could not open waits for a person; only the archive is still asked.
MOST_LIVE = 3
# A server that wants a longer pause than this is not climbed around: it rests.
PATIENCE_S = 10.0
_ELSEWHERE = ("tor", *BROWSERS, ARCHIVE)


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one rung fared."""

    rung: str
    outcome: FetchOutcome
    status_code: int | None = None
    challenge: str | None = None
    page_state: str | None = None
    was_sent: bool = True
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Ways:
    """What may be climbed: the rungs in order, the one to begin with, and those barred now with the reason."""

    rungs: Sequence[str] = RUNGS
    first: str | None = None
    first_reason: str = ""
    barred: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """The rung to climb to, or none; the reason goes into the journal either way."""

    rung: str | None
    reason: str


def next_rung(attempts: Sequence[Attempt], ways: Ways) -> Step:
    """The step after these attempts, oldest first; one that was UNAVAILABLE tells nothing about the page."""
    telling = [one for one in attempts if one.outcome is not FetchOutcome.UNAVAILABLE]
    wanted, reason = _beginning(ways) if not telling else _targets(telling[-1])
    if len(live(telling)) >= MOST_LIVE:
        wanted = tuple(rung for rung in wanted if rung == ARCHIVE)
        reason = f"three rungs could not open the page: {reason}"
    tried = {one.rung for one in attempts}
    passed: list[str] = []
    for rung in (rung for rung in wanted if rung in ways.rungs and rung not in tried):
        if rung not in ways.barred:
            return Step(rung, _with_passed(reason, passed))
        passed.append(f"not {rung}: {ways.barred[rung]}")
    return Step(None, _with_passed(reason, passed))


def live(attempts: Sequence[Attempt]) -> list[Attempt]:
    """The attempts in which the site itself was asked."""
    return [one for one in attempts if one.rung != ARCHIVE and one.was_sent]


def _beginning(ways: Ways) -> tuple[tuple[str, ...], str]:
    if ways.first is None or ways.first not in ways.rungs:
        return tuple(ways.rungs), "the lightest way first"
    start = ways.rungs.index(ways.first)
    return (*ways.rungs[start:], *ways.rungs[:start]), ways.first_reason


def _targets(last: Attempt) -> tuple[tuple[str, ...], str]:
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
            return (), f"{last.challenge or 'what stands before the page'} asks for a person"
        case FetchOutcome.BLOCKED:
            return _after_refusal(last)
        case FetchOutcome.TIMED_OUT | FetchOutcome.FAILED:
            return _after_failure(last)
        case FetchOutcome.NOT_FOUND:
            return (ARCHIVE,), "the page is gone; an archive may hold it"
        case FetchOutcome.COOLING_DOWN:
            return (ARCHIVE,), "the domain rests; an archive may hold the page"
    return (), f"{last.outcome.value} is the same on every rung"


def _after_refusal(last: Attempt) -> tuple[tuple[str, ...], str]:
    if last.challenge == "login":
        return (), "the page wants a sign-in"
    if last.status_code == 402:
        return (ARCHIVE,), "the page wants a payment"
    if last.status_code == 451:
        return (), "the page is withheld for legal reasons"
    return _ELSEWHERE, f"refused by status {last.status_code}; another way may be let in"


def _after_failure(last: Attempt) -> tuple[tuple[str, ...], str]:
    """Nobody answers, or answers nonsense: another way where that may help, the archive where all is down."""
    if not last.was_sent:
        return (ARCHIVE,), "the host cannot be reached"
    if last.status_code is not None and last.status_code >= 500 and last.status_code != 503:
        return (ARCHIVE,), f"the server fails with status {last.status_code}"
    if last.rung in BROWSERS:
        return ("http", *_ELSEWHERE), f"{last.outcome.value} in a browser; a lighter way may do"
    what = f"status {last.status_code}" if last.status_code else last.outcome.value
    return (_ELSEWHERE if last.status_code is None else (*BROWSERS, ARCHIVE)), f"{what}; another way may be answered"


def _with_passed(reason: str, passed: list[str]) -> str:
    return "; ".join([reason, *passed])
