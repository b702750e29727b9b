"""What a domain has taught us: how long to pause, where to begin, whether Tor helps. Pure rules over a record."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.clock import Clock, day_of, until_tomorrow_s
from lyra.model.domain import DomainHabit, DomainPolicySummary, PolicyChange, RequestCounts
from lyra.model.page import FetchOutcome, FetchResult
from lyra.policy import pressure
from lyra.policy.adaptive import AdaptiveParameter, Rule, Trend, adjust, observe
from lyra.policy.cooldown import is_refusal, was_served
from lyra.policy.gate import QpsOf, usual_qps
from lyra.settings import Politeness
from lyra.storage import adaptive_parameters, domain_policies
from lyra.storage.database import Database

if TYPE_CHECKING:
    from apsw import Connection

PAUSE = Rule(raise_at=0.3, lower_at=0.05, low=1.0, high=8.0)
# A rung is begun with once it has worked twice where lighter ones did not; then the light way is tried anew.
_HITS = 2
_MEMORY = timedelta(hours=24)
_TOR = "tor"
_ARCHIVE = "wayback"
_TOR_FLOOR = 0.3
_TOR_BARRED = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class RungAdvice:
    """Where a fetch should begin and which rungs are barred now, each with the reason."""

    first: str | None = None
    first_reason: str = ""
    barred: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RungShares:
    """The most that may go over Tor, to the archive and to a browser with a window, as shares of the day's requests."""

    tor: float = 0.2
    wayback: float = 0.15
    headful: float = 1.0

    def reduced_by(self, pressures: Mapping[str, float]) -> "RungShares":
        """What is left of them where a way seldom helps (lyra.policy.pressure)."""
        tor, headful = (pressures.get(name, 1.0) for name in (pressure.TOR.name, pressure.HEADFUL.name))
        return replace(self, tor=self.tor / tor, headful=self.headful / headful)


def advise(
    habit: DomainHabit, overall: RequestCounts, own: RequestCounts, shares: RungShares, now: datetime
) -> RungAdvice:
    """What the record and the day's counts say about the next fetch."""
    barred = {}
    if habit.tor_barred_until is not None and now < habit.tor_barred_until:
        barred[_TOR] = "it seldom helped with this domain"
    elif not _has_room((_TOR,), overall, shares.tor) or not _has_room((_TOR,), own, shares.tor):
        barred[_TOR] = f"its share of requests would pass {shares.tor:.0%}"
    if not _has_room((_ARCHIVE,), overall, shares.wayback):
        barred[_ARCHIVE] = f"its share of pages would pass {shares.wayback:.0%}"
    if not _has_room(pressure.HEADFUL.rungs, overall, shares.headful):
        barred |= dict.fromkeys(pressure.HEADFUL.rungs, f"windows seldom helped; their share is {shares.headful:.0%}")
    is_remembered = habit.rung is not None and habit.rung_until is not None and now < habit.rung_until
    if not is_remembered or habit.rung_hits < _HITS or habit.rung in barred:
        return RungAdvice(barred=barred)
    return RungAdvice(habit.rung, first_reason=f"remembered for this domain: {habit.rung_reason}", barred=barred)


def update_habit(
    habit: DomainHabit, result: FetchResult, failed_rungs: tuple[str, ...], now: datetime, sticky: timedelta
) -> tuple[DomainHabit, tuple[PolicyChange, ...]]:
    """The record after one more answer, and what changed in how the domain is asked."""
    served = was_served(result.outcome)
    if result.rung == _ARCHIVE:
        return habit, ()
    # A fetch counts as one refusal, however many rungs were refused.
    if failed_rungs and not served:
        return _update_tor(*_update_first_rung(habit, result, failed_rungs, now, sticky), result, served, now)
    refused = is_refusal(result.outcome, result.status_code, result.challenge)
    success = observe(Trend(habit.success_short, habit.success_long, habit.samples), float(served))
    refusal = observe(Trend(habit.refusal_short, habit.refusal_long, habit.samples), float(refused))
    noted = replace(
        habit,
        updated_at=now,
        samples=success.samples,
        success_short=success.short,
        success_long=success.long,
        refusal_short=refusal.short,
        refusal_long=refusal.long,
        last_challenge=result.challenge or habit.last_challenge,
        last_challenge_at=now if result.challenge else habit.last_challenge_at,
    )
    noted, paused = _update_pause(noted, refusal, now)
    noted, remembered = _update_first_rung(noted, result, failed_rungs, now, sticky)
    return _update_tor(noted, (*paused, *remembered), result, served, now)


