"""One visit in one tab: open the address, wait until the page is stable, and record it. It always ends."""

import asyncio
import base64
import contextlib
import json
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from lyra.clock import Chance, Clock, wait_until
from lyra.errors import BrowserFault
from lyra.fetch import challenge
from lyra.fetch.browser import human
from lyra.fetch.browser.devtools import cookie_fields, read_cookie
from lyra.fetch.browser.driver import IsolatedWorld, Tab
from lyra.fetch.browser.interceptor import DocumentInterceptor, MayFollow, VisitRequest
from lyra.fetch.browser.loading import Traffic, wait_until_stable
from lyra.fetch.browser.storage import storage_keys
from lyra.fetch.network_errors import explain_chrome, is_chrome_unreachable
from lyra.fetch.sessions import Cookie
from lyra.model.archive import Exchange, Resource
from lyra.model.page import FetchOutcome
from lyra.settings import Settings
from lyra.urls import host_of, registrable_domain

T = TypeVar("T")
_NO_PRINTING = "window.print = function print() {};"
# The current page; null where it is too large.
_MARKUP = (
    "(limit => { const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) + '\\n' : '';"
    " const html = type + (document.documentElement ? document.documentElement.outerHTML : '');"
    " return html.length > limit ? null : html; })({limit})"
)
_SIZES = "[innerWidth, innerHeight, document.documentElement.scrollHeight - innerHeight]"
_TALLEST_PX = 8_000
_PART_LIMIT_S = 6.0
_READ_ATTEMPTS = 3
_GESTURES_LIMIT_S = 6.0
_CHALLENGE_POLL_S = 0.5
# How the debugging protocol names the kinds of things that may be blocked; ads are blocked by the egress proxy.
_RESOURCE_TYPES = {"images": ("Image",), "media": ("Media",), "fonts": ("Font",), "ads": ()}


@dataclass(frozen=True, slots=True)
class VisitResult:
    """What a visit found: every answer for the page itself in order, and the page as it was at the end.

    `html` is None where the answer was no page to render; `leads_to` is an address the visit did not follow. `assets`
    are what is archived of the `resources`.
    """

    exchanges: tuple[Exchange, ...]
    url: str
    html: bytes | None = None
    leads_to: str | None = None
    resources: tuple[Resource, ...] = ()
    assets: tuple[Exchange, ...] = ()
    screenshot: bytes | None = None
    cookies: tuple[Cookie, ...] = field(default=(), repr=False)
    language: str = ""
    elapsed_s: float = 0.0
    failure: FetchOutcome | None = None
    reason: str | None = None
    is_unreachable: bool = False


