"""The fetcher: every request of Lyra goes through here and ends in a typed outcome and an entry of the journal."""

from collections.abc import Sequence
from dataclasses import replace

from lyra.archive.warc import WarcArchive
from lyra.clock import Clock
from lyra.fetch.admission import Admission
from lyra.fetch.http import HttpClient
from lyra.fetch.ladder import ARCHIVE, BROWSERS, PATIENCE_S, RUNGS, FetchContext, LadderStep, Rung, next_rung
from lyra.fetch.rung_http import Cookies, HttpRung
from lyra.model.event import Event
from lyra.model.page import FetchLane, FetchOutcome, FetchRequest, FetchResult, PageState
from lyra.policy.cooldown import Cooldown, was_served
from lyra.policy.domain_policy import DomainPolicy, RungAdvice
from lyra.policy.gate import Gate
from lyra.policy.robots import Robots
from lyra.settings import Settings
from lyra.storage import journal
from lyra.storage.database import Database
from lyra.urls import registrable_domain

_PAGES = (FetchOutcome.OK, FetchOutcome.NOT_MODIFIED)
_GONE = 410


class Fetcher:
    """A `Getter` for all of Lyra: goes up the ladder, obeys robots.txt for pages, writes what happened."""

    def __init__(
        self,
        *,
        http: HttpClient,
        gate: Gate,
        robots: Robots,
        cooldown: Cooldown,
        archive: WarcArchive,
        db: Database,
        clock: Clock,
        settings: Settings,
        rungs: Sequence[Rung] = (),
        policy: DomainPolicy | None = None,
        cookies: Cookies | None = None,
    ) -> None:
        self._archive = archive
        self._cooldown = cooldown
        self._db = db
        self._clock = clock
        self._respects_robots = settings.politeness.respect_robots
        self._asks_archive = settings.wayback.enabled
        self._policy = policy or DomainPolicy(db, clock, settings.politeness)
        admission = Admission(http.check, gate, robots, cooldown, self._policy)
        self._http = HttpRung(http, admission, archive, clock, settings.network, cookies=cookies)
        built: dict[str, Rung] = {rung.name: rung for rung in (self._http, *rungs)}
        self._rungs = {name: built[name] for name in RUNGS if name in built}

    async def __call__(self, request: FetchRequest) -> FetchResult:
        """Fetch politely and archive. Raises only for this machine's own troubles: its disk, database or settings."""
        obeys = self._respects_robots and request.lane is FetchLane.PAGE
        rungs, advice = await self._allowed_rungs(request)
        results: list[FetchResult] = []
        step = next_rung(results, rungs, advice)
        while step.rung is not None:
            sent = tuple(one.rung for one in results if one.was_sent and one.outcome is not FetchOutcome.UNAVAILABLE)
            broken = frozenset(one.broken_hash for one in results if one.broken_hash)
            context = FetchContext(self._get_robots if obeys else None, sent, broken)
            result = await self._rungs[step.rung].fetch(request, context)
            results.append(result)
            await self._note(request, result, context)
            advice = self._after_answer(advice, result, request)
            taken, step = step, next_rung(results, rungs, advice)
            await self._log("fetch", request, result, taken, step)
        return await self._count_for_cooldown(final_result(results, request), request, results)

    async def close(self) -> None:
        """Give back what the rungs hold, heaviest first, and end the archive file under way."""
        for rung in reversed(self._rungs.values()):
            await rung.close()
        await self._archive.close()

    async def _allowed_rungs(self, request: FetchRequest) -> tuple[tuple[str, ...], RungAdvice]:
        """The rungs that may be used for a request; only pages go beyond the lightest, unless it names some."""
        if request.rungs is not None:
            named = tuple(name for name in request.rungs if name in self._rungs)
            barred = {"tor": "Tor is never used for engines or APIs"} if request.lane is not FetchLane.PAGE else {}
            return named, RungAdvice(barred=barred)
        if request.lane is not FetchLane.PAGE or request.method != "GET":
            return (self._http.name,), RungAdvice()
        advice = await self._policy.advice(registrable_domain(request.url))
        if _is_own_link(request):
            advice = replace(advice, barred={**advice.barred, ARCHIVE: "a dead link within a site is not looked up"})
        if request.is_live_only:
            advice = replace(advice, barred={**advice.barred, ARCHIVE: "the page itself is wanted, not a copy"})
        return tuple(self._rungs), advice

    def _after_answer(self, advice: RungAdvice, result: FetchResult, request: FetchRequest) -> RungAdvice:
        """A page that says it is gone for good was there: its copies are read whatever the archive's share is."""
        if result.status_code != _GONE or request.is_live_only or not self._asks_archive:
            return advice
        return replace(advice, barred={rung: why for rung, why in advice.barred.items() if rung != ARCHIVE})

    async def _get_robots(self, request: FetchRequest) -> FetchResult:
        """A robots.txt by the lightest rung; only it is fetched without asking robots.txt."""
        result = await self._http.fetch(request, FetchContext())
        await self._log("fetch_robots", request, result)
        return result

    async def _note(self, request: FetchRequest, result: FetchResult, context: FetchContext) -> None:
        if request.lane is FetchLane.PAGE and result.outcome is not FetchOutcome.UNAVAILABLE and result.was_sent:
            domain = registrable_domain(request.url)
            await self._policy.note(domain, result, failed_rungs=context.tried, cause_id=request.cause_id)

    async def _count_for_cooldown(
        self, final: FetchResult, request: FetchRequest, results: Sequence[FetchResult]
    ) -> FetchResult:
        """Count the whole fetch as one answer of each site: a refusal that another rung overcame closes nothing."""
        if request.lane is not FetchLane.PAGE:
            return final
        rest_s = 0.0
        for one in _counted_results(results):
            address = one.memento_url if one.rung == ARCHIVE else one.final_url
            domain = registrable_domain(address or request.url)
            rest_s = await self._cooldown.note(domain, one.outcome, one.status_code, one.retry_after_s, one.challenge)
        return replace(final, retry_after_s=rest_s or final.retry_after_s)

    async def _log(
        self,
        kind: str,
        request: FetchRequest,
        result: FetchResult,
        taken: LadderStep | None = None,
        following: LadderStep | None = None,
    ) -> None:
        details = {
            "lane": request.lane.value,
            "outcome": result.outcome.value,
            "rung": result.rung,
            "why": taken.reason if taken else None,
            "next": following.rung if following else None,
            "why_next": following.reason if following else None,
            "final_url": result.final_url,
            "status_code": result.status_code,
            "challenge": result.challenge,
            "page_state": result.page_state,
            "bytes": len(result.body),
            "elapsed_s": round(result.elapsed_s, 3),
            "reason": result.reason,
            "retry_after_s": result.retry_after_s,
            "ip_version": result.ip_version,
            "ip_switched": result.ip_switched,
            "is_referred": result.is_referred,
            "record_id": result.archive.record_id if result.archive else None,
            "assets": list(result.assets),
        }
        event = Event(kind, self._clock.now(), request.url, details, cause_id=request.cause_id)
        await self._db.write(journal.append, (event,))