def _update_pause(habit: DomainHabit, refusal: Trend, now: datetime) -> tuple[DomainHabit, tuple[PolicyChange, ...]]:
    parameter = AdaptiveParameter("pause_factor", habit.pause_factor, habit.pause_changed_at, habit.pause_direction)
    change = adjust(parameter, refusal, PAUSE, now)
    if change is None:
        return habit, ()
    turned = change.parameter
    paced = replace(habit, pause_factor=turned.value, pause_changed_at=now, pause_direction=turned.direction)
    reason = f"refusals: {change.reason}"
    figures = {"short": round(refusal.short, 3), "long": round(refusal.long, 3), "samples": refusal.samples}
    return paced, (PolicyChange(now, "pause_factor", f"{change.before:g}", f"{turned.value:g}", reason, figures),)


def _update_first_rung(
    habit: DomainHabit, result: FetchResult, failed_rungs: tuple[str, ...], now: datetime, sticky: timedelta
) -> tuple[DomainHabit, tuple[PolicyChange, ...]]:
    """A rung that opened what lighter ones could not is begun with; one that fails, or is no longer needed, is not."""
    served = result.outcome in (FetchOutcome.OK, FetchOutcome.NOT_MODIFIED)
    figures = {"success_short": round(habit.success_short, 3), "success_long": round(habit.success_long, 3)}
    until = now + (sticky if result.rung == _TOR else _MEMORY)
    if served and result.rung == habit.rung:
        hits = habit.rung_hits + 1
        kept = replace(habit, rung_hits=hits, rung_until=until if failed_rungs or hits <= _HITS else habit.rung_until)
        if hits != _HITS:
            return kept, ()
        reason = f"{result.rung} opened its pages twice where lighter ways did not"
        return kept, (PolicyChange(now, "first_rung", None, result.rung, reason, figures),)
    if served and failed_rungs:
        reason = f"{result.rung} opened a page that {', '.join(failed_rungs)} could not"
        return replace(habit, rung=result.rung, rung_reason=reason, rung_until=until, rung_hits=1), ()
    if habit.rung is None or (result.rung != habit.rung and not (served and result.rung == "http")):
        return habit, ()
    forgotten = replace(habit, rung=None, rung_reason=None, rung_until=None, rung_hits=0)
    if habit.rung_hits < _HITS:
        return forgotten, ()
    reason = "plain HTTP is served again" if served else f"{result.rung} ended in {result.outcome.value}"
    return forgotten, (PolicyChange(now, "first_rung", habit.rung, None, reason, figures),)


def _update_tor(
    habit: DomainHabit, before: tuple[PolicyChange, ...], result: FetchResult, served: bool, now: datetime
) -> tuple[DomainHabit, tuple[PolicyChange, ...]]:
    """§4.3: where Tor seldom succeeds, back to the direct way; `before` are the changes made already."""
    if result.rung != _TOR:
        return habit, before
    trend = observe(Trend(habit.tor_short, habit.tor_long, habit.tor_samples), float(served))
    judged = replace(habit, tor_samples=trend.samples, tor_short=trend.short, tor_long=trend.long)
    if trend.short >= _TOR_FLOOR:
        return judged, before
    barred = replace(judged, tor_barred_until=now + _TOR_BARRED, tor_samples=0, tor_short=0.5, tor_long=0.5)
    reason = f"the short average of successes over Tor fell to {trend.short:.2f}: back to the direct way for a day"
    figures = {"short": round(trend.short, 3), "long": round(trend.long, 3), "samples": trend.samples}
    return barred, (
        *before,
        PolicyChange(now, "tor", "allowed", "barred", reason, figures),
    )


def _has_room(rungs: tuple[str, ...], asked: RequestCounts, share: float) -> bool:
    """Whether one more request keeps the share; a single one is always allowed."""
    return share > 0 and sum(map(asked.of, rungs)) + 1 <= max(1, int(share * (asked.total + 1)))


