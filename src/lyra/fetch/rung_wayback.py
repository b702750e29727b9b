"""The last rung: the newest copy of a page in the Internet Archive, told apart from the page itself."""

from dataclasses import replace

from lyra.clock import Clock
from lyra.fetch.mementos import is_of_error, latest_address, previous, taken_at
from lyra.fetch.rung import Climb
from lyra.fetch.rung_http import HttpRung
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult

# What the archive says of its own answer; the page's validators must not be taken from it.
_OF_THE_ARCHIVE = frozenset({"etag", "last-modified", "cache-control", "expires", "set-cookie"})


class WaybackRung:
    """Asks the archive's public address once; a copy has its date in `snapshot_at` and leaves `final_url` alone."""

    name = "wayback"

    def __init__(self, http: HttpRung, clock: Clock) -> None:
        self._http = http
        self._clock = clock

    async def fetch(self, request: FetchRequest, climb: Climb) -> FetchResult:
        """The newest copy, or the one before where that is of an error; anything else is said to be the archive's."""
        found = await self._ask(latest_address(request.url, self._clock.now()), request, climb)
        before = previous(found) if is_of_error(found) else None
        if before is not None:
            found = await self._ask(before, request, climb)
        return _told(found, request)

    async def _ask(self, address: str, request: FetchRequest, climb: Climb) -> FetchResult:
        """The archive is another site: its own rest and rules hold, whatever was tried on the page's."""
        return await self._http.fetch(FetchRequest(address, cause_id=request.cause_id), Climb(climb.get_robots))

    async def close(self) -> None:
        """Nothing of its own: its connections belong to the HTTP rung."""


def _told(found: FetchResult, request: FetchRequest) -> FetchResult:
    snapshot_at = taken_at(found) if found.outcome is FetchOutcome.OK else None
    told = replace(found, url=request.url, final_url=request.url, rung=WaybackRung.name, memento_url=found.final_url)
    if snapshot_at is not None:
        headers = tuple(pair for pair in found.headers if pair[0].lower() not in _OF_THE_ARCHIVE)
        reason = f"A copy of {snapshot_at:%Y-%m-%d} from the Internet Archive."
        return replace(told, snapshot_at=snapshot_at, headers=headers, reason=reason)
    if is_of_error(found):
        reason = "The Internet Archive has only a copy of an error page."
        return replace(told, outcome=FetchOutcome.NOT_FOUND, body=b"", challenge=None, reason=reason)
    if found.outcome in (FetchOutcome.OK, FetchOutcome.NOT_FOUND):
        return replace(told, outcome=FetchOutcome.NOT_FOUND, body=b"", reason="The Internet Archive has no copy.")
    return replace(told, body=b"", challenge=None, reason=f"The Internet Archive: {found.reason}")
