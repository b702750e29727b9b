"""What a tab loads, and when its page is stable.

A page is stable when its network is silent, or its content the same for a while; never later than a limit.
"""

import asyncio
import base64
import contextlib
import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lyra.clock import Clock, wait_until
from lyra.errors import BrowserFault
from lyra.fetch.browser.driver import CdpChannel, IsolatedWorld, Tab
from lyra.fetch.browser.interceptor import DocumentInterceptor
from lyra.media import MediaKind, declared_kind
from lyra.model.archive import Exchange, Resource
from lyra.settings.rungs import Browser

_MOST_RESOURCES = 500
_MOST_DOCUMENTS = 50
_LARGEST_HASHED_BYTES = 10_000_000
_HASHING_LIMIT_S = 4.0
# What a page is built of and what it asks for by itself, as the debugging protocol calls it; not fonts and films.
_ASSETS = frozenset({"Stylesheet", "Script", "Image", "XHR", "Fetch"})
_ASKED_BY_SCRIPTS = frozenset({"XHR", "Fetch"})
_LARGEST_ASSET_BYTES = 2_000_000
_OK = 200
_POLL_S = 0.1
# A page whose network never falls silent counts as ready when its text has not changed for this long.
_STABLE_S = 2.0
# A page that says it is still loading is given this long between two changes.
_PENDING_S = 3.0
_PENDING = (
    '[aria-busy="true"], [data-state="loading"], #app:empty, #root:empty, #__next:empty, #__nuxt:empty, main:empty'
)
# Nodes and characters: what a reader would see change.
_MEASURE = (
    f"[document.readyState, !!document.querySelector({_PENDING!r}), document.getElementsByTagName('*').length,"
    " document.body ? document.body.textContent.length : 0]"
)


@dataclass(slots=True)
class _Load:
    url: str
    method: str
    started_at: datetime
    started_s: float
    status_code: int | None = None
    media_type: str = ""
    size: int | None = None
    elapsed_s: float = 0.0
    is_whole: bool = False
    sha256: str | None = None
    kind: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None

    @property
    def is_asset(self) -> bool:
        """Whether it belongs into the archive with the page; of what scripts asked for, texts alone."""
        is_text = declared_kind(self.media_type) not in (MediaKind.OTHER, MediaKind.PDF)
        is_wanted = self.kind in _ASSETS and (self.kind not in _ASKED_BY_SCRIPTS or is_text)
        return is_wanted and self.method == "GET" and self.status_code == _OK


class Traffic:
    """Listens to one tab's network. `has_failed` is set when the page itself could not be loaded, with `page_error`."""

    def __init__(self, cdp: CdpChannel, frame_id: str) -> None:
        self._cdp = cdp
        self._frame_id = frame_id
        self._page_key = ""
        self.page_error = ""
        self.has_failed = asyncio.Event()
        self._loads: dict[str, _Load] = {}
        self._pending: set[str] = set()
        # Addresses of the page and of what its frames showed; more than a page can sensibly have are not listed.
        self.documents: set[str] = set()
        self.has_more_documents = False

    async def open(self) -> None:
        for name, listen in (
            ("requestWillBeSent", self._sent),
            ("responseReceived", self._answered),
            ("loadingFinished", self._finished),
            ("loadingFailed", self._failed),
        ):
            self._cdp.on(f"Network.{name}", listen)
        self._cdp.on("Page.frameNavigated", self._navigated)
        await self._cdp.send("Network.enable", {"maxTotalBufferSize": 50_000_000})

    def is_quiet(self) -> bool:
        """Whether nothing is pending."""
        return not self._pending

    def count(self) -> int:
        """Grows with every event: two equal counts mean that nothing happened between."""
        return len(self._loads) * 2 - len(self._pending)

    async def resources(self, page: tuple[Exchange, ...]) -> tuple[Resource, ...]:
        """Everything that was loaded; bodies that the browser no longer has stay without digest."""
        known = {exchange.url: exchange.body for exchange in page if not exchange.truncation}
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_HASHING_LIMIT_S):
                await asyncio.gather(*(self._hash(key, load, known) for key, load in self._loads.items()))
        return tuple(
            Resource(
                load.url, load.method, load.started_at, load.status_code, load.media_type, load.sha256, load.size,
                load.elapsed_s,
            )
            for load in self._loads.values()
        )  # fmt: skip

    def assets(self, most_bytes: int) -> tuple[Exchange, ...]:
        """What the page loaded, as exchanges for the archive: what scripts asked for first, the smallest first, as much
        as fits; known after `resources`."""
        found = [load for load in self._loads.values() if load.body is not None]
        found.sort(key=lambda load: (load.kind not in _ASKED_BY_SCRIPTS, len(load.body or b"")))
        kept, left = [], most_bytes
        for load in found:
            if load.body is not None and len(load.body) <= left:
                left -= len(load.body)
                kept.append(_exchange(load, load.body))
        return tuple(kept)

    async def _hash(self, key: str, load: _Load, known: dict[str, bytes]) -> None:
        if load.url in known:
            load.sha256, load.size = hashlib.sha256(known[load.url]).hexdigest(), len(known[load.url])
            return
        if not load.is_whole or (load.size or 0) > _LARGEST_HASHED_BYTES:
            return
        with contextlib.suppress(BrowserFault):
            answer = await self._cdp.send("Network.getResponseBody", {"requestId": key.partition(" ")[0]})
            body = base64.b64decode(answer["body"]) if answer["base64Encoded"] else answer["body"].encode()
            load.sha256, load.size = hashlib.sha256(body).hexdigest(), len(body)
            if load.is_asset and len(body) <= _LARGEST_ASSET_BYTES:
                load.body = body

    def _sent(self, event: dict[str, Any]) -> None:
        url = event["request"]["url"]
        key = event["requestId"]
        if event.get("type") == "Document":
            self.has_more_documents = len(self.documents) >= _MOST_DOCUMENTS
            self.documents |= set() if self.has_more_documents else {url}
        if not url.startswith("http") or len(self._loads) >= _MOST_RESOURCES:
            return
        if "redirectResponse" in event and key in self._loads:
            self._note(self._loads[key], event["redirectResponse"])
            self._loads[f"{key} {len(self._loads)}"] = self._loads.pop(key)
        began = datetime.fromtimestamp(event["wallTime"], UTC)
        kind = str(event.get("type", ""))
        self._loads[key] = _Load(url, event["request"]["method"], began, event["timestamp"], kind=kind)
        self._pending.add(key)
        if event.get("type") == "Document" and event.get("frameId") == self._frame_id:
            self._page_key = key

    def _answered(self, event: dict[str, Any]) -> None:
        load = self._loads.get(event["requestId"])
        if load is not None:
            self._note(load, event["response"])
        if event.get("type") == "EventSource":  # never ends
            self._pending.discard(event["requestId"])

    @staticmethod
    def _note(load: _Load, response: dict[str, Any]) -> None:
        load.status_code = int(response["status"]) or None
        load.media_type = str(response.get("mimeType", ""))
        load.headers = tuple((str(name), str(value)) for name, value in response.get("headers", {}).items())

    def _finished(self, event: dict[str, Any]) -> None:
        self._end(event, is_whole=True)

    def _failed(self, event: dict[str, Any]) -> None:
        self._end(event, is_whole=False)
        if event["requestId"] == self._page_key:
            self.page_error = str(event.get("errorText", ""))

    def _navigated(self, event: dict[str, Any]) -> None:
        """The browser shows a page of its own in place of one that could not be loaded."""
        frame = event["frame"]
        if frame["id"] == self._frame_id and frame.get("unreachableUrl"):
            self.page_error = self.page_error or "net::ERR_FAILED"
            self.has_failed.set()

    def _end(self, event: dict[str, Any], *, is_whole: bool) -> None:
        self._pending.discard(event["requestId"])
        load = self._loads.get(event["requestId"])
        if load is not None:
            load.is_whole = is_whole
            load.elapsed_s = max(0.0, event["timestamp"] - load.started_s)
            load.size = int(event["encodedDataLength"]) if "encodedDataLength" in event else load.size


