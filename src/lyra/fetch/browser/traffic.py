"""What a tab loads: every request with its answer, what is still under way, and the digests of the bodies."""

import asyncio
import base64
import contextlib
import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lyra.errors import BrowserFault
from lyra.fetch.browser.driver import Line
from lyra.model.archive import Exchange, Resource

_MOST_RESOURCES = 500
_LARGEST_HASHED_BYTES = 10_000_000
_HASHING_LIMIT_S = 4.0


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


class Traffic:
    """Listens to one tab's network. `has_failed` is set when the page itself could not be had, for `page_error`."""

    def __init__(self, line: Line, frame_id: str) -> None:
        self._line = line
        self._frame_id = frame_id
        self._page_key = ""
        self.page_error = ""
        self.has_failed = asyncio.Event()
        self._loads: dict[str, _Load] = {}
        self._under_way: set[str] = set()

    async def open(self) -> None:
        for name, listen in (
            ("requestWillBeSent", self._sent),
            ("responseReceived", self._answered),
            ("loadingFinished", self._finished),
            ("loadingFailed", self._failed),
        ):
            self._line.on(f"Network.{name}", listen)
        self._line.on("Page.frameNavigated", self._navigated)
        await self._line.send("Network.enable", {"maxTotalBufferSize": 50_000_000})

    def is_quiet(self) -> bool:
        """Whether nothing is under way."""
        return not self._under_way

    def count(self) -> int:
        """Grows with every event: two equal counts mean that nothing happened between."""
        return len(self._loads) * 2 - len(self._under_way)

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

    async def _hash(self, key: str, load: _Load, known: dict[str, bytes]) -> None:
        if load.url in known:
            load.sha256, load.size = hashlib.sha256(known[load.url]).hexdigest(), len(known[load.url])
            return
        if not load.is_whole or (load.size or 0) > _LARGEST_HASHED_BYTES:
            return
        with contextlib.suppress(BrowserFault):
            answer = await self._line.send("Network.getResponseBody", {"requestId": key.partition(" ")[0]})
            body = base64.b64decode(answer["body"]) if answer["base64Encoded"] else answer["body"].encode()
            load.sha256, load.size = hashlib.sha256(body).hexdigest(), len(body)

    def _sent(self, event: dict[str, Any]) -> None:
        url = event["request"]["url"]
        key = event["requestId"]
        if not url.startswith("http") or len(self._loads) >= _MOST_RESOURCES:
            return
        if "redirectResponse" in event and key in self._loads:
            self._note(self._loads[key], event["redirectResponse"])
            self._loads[f"{key} {len(self._loads)}"] = self._loads.pop(key)
        began = datetime.fromtimestamp(event["wallTime"], UTC)
        self._loads[key] = _Load(url, event["request"]["method"], began, event["timestamp"])
        self._under_way.add(key)
        if event.get("type") == "Document" and event.get("frameId") == self._frame_id:
            self._page_key = key

    def _answered(self, event: dict[str, Any]) -> None:
        load = self._loads.get(event["requestId"])
        if load is not None:
            self._note(load, event["response"])
        if event.get("type") == "EventSource":  # never ends
            self._under_way.discard(event["requestId"])

    @staticmethod
    def _note(load: _Load, response: dict[str, Any]) -> None:
        load.status_code = int(response["status"]) or None
        load.media_type = str(response.get("mimeType", ""))

    def _finished(self, event: dict[str, Any]) -> None:
        self._end(event, is_whole=True)

    def _failed(self, event: dict[str, Any]) -> None:
        self._end(event, is_whole=False)
        if event["requestId"] == self._page_key:
            self.page_error = str(event.get("errorText", ""))

    def _navigated(self, event: dict[str, Any]) -> None:
        """The browser shows a page of its own in place of one that it could not have."""
        frame = event["frame"]
        if frame["id"] == self._frame_id and frame.get("unreachableUrl"):
            self.page_error = self.page_error or "net::ERR_FAILED"
            self.has_failed.set()

    def _end(self, event: dict[str, Any], *, is_whole: bool) -> None:
        self._under_way.discard(event["requestId"])
        load = self._loads.get(event["requestId"])
        if load is not None:
            load.is_whole = is_whole
            load.elapsed_s = max(0.0, event["timestamp"] - load.started_s)
            load.size = int(event["encodedDataLength"]) if "encodedDataLength" in event else load.size
