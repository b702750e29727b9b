"""The fetcher: every request of Lyra goes through here and ends in a typed outcome and an entry of the journal."""

from lyra.archive.redact import redacted_url
from lyra.archive.warc import WarcArchive
from lyra.clock import Clock
from lyra.fetch.http import HttpClient
from lyra.fetch.ladder import next_rung
from lyra.fetch.rung_http import HttpRung
from lyra.model.event import Event
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult, Lane
from lyra.policy.cooldown import Cooldown
from lyra.policy.gate import Gate
from lyra.policy.robots import Robots
from lyra.settings import Settings
from lyra.storage import journal
from lyra.storage.database import Database


class Fetcher:
    """A `Getter` for all of Lyra: climbs the ladder, obeys robots.txt for pages, writes what happened."""

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
    ) -> None:
        self._http = http
        self._archive = archive
        self._db = db
        self._clock = clock
        self._respects_robots = settings.politeness.respect_robots
        self._rungs = {"http": HttpRung(http, gate, robots, cooldown, archive, clock, settings.network)}

    async def __call__(self, request: FetchRequest) -> FetchResult:
        """Fetch politely and archive. Raises only for this machine's own troubles: its disk, database or settings."""
        obeys = self._respects_robots and request.lane is Lane.PAGE
        tried: tuple[str, ...] = ()
        result = FetchResult(request.url, FetchOutcome.FAILED)
        while (rung := next_rung(tried, result.outcome)) is not None:
            result = await self._rungs[rung].fetch(request, self._get_robots if obeys else None)
            tried = (*tried, rung)
            await self._log("fetch", request, result)
        return result

    async def close(self) -> None:
        """End every connection and the archive file under way."""
        await self._http.close()
        await self._archive.close()

    async def _get_robots(self, request: FetchRequest) -> FetchResult:
        """A robots.txt by the lightest rung; only it is fetched without asking robots.txt."""
        result = await self._rungs["http"].fetch(request, None)
        await self._log("fetch_robots", request, result)
        return result

    async def _log(self, kind: str, request: FetchRequest, result: FetchResult) -> None:
        details = {
            "lane": request.lane.value,
            "outcome": result.outcome.value,
            "rung": result.rung,
            "final_url": redacted_url(result.final_url),
            "status_code": result.status_code,
            "bytes": len(result.body),
            "elapsed_s": round(result.elapsed_s, 3),
            "reason": result.reason,
            "retry_after_s": result.retry_after_s,
            "record_id": result.archive.record_id if result.archive else None,
        }
        event = Event(kind, self._clock.now(), redacted_url(request.url), details, cause_id=request.cause_id)
        await self._db.write(journal.append, (event,))
