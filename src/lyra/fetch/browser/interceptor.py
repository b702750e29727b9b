"""Intercepts the documents of one tab: keeps their bytes, and stops where the visit may not go by itself.

It speaks the browser's own protocol. Playwright's `route` sees no redirects, and its `fetch` would send requests with
another fingerprint than the browser's and read bodies of any size.
"""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from lyra.clock import Clock
from lyra.errors import BrowserFault
from lyra.fetch.addresses import wire_form
from lyra.fetch.browser.driver import CdpChannel
from lyra.fetch.classify import redirect_target
from lyra.fetch.sessions import Cookie
from lyra.media import MediaKind, binary_format, declared_kind, sniff
from lyra.model.archive import Exchange, Truncation
from lyra.model.page import FetchOutcome
from lyra.urls import host_of

_CLOSE_LIMIT_S = 0.3
_CHUNK_BYTES = 1 << 20
# Served in place of the page that a visit comes from: nothing is requested for it, not even an icon.
_BLANK = b'<!DOCTYPE html><title></title><link rel="icon" href="data:,">'
# The body is delivered decoded, so headers that describe its encoding no longer hold.
_UNPACKED = frozenset({"content-encoding", "content-length", "transfer-encoding"})
# More digits are no size, and Python reads no number of thousands of them.
_LONGEST_LENGTH = 18
# Whether the visit may go on to an address by itself; where not, it ends there and the caller decides.
MayFollow = Callable[[str], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class VisitRequest:
    """One visit. `referer` is shown as it is given; `acts_like_a_person`: the pointer moves and the page scrolls."""

    url: str
    timeout_s: float
    method: str = "GET"
    body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()
    referer: str | None = None
    cookies: tuple[Cookie, ...] = field(default=(), repr=False)
    acts_like_a_person: bool = False


class DocumentInterceptor:
    """Lets the page's own requests through one by one. `ended` is set when the visit must not go on.

    While it `is_at_referer`, it answers by itself: the tab shows the address that the visit comes from, so that the
    browser sends the right headers, and no server was asked.
    """

    def __init__(
        self, cdp: CdpChannel, frame_id: str, request: VisitRequest, may_follow: MayFollow, clock: Clock,
        *, max_bytes: int, max_redirects: int, refused: tuple[str, ...],
    ) -> None:  # fmt: skip
        self._cdp = cdp
        self._frame_id = frame_id
        self._request = request
        self._may_follow = may_follow
        self._clock = clock
        self._max_bytes = max_bytes
        self._max_redirects = max_redirects
        self._refused = refused
        self._requests = 0
        self._sent: dict[str, tuple[datetime, float]] = {}
        self._work: set[asyncio.Task[None]] = set()
        self._pages: dict[str, Exchange] = {}
        self._shown: str | None = None
        self.exchanges: list[Exchange] = []
        self.ended = asyncio.Event()
        self.arrived = asyncio.Event()
        self.is_at_referer = False
        self.is_page = False
        self.leads_to: str | None = None
        self.failure: tuple[FetchOutcome, str] | None = None

    async def open(self) -> None:
        patterns = [{"resourceType": "Document", "requestStage": stage} for stage in ("Request", "Response")]
        patterns += [{"resourceType": kind, "requestStage": "Request"} for kind in self._refused]
        self._cdp.on("Fetch.requestPaused", self._paused)
        self._cdp.on("Page.frameNavigated", self._navigated)
        await self._cdp.send("Fetch.enable", {"patterns": patterns})

    async def close(self) -> None:
        """Let refusals reach the browser, and drop what else is under way; the tab is closed next."""
        work = tuple(self._work)
        if work:
            await asyncio.wait(work, timeout=_CLOSE_LIMIT_S)
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)

    @property
    def has_delivered(self) -> bool:
        """Whether the browser was given a page to show, which may have run scripts."""
        return bool(self._pages)

    def answers(self) -> tuple[Exchange, ...]:
        """Every answer, that of the page which is shown last: a page may also have fetched what it does not show."""
        shown = self._pages.get(self._shown or "")
        if shown is None or not self.is_page:
            return tuple(self.exchanges)
        return (*(one for one in self.exchanges if one is not shown), shown)

    def _navigated(self, event: dict[str, Any]) -> None:
        if event["frame"]["id"] == self._frame_id and event["frame"].get("loaderId") in self._pages:
            self._shown = event["frame"]["loaderId"]

    def _paused(self, event: dict[str, Any]) -> None:
        task = asyncio.get_running_loop().create_task(self._decide(event))
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _decide(self, event: dict[str, Any]) -> None:
        try:
            if event["resourceType"] != "Document":
                await self._refuse(event, "BlockedByClient")
            elif event["frameId"] != self._frame_id:
                await self._cdp.send("Fetch.continueRequest", {"requestId": event["requestId"]})
            elif "responseStatusCode" in event or "responseErrorReason" in event:
                await self._answered(event)
            else:
                await self._asked(event)
        except BrowserFault:
            return  # the tab or the browser is gone; the visit learns of that itself

    async def _asked(self, event: dict[str, Any]) -> None:
        if self.is_at_referer:
            await self._fulfil(event, 200, [{"name": "Content-Type", "value": "text/html; charset=utf-8"}], _BLANK)
            return
        self._requests += 1
        url = event["request"]["url"]
        if self._requests > 1 and not await self._may_request(url):
            await self._refuse(event, "Aborted")
            return
        self._sent[event["requestId"]] = self._clock.now(), self._clock.monotonic()
        await self._cdp.send("Fetch.continueRequest", self._outgoing(event))

    def _outgoing(self, event: dict[str, Any]) -> dict[str, Any]:
        """The first request carries what the visit adds; those that the page makes are its own."""
        command: dict[str, Any] = {"requestId": event["requestId"]}
        visit = self._request
        if self._requests > 1 or not (visit.headers or visit.body is not None or visit.method != "GET"):
            return command
        added = dict(visit.headers)
        if visit.body is not None:
            added.setdefault("Content-Type", "application/x-www-form-urlencoded")
            command["postData"] = base64.b64encode(visit.body).decode()
        named = {name.lower() for name in added}
        own = {name: value for name, value in event["request"]["headers"].items() if name.lower() not in named}
        command["method"] = visit.method
        command["headers"] = [{"name": name, "value": value} for name, value in (own | added).items()]
        return command

    async def _may_request(self, url: str) -> bool:
        if self._requests > self._max_redirects + 1:
            self._end(FetchOutcome.FAILED, f"More than {self._max_redirects} redirects, the last to {url[:200]}.")
            return False
        if await self._may_follow(url):
            self.arrived.clear()
            return True
        self.leads_to = url
        self.ended.set()
        return False

    async def _answered(self, event: dict[str, Any]) -> None:
        if "responseErrorReason" in event:
            await self._cdp.send("Fetch.continueRequest", {"requestId": event["requestId"]})
            return
        exchange = self._exchange(event)
        if redirect_target(exchange) is not None:
            self.exchanges.append(exchange)
            await self._cdp.send("Fetch.continueRequest", {"requestId": event["requestId"]})
            return
        if self._shown is not None and _keeps_page(exchange):
            await self._refuse(event, "Aborted")
            self.arrived.set()
            return
        body, truncation = await self._body(event)
        kept = self._keep(exchange, body, truncation)
        if self.is_page:
            self._pages[str(event.get("networkId"))] = kept
            await self._deliver(event, body)
            self.arrived.set()
        else:
            await self._refuse(event, "Aborted")
            self.ended.set()

    def _exchange(self, event: dict[str, Any]) -> Exchange:
        request = event["request"]
        started_at, started_s = self._sent.pop(event["requestId"], (self._clock.now(), self._clock.monotonic()))
        return Exchange(
            url=wire_form(request["url"]) or request["url"],
            method=request["method"],
            started_at=started_at,
            request_headers=tuple((str(name), str(value)) for name, value in request["headers"].items()),
            request_body=self._request.body or b"" if request["method"] == "POST" else b"",
            status_code=int(event["responseStatusCode"]),
            status_text=str(event.get("responseStatusText", "")),
            headers=tuple((str(h["name"]), str(h["value"])) for h in event.get("responseHeaders", ())),
            elapsed_s=self._clock.monotonic() - started_s,
        )

    async def _body(self, event: dict[str, Any]) -> tuple[bytes, Truncation | None]:
        """The body as it streams in, up to the limit; a stream that breaks off gives what had come."""
        body = bytearray()
        try:
            answer = await self._cdp.send("Fetch.takeResponseBodyAsStream", {"requestId": event["requestId"]})
            while True:
                part = await self._cdp.send("IO.read", {"handle": answer["stream"], "size": _CHUNK_BYTES})
                data = part["data"]
                body += base64.b64decode(data) if part.get("base64Encoded") else data.encode()
                if len(body) > self._max_bytes:
                    await self._cdp.send("IO.close", {"handle": answer["stream"]})
                    return bytes(body[: self._max_bytes]), Truncation.LENGTH
                if part["eof"]:
                    return bytes(body), Truncation.DISCONNECT if is_short(event, len(body)) else None
        except BrowserFault:
            return bytes(body), Truncation.DISCONNECT

    def _keep(self, exchange: Exchange, body: bytes, truncation: Truncation | None) -> Exchange:
        failure: tuple[FetchOutcome, str] | None = None
        if truncation is Truncation.LENGTH:
            failure = FetchOutcome.TOO_LARGE, f"The body is larger than {self._max_bytes} bytes."
        elif truncation is not None:
            failure = FetchOutcome.FAILED, f"{host_of(exchange.url)}: the body broke off."
        kept = replace(
            exchange,
            body=body,
            truncation=truncation,
            failure=failure[0] if failure else None,
            reason=failure[1] if failure else None,
        )
        self.exchanges.append(kept)
        self.failure = failure
        self.is_page = failure is None and is_rendered(kept)
        return kept

    async def _deliver(self, event: dict[str, Any], body: bytes) -> None:
        headers = [h for h in event.get("responseHeaders", ()) if h["name"].lower() not in _UNPACKED]
        await self._fulfil(event, event["responseStatusCode"], headers, body)

    async def _fulfil(self, event: dict[str, Any], status: int, headers: list[dict[str, str]], body: bytes) -> None:
        answer = {"responseCode": status, "responseHeaders": headers, "body": base64.b64encode(body).decode()}
        await self._cdp.send("Fetch.fulfillRequest", {"requestId": event["requestId"], **answer})

    async def _refuse(self, event: dict[str, Any], reason: str) -> None:
        await self._cdp.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": reason})

    def _end(self, outcome: FetchOutcome, reason: str) -> None:
        self.failure = outcome, reason
        self.ended.set()