def final_result(results: Sequence[FetchResult], request: FetchRequest) -> FetchResult:
    """What the attempts come to: the last page that was served, else what the site itself said last.

    A shell that needs scripts is no page any more where a browser has run them.
    """
    tried = tuple(one.rung for one in results if one.outcome is not FetchOutcome.UNAVAILABLE)
    was_run = any(rung in BROWSERS for rung in tried)
    served = [one for one in results if one.outcome in _PAGES and not (was_run and _is_shell(one))]
    answered = [one for one in results if one.outcome is not FetchOutcome.UNAVAILABLE and one.rung != ARCHIVE]
    for found in (served, answered, results):
        if found:
            return replace(found[-1], tried=tried)
    reason = f"None of the rungs {', '.join(request.rungs or ())} is built here."
    return FetchResult(request.url, FetchOutcome.UNAVAILABLE, reason=reason, was_sent=False)


def _is_shell(result: FetchResult) -> bool:
    return result.page_state == PageState.NEEDS_JAVASCRIPT and result.rung not in BROWSERS


def _counted_results(results: Sequence[FetchResult]) -> list[FetchResult]:
    """What counts of all attempts: the site's welcome where it gave one, else its first answer; and the archive's."""
    sent = [
        one
        for one in results
        if one.was_sent
        and one.outcome is not FetchOutcome.UNAVAILABLE
        and (one.retry_after_s or 0.0) <= PATIENCE_S  # counted when it was asked for
    ]
    live = [one for one in sent if one.rung != ARCHIVE]
    welcomes = [one for one in live if was_served(one.outcome)]
    return [*(welcomes[-1:] or live[:1]), *(one for one in sent if one.rung == ARCHIVE)]


def _is_own_link(request: FetchRequest) -> bool:
    return bool(request.referer) and registrable_domain(request.referer or "") == registrable_domain(request.url)