def _exchange(load: _Load, body: bytes) -> Exchange:
    return Exchange(
        url=load.url,
        method=load.method,
        started_at=load.started_at,
        status_code=load.status_code,
        status_text="OK",
        headers=load.headers,
        body=body,
        elapsed_s=load.elapsed_s,
    )


@dataclass(frozen=True, slots=True)
class PageSnapshot:
    """How far a page has loaded, whether it says that more will come, and how much there is of it."""

    ready: str = "loading"
    is_pending: bool = False
    size: tuple[int, ...] = ()
    loads: int = 0
    is_quiet: bool = False


class StabilityCheck:
    """Judges successive snapshots."""

    def __init__(self, settings: Browser, now_s: float) -> None:
        self._settings = settings
        self._last = PageSnapshot()
        self._silent_since_s: float | None = None
        self._same_since_s = now_s

    def is_stable(self, snapshot: PageSnapshot, now_s: float) -> bool:
        """Whether the page is stable, after one more snapshot."""
        if not snapshot.is_quiet:
            self._silent_since_s = None
        elif self._silent_since_s is None or snapshot.loads != self._last.loads:
            self._silent_since_s = now_s
        if snapshot.size != self._last.size or snapshot.ready != self._last.ready:
            self._same_since_s = now_s
        self._last = snapshot
        same_s = now_s - self._same_since_s
        if snapshot.ready == "loading" or snapshot.is_pending:
            return snapshot.ready != "loading" and same_s >= _PENDING_S
        silent_s = 0.0 if self._silent_since_s is None else now_s - self._silent_since_s
        is_silent = (
            snapshot.ready == "complete" and snapshot.is_quiet and min(silent_s, same_s) >= self._settings.quiet_s
        )
        return is_silent or same_s >= _STABLE_S


async def wait_until_stable(
    tab: Tab, world: IsolatedWorld, interceptor: DocumentInterceptor, traffic: Traffic, clock: Clock, settings: Browser
) -> None:
    """Wait until the page is stable, the visit ends, or the limit has passed."""
    stability = StabilityCheck(settings, clock.monotonic())

    async def is_over() -> bool | None:
        if interceptor.ended.is_set() or tab.has_crashed.is_set():
            return True
        snapshot = await _take_snapshot(world, traffic) if interceptor.arrived.is_set() else PageSnapshot()
        return stability.is_stable(snapshot, clock.monotonic()) or None

    await wait_until(is_over, clock, every_s=_POLL_S, limit_s=settings.settle_limit_s)


async def _take_snapshot(world: IsolatedWorld, traffic: Traffic) -> PageSnapshot:
    try:
        ready, is_pending, *size = await world.evaluate(_MEASURE)
    except BrowserFault:
        return PageSnapshot()  # the page is being replaced by another
    return PageSnapshot(str(ready), bool(is_pending), tuple(size), traffic.count(), traffic.is_quiet())