class DomainPolicy:
    """Learns from every answer and says how a domain is to be asked, for all processes."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        settings: Politeness,
        shares: RungShares | None = None,
        sticky_s: float = 900.0,
        qps_of: QpsOf | None = None,
    ) -> None:
        self._qps_of = qps_of
        self._db = db
        self._clock = clock
        self._settings = settings
        self._shares = shares or RungShares()
        self._sticky = timedelta(seconds=sticky_s)

    async def advice(self, domain: str) -> RungAdvice:
        """Where a fetch of this domain should begin, and what is barred."""
        now = self._clock.now()
        habit, overall, own, pressures = await self._db.read(_known, domain, now)
        return advise(habit, overall, own, self._shares.reduced_by(pressures), now)

    async def note(
        self, domain: str, result: FetchResult, *, failed_rungs: tuple[str, ...] = (), cause_id: str | None = None
    ) -> None:
        """Count an answer and learn from it; `failed_rungs` are the rungs that could not open the page before."""
        await self._db.write(_note, domain, result, failed_rungs, self._clock.now(), self._sticky, cause_id)

    async def pause_s(self, domain: str) -> float:
        """Seconds to rest between requests, where more than usual was learned to be needed; else 0."""
        habit = await self._db.read(domain_policies.get, domain)
        if habit is None or habit.pause_factor <= 1.0:
            return 0.0
        return habit.pause_factor * self._usual_s(domain)

    def _usual_s(self, domain: str) -> float:
        """The shortest pause that nothing learned has lengthened."""
        return max(1 / usual_qps(domain, self._settings, self._qps_of), self._settings.pause_min_s)

    async def account(self, domain: str) -> DomainPolicySummary:
        """How the domain is asked now and why, with its last changes."""
        now = self._clock.now()
        habit, overall, own, pressures = await self._db.read(_known, domain, now)
        advice = advise(habit, overall, own, self._shares.reduced_by(pressures), now)
        return DomainPolicySummary(
            habit,
            own,
            pause_s=self._usual_s(domain) * habit.pause_factor,
            first_rung=advice.first or "http",
            first_reason=advice.first_reason or "the lightest way first",
            barred=advice.barred,
            changes=await self._db.read(domain_policies.changes, domain),
            qps=usual_qps(domain, self._settings, self._qps_of),
            is_own_qps=self._qps_of is not None and self._qps_of(domain) is not None,
        )

    async def forget(self, domain: str) -> bool:
        """Forget what was learned of a domain, and end its rest; says whether there was anything."""
        return await self._db.write(_forget, domain, self._clock.now())

    async def rest_of_day_s(self, domain: str) -> float:
        """Seconds until the domain may be asked again, where its daily limit is used up; else 0."""
        limit = self._settings.domain_daily_limit
        now = self._clock.now()
        if not limit or (await self._db.read(domain_policies.asked, day_of(now), domain)).total < limit:
            return 0.0
        return until_tomorrow_s(now)


def _known(
    connection: "Connection", domain: str, now: datetime
) -> tuple[DomainHabit, RequestCounts, RequestCounts, Mapping[str, float]]:
    habit = domain_policies.get(connection, domain) or DomainHabit(domain, now)
    day = day_of(now)
    overall, own = domain_policies.asked(connection, day), domain_policies.asked(connection, day, domain)
    return habit, overall, own, {name: value for name, (value, _) in adaptive_parameters.all(connection).items()}


def _forget(connection: "Connection", domain: str, now: datetime) -> bool:
    found = domain_policies.forget(connection, domain)
    if found:
        change = PolicyChange(now, "all", None, None, "the user let everything learned of the domain be forgotten")
        domain_policies.note_change(connection, domain, change, None)
    return found


def _note(
    connection: "Connection",
    domain: str,
    result: FetchResult,
    failed_rungs: tuple[str, ...],
    now: datetime,
    sticky: timedelta,
    cause_id: str | None,
) -> None:
    served = was_served(result.outcome)
    refused = is_refusal(result.outcome, result.status_code, result.challenge)
    domain_policies.count(connection, day_of(now), domain, result.rung, served=served, refused=refused)
    before = domain_policies.get(connection, domain) or DomainHabit(domain, now)
    habit, changes = update_habit(before, result, failed_rungs, now, sticky)
    domain_policies.save(connection, habit)
    for change in changes:
        domain_policies.note_change(connection, domain, change, cause_id)