def is_short(event: dict[str, Any], came: int) -> bool:
    """Whether less came than was announced; Chrome itself ends the stream without an error."""
    headers = {str(one["name"]).lower(): str(one["value"]).strip() for one in event.get("responseHeaders", ())}
    announced = headers.get("content-length", "")[:_LONGEST_LENGTH]
    is_packed = headers.get("content-encoding", "identity").lower() not in ("", "identity")
    return announced.isascii() and announced.isdigit() and not is_packed and came < int(announced)


def is_rendered(exchange: Exchange) -> bool:
    """Whether the answer is a page that the browser should show; anything else is taken as the bytes it is."""
    if _is_download(exchange) or not exchange.body.strip():
        return False
    found = sniff(exchange.body)
    says = declared_kind(exchange.header("content-type"))
    if found is MediaKind.PDF or binary_format(exchange.body) is not None:
        return False
    return says is MediaKind.HTML or (found is MediaKind.HTML and says in (None, MediaKind.TEXT))


def _is_download(exchange: Exchange) -> bool:
    return "attachment" in (exchange.header("content-disposition") or "").lower()


def _keeps_page(exchange: Exchange) -> bool:
    """A download or an error of a page that is already shown: it does not take the page's place."""
    is_failure = (exchange.status_code or 0) >= 400
    return _is_download(exchange) or (
        is_failure and declared_kind(exchange.header("content-type")) is not MediaKind.HTML
    )