class PageVisit:
    """The steps of one visit; used once. `stored_keys` say afterwards what must be cleared from the profile."""

    def __init__(
        self, tab: Tab, request: VisitRequest, may_follow: MayFollow, settings: Settings, clock: Clock, chance: Chance
    ) -> None:
        self._tab = tab
        self._cdp = tab.cdp
        self._request = request
        self._may_follow = may_follow
        self._settings = settings
        self._clock = clock
        self._chance = chance
        self._html: bytes | None = None
        self._is_unreachable = False
        self.stored_keys: tuple[str, ...] = ()
        self.has_unknown_stores = False

    async def run(self) -> VisitResult:
        """Visit the page. Raises BrowserFault where tab or browser are lost; all other failures are in the result."""
        begun_s = self._clock.monotonic()
        frame_id = await self._frame_id()
        self._world = IsolatedWorld(self._tab, frame_id)
        self._interceptor = interceptor = self._new_interceptor(frame_id)
        self._traffic = Traffic(self._cdp, frame_id)
        try:
            async with asyncio.timeout(max(0.05, self._request.timeout_s)):
                failure = await self._unless_crashed(self._open_and_read())
        except TimeoutError:
            failure = None if self._html is not None else self._timed_out()
        finally:
            await interceptor.close()
            self._find_stored()
        failure = interceptor.failure or failure
        answers = interceptor.answers()
        result = VisitResult(
            exchanges=answers,
            url=answers[-1].url if answers else self._request.url,
            # What is there to be read is not given up for a page to which it would lead later.
            leads_to=interceptor.leads_to if self._html is None else None,
            failure=failure[0] if failure else None,
            reason=failure[1] if failure else None,
            is_unreachable=self._is_unreachable,
        )
        if failure is None:
            result = await self._unless_crashed(self._with_captures(result))
        return replace(result, elapsed_s=self._clock.monotonic() - begun_s)

    async def _with_captures(self, result: VisitResult) -> VisitResult:
        """The result with cookies, screenshot and resources; each part has its own limit and may be missing."""
        cookies = await self._cookies(result.url)
        if self._html is None:
            return replace(result, cookies=cookies)
        return replace(
            result,
            html=self._html,
            cookies=cookies,
            screenshot=await self._screenshot() if self._settings.browser.takes_screenshots else None,
            resources=await self._traffic.resources(result.exchanges),
            assets=self._traffic.assets(int(self._settings.archive.page_assets_mb * 1e6)),
            language=await self._language(),
        )

    def _new_interceptor(self, frame_id: str) -> DocumentInterceptor:
        network = self._settings.network
        return DocumentInterceptor(
            self._cdp,
            frame_id,
            self._request,
            self._may_follow,
            self._clock,
            max_bytes=network.max_body_bytes,
            max_redirects=network.max_redirects,
            refused=tuple(kind for name in self._settings.browser.blocked for kind in _RESOURCE_TYPES[name]),
        )

    async def _unless_crashed(self, reading: Coroutine[Any, Any, T]) -> T:
        """What the page is read to be; a page that crashes answers nothing any more, so nobody waits for it."""
        read, crash = asyncio.create_task(reading), asyncio.create_task(self._tab.has_crashed.wait())
        try:
            await asyncio.wait((read, crash), return_when=asyncio.FIRST_COMPLETED)
            if self._tab.has_crashed.is_set():
                raise BrowserFault("The page crashed during the visit.")
            return read.result()
        finally:
            read.cancel()
            crash.cancel()
            await asyncio.gather(read, crash, return_exceptions=True)

    def _find_stored(self) -> None:
        """Note where the pages of the visit may have stored anything: nowhere before one was given to the browser."""
        if self._interceptor.has_delivered:
            pages = dict.fromkeys(answer.url for answer in self._interceptor.answers())
            keys = (key for page in pages for key in storage_keys(page, self._traffic.documents))
            self.stored_keys = tuple(dict.fromkeys(keys))
            self.has_unknown_stores = self._traffic.has_more_documents

    async def _frame_id(self) -> str:
        try:
            async with asyncio.timeout(_PART_LIMIT_S):
                await self._cdp.send("Page.enable")
                tree = await self._cdp.send("Page.getFrameTree")
        except TimeoutError as exc:
            raise BrowserFault("The browser does not answer.", remedy="See `lyra browser diagnose`.") from exc
        return str(tree["frameTree"]["frame"]["id"])

    async def _open_and_read(self) -> tuple[FetchOutcome, str] | None:
        await self._prepare()
        failure = await self._navigate()
        if failure is not None or self._interceptor.ended.is_set():
            return failure
        await self._wait_until_stable()
        if self._request.acts_like_a_person and not self._interceptor.ended.is_set():
            await self._act_like_a_person()
        if not self._interceptor.ended.is_set():
            await self._read_when_stable()
            await self._wait_out_challenge()
        if self._html is None and not self._interceptor.ended.is_set():
            limit = self._settings.network.max_body_bytes
            return FetchOutcome.TOO_LARGE, f"The rendered page is larger than {limit} bytes."
        return None

    async def _prepare(self) -> None:
        await self._interceptor.open()
        await self._cdp.send("Network.setBypassServiceWorker", {"bypass": True})
        await self._cdp.send("Page.addScriptToEvaluateOnNewDocument", {"source": _NO_PRINTING})
        if self._request.cookies:
            cookies = [cookie_fields(cookie) for cookie in self._request.cookies]
            await self._cdp.send("Network.setCookies", {"cookies": cookies})
        if self._request.referer:
            self._interceptor.is_at_referer = True
            await self._cdp.send("Page.navigate", {"url": self._request.referer})
            self._interceptor.is_at_referer = False
        await self._traffic.open()

    async def _navigate(self) -> tuple[FetchOutcome, str] | None:
        """Begin, and wait for the first answer of the page itself, or for the end."""
        starting = asyncio.create_task(self._start_navigation())
        events = (self._interceptor.ended, self._interceptor.arrived, self._tab.has_crashed, self._traffic.has_failed)
        stops = [asyncio.create_task(event.wait()) for event in events]
        try:
            await asyncio.wait([starting, *stops], return_when=asyncio.FIRST_COMPLETED)
            error = starting.result() if starting.done() and not self._tab.has_crashed.is_set() else ""
            # What the interceptor stops shows up here as aborted, a moment before it says so itself.
            if not error or "ABORTED" in error:
                await asyncio.wait(stops, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (starting, *stops):
                task.cancel()
            await asyncio.gather(starting, *stops, return_exceptions=True)
        if self._tab.has_crashed.is_set():
            raise BrowserFault("The page crashed during the visit.")
        if self._interceptor.ended.is_set() or self._interceptor.arrived.is_set():
            return None
        said = self._traffic.page_error or error
        self._is_unreachable = is_chrome_unreachable(said)
        return explain_chrome(said, host_of(self._request.url))

    async def _start_navigation(self) -> str:
        """Navigate as a reader who follows a link, or types an address; returns the browser's error, or nothing."""
        if self._request.referer:
            await self._world.evaluate(f"void (location.href = {json.dumps(self._request.url)})", is_gesture=True)
            return ""
        answer = await self._cdp.send("Page.navigate", {"url": self._request.url})
        return str(answer.get("errorText") or "")

    async def _act_like_a_person(self) -> None:
        """Move and scroll like a reader; a page that is too slow for that is left alone."""
        with contextlib.suppress(BrowserFault, TimeoutError):
            async with asyncio.timeout(_GESTURES_LIMIT_S):
                width, height, below = await self._world.evaluate(_SIZES)
                for step in human.reading(float(width), float(height), float(below), self._chance):
                    await self._gesture(step)

    async def _gesture(self, step: human.PointerStep) -> None:
        event: dict[str, object] = {"type": "mouseMoved", "x": step.at.x, "y": step.at.y}
        if step.wheel_px:
            event |= {"type": "mouseWheel", "deltaX": 0, "deltaY": step.wheel_px}
        await self._cdp.send("Input.dispatchMouseEvent", event)
        await self._clock.sleep(step.pause_s)

    async def _read_when_stable(self) -> None:
        """Read, and where the page is just being replaced by another, wait for that one."""
        for _ in range(_READ_ATTEMPTS):
            with contextlib.suppress(BrowserFault):
                await self._read()
                return
            if self._is_ended():
                return
            await self._wait_until_stable()
        raise BrowserFault("The page could not be read: it changes all the time.")

    async def _read(self) -> None:
        limit = self._settings.network.max_body_bytes
        markup = await self._world.evaluate(_MARKUP.replace("{limit}", str(limit)))
        body = markup.encode("utf-8", "replace") if isinstance(markup, str) else b""
        self._html = body if 0 < len(body) <= limit else None

    async def _wait_out_challenge(self) -> None:
        """Some challenges pass by themselves in a real browser: wait for that, and read what comes after."""
        if not await self._is_challenged():
            return

        async def is_over() -> bool | None:
            with contextlib.suppress(BrowserFault):
                await self._wait_until_stable()
                if not self._is_ended():
                    await self._read()
            return self._is_ended() or not await self._is_challenged() or None

        limit_s = self._settings.browser.challenge_wait_s
        await wait_until(is_over, self._clock, every_s=_CHALLENGE_POLL_S, limit_s=limit_s)

    async def _wait_until_stable(self) -> None:
        settings = self._settings.browser
        await wait_until_stable(self._tab, self._world, self._interceptor, self._traffic, self._clock, settings)

    async def _is_challenged(self) -> bool:
        answers = self._interceptor.answers()
        if self._html is None or not answers:
            return False
        last = answers[-1]
        headers: Mapping[str, str] = {name.lower(): value for name, value in last.headers}
        found = await asyncio.to_thread(challenge.recognise, last.status_code or 200, headers, self._html)
        return found is not None and challenge.is_script_gate(found.name)

    def _is_ended(self) -> bool:
        return self._interceptor.ended.is_set() or self._tab.has_crashed.is_set()

    def _timed_out(self) -> tuple[FetchOutcome, str]:
        what = "come to rest" if self._interceptor.exchanges else "answered"
        return (
            FetchOutcome.TIMED_OUT,
            f"{host_of(self._request.url)} has not {what} within {self._request.timeout_s:.0f} s.",
        )

    async def _screenshot(self) -> bytes | None:
        """The page from top to bottom as PNG, up to a sensible height; None where it cannot be painted in time."""
        try:
            async with asyncio.timeout(_PART_LIMIT_S):
                size = (await self._cdp.send("Page.getLayoutMetrics"))["cssContentSize"]
                clip = {"x": 0, "y": 0, "scale": 1, "width": min(max(1, size["width"]), 4_000)}
                clip["height"] = min(max(1, size["height"]), _TALLEST_PX)
                shot = await self._cdp.send(
                    "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip}
                )
                return base64.b64decode(shot["data"])
        except (BrowserFault, TimeoutError):
            return None

    async def _cookies(self, url: str) -> tuple[Cookie, ...]:
        """The cookies of the domain that was visited, and of no other."""
        domain = registrable_domain(url)
        try:
            async with asyncio.timeout(_PART_LIMIT_S):
                found = (await self._cdp.send("Storage.getCookies"))["cookies"]
        except (BrowserFault, TimeoutError):
            return ()
        cookies = (read_cookie(one) for one in found)
        return tuple(one for one in cookies if registrable_domain(one.domain.lstrip(".")) == domain)

    async def _language(self) -> str:
        try:
            async with asyncio.timeout(_PART_LIMIT_S):
                return ",".join(await self._world.evaluate("Array.from(navigator.languages)"))
        except (BrowserFault, TimeoutError, TypeError):
            return ""
