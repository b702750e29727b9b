"""The Tor rung: the HTTP rung with another way out, for pages only, and honest about being unavailable."""

from lyra.archive.warc import WarcArchive
from lyra.clock import Clock
from lyra.fetch.addresses import Checked
from lyra.fetch.admission import Admission
from lyra.fetch.http import HttpClient
from lyra.fetch.rung import Climb
from lyra.fetch.rung_http import HttpRung
from lyra.fetch.tor import TorService
from lyra.model.page import FetchLane, FetchOutcome, FetchRequest, FetchResult
from lyra.settings import Network
from lyra.urls import registrable_domain

_RENEWS = frozenset({FetchOutcome.BLOCKED, FetchOutcome.CHALLENGE, FetchOutcome.TIMED_OUT, FetchOutcome.FAILED})


class TorRung:
    """Fetches over Tor: names resolved inside, one circuit for a domain, a new one after it was of no use."""

    name = "tor"

    def __init__(
        self, tor: TorService, admission: Admission, archive: WarcArchive, clock: Clock, settings: Network
    ) -> None:
        self._tor = tor
        self._clock = clock
        client = HttpClient(settings, clock, proxy_for=self._proxy_for)
        self._http = HttpRung(client, admission.over(client.check), archive, clock, settings, self.name)

    async def fetch(self, request: FetchRequest, climb: Climb) -> FetchResult:
        """Fetch as the HTTP rung does; UNAVAILABLE where Tor is off, absent or not connected."""
        unready = None if request.lane is FetchLane.PAGE else "Tor is never used for engines or APIs."
        if unready is None and (problem := await self._tor.ready()) is not None:
            unready = problem.reason
        if unready is not None:
            return FetchResult(
                request.url, FetchOutcome.UNAVAILABLE, rung=self.name, reason=unready, fetched_at=self._clock.now(),
                was_sent=False,
            )  # fmt: skip
        result = await self._http.fetch(request, climb)
        if result.outcome in _RENEWS and result.was_sent:
            await self._tor.renew(registrable_domain(request.url))
        return result

    async def close(self) -> None:
        """End every connection, and a Tor that was started here."""
        await self._http.close()
        await self._tor.close()

    def _proxy_for(self, checked: Checked) -> str:
        return self._tor.proxy_for(registrable_domain(checked.url))
