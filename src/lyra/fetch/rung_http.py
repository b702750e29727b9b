"""The HTTP rung as a whole: from one address to the last redirect, with every check and pause on the way."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from lyra.archive.warc import WarcArchive
from lyra.clock import Clock
from lyra.fetch.addresses import CheckedAddress, wire_form
from lyra.fetch.admission import Admission, Admitted, FetchProgress, dead_end, result_of
from lyra.fetch.classify import redirect_target
from lyra.fetch.headers import OutgoingRequest, redirected_request, with_cookies
from lyra.fetch.http import HttpClient
from lyra.fetch.ladder import FetchContext
from lyra.model.page import FetchLane, FetchRequest, FetchResult
from lyra.policy.gate import Turn
from lyra.settings import Network
from lyra.urls import registrable_domain

if TYPE_CHECKING:
    from lyra.fetch.curl_session import QuietSession

Cookies = Callable[[str], Awaitable[tuple[tuple[str, str], ...]]]


class HttpRung:
    """Follows redirects by itself, so that each hop is checked, waits its turn and is archived like the first."""

    def __init__(
        self, http: HttpClient, admission: Admission, archive: WarcArchive, clock: Clock, settings: Network,
        name: str = "http", cookies: Cookies | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self._cookies = cookies
        self._http = http
        self._admission = admission
        self._archive = archive
        self._clock = clock
        self._settings = settings

    async def fetch(self, request: FetchRequest, context: FetchContext) -> FetchResult:
        """Fetch; robots.txt binds where the context has a getter for it."""
        async with self._http.session() as session:

            async def send(progress: FetchProgress, admitted: Admitted) -> FetchProgress | FetchResult:
                return await self._exchange(progress, admitted.checked, session, admitted.turn)

            return await self._admission.fetch(request, context, send, self.name, self._clock)

    async def close(self) -> None:
        """End every connection."""
        await self._http.close()

    async def _exchange(
        self, progress: FetchProgress, checked: CheckedAddress, session: "QuietSession", turn: Turn
    ) -> FetchProgress | FetchResult:
        """All hops that one turn at the gate covers: a redirect within the domain belongs to it."""
        hop = await self._with_session(progress)
        exchange = await self._http.exchange(session, hop, checked, progress.time_left_s(self._settings))
        is_kept = exchange.status_code is not None and progress.request.is_archived
        archived = await self._archive.store(exchange) if is_kept else None
        before = progress
        progress = replace(
            progress, elapsed_s=progress.elapsed_s + exchange.elapsed_s, redirects=progress.redirects + 1
        )
        target = redirect_target(exchange)
        end = dead_end(target, progress.redirects, self._settings.max_redirects) if target else None
        if target is None:
            end = await self._admission.classify_answer(exchange, progress.request, turn)
        if end is not None:
            return result_of(exchange, end, progress.request, archived, self.name, progress.elapsed_s)
        hop = redirected_request(before.hop, wire_form(target or "") or "", exchange.status_code or 0)
        progress = replace(progress, hop=hop)
        if registrable_domain(progress.url) != registrable_domain(before.url):
            return progress
        checked_next = await self._admission.may_follow(progress.url, progress.context)
        return progress if checked_next is None else await self._exchange(progress, checked_next, session, turn)

    async def _with_session(self, progress: FetchProgress) -> OutgoingRequest:
        """The hop with the cookies that visits of this domain in a browser, or a person, have left for it."""
        if self._cookies is None or progress.request.lane is FetchLane.API:
            return progress.hop
        kept = await self._cookies(progress.url)
        return with_cookies(progress.hop, kept) if kept else progress.hop
