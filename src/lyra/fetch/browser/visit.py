"""One visit in one tab: go there, let the page come to rest, and take down what is to be seen. It always ends."""

import asyncio
import base64
import contextlib
import json
from collections.abc import Mapping
from dataclasses import replace

from lyra.clock import Chance, Clock
from lyra.errors import BrowserFault
from lyra.fetch import challenge
from lyra.fetch.browser import human, net_errors
from lyra.fetch.browser.blocking import TYPES
from lyra.fetch.browser.devtools import read_cookie, written_cookie
from lyra.fetch.browser.driver import Tab
from lyra.fetch.browser.settling import Window, settle
from lyra.fetch.browser.sight import Follow, Plan, Sight
from lyra.fetch.browser.tap import Tap
from lyra.fetch.browser.traffic import Traffic
from lyra.fetch.sessions import Cookie
from lyra.model.page import FetchOutcome
from lyra.settings import Settings
from lyra.urls import host_of, registrable_domain

_NO_PRINTING = "window.print = function print() {};"
# The page as it stands, unless it is too large to carry; null says so.
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


class Visit:
    """The parts of one visit and its steps; a new one for each."""

    def __init__(self, tab: Tab, plan: Plan, follow: Follow, settings: Settings, clock: Clock, chance: Chance) -> None:
        self._tab = tab
        self._line = tab.line
        self._plan = plan
        self._follow = follow
        self._settings = settings
        self._clock = clock
        self._chance = chance
        self._html: bytes | None = None

    async def run(self) -> Sight:
        """See the page. Raises BrowserFault where the tab or the browser is lost; everything else is in the sight."""
        begun_s = self._clock.monotonic()
        frame_id = await self._frame_id()
        window = Window(self._tab, frame_id)
        tap = self._new_tap(frame_id)
        self._traffic = Traffic(self._line, frame_id)
        try:
            async with asyncio.timeout(max(0.05, self._plan.timeout_s)):
                failure = await self._see(tap, window)
        except TimeoutError:
            failure = None if self._html is not None else self._late(tap)
        finally:
            await tap.close()
        failure = tap.failure or failure
        answers = tap.answers()
        sight = Sight(
            exchanges=answers,
            url=answers[-1].url if answers else self._plan.url,
            # What is there to be read is not given up for a page to which it would lead later.
            leads_to=tap.leads_to if self._html is None else None,
            failure=failure[0] if failure else None,
            reason=failure[1] if failure else None,
        )
        if failure is None:
            sight = await self._taken_down(sight, window)
        return replace(sight, elapsed_s=self._clock.monotonic() - begun_s)

    async def _taken_down(self, sight: Sight, window: Window) -> Sight:
        """What is worth keeping of a visit that went well; each part has its limit, and none can spoil the others."""
        cookies = await self._cookies(sight.url)
        if self._html is None:
            return replace(sight, cookies=cookies)
        return replace(
            sight,
            html=self._html,
            cookies=cookies,
            screenshot=await self._picture() if self._settings.browser.takes_screenshots else None,
            resources=await self._traffic.resources(sight.exchanges),
            language=await self._language(window),
        )

    def _new_tap(self, frame_id: str) -> Tap:
        network = self._settings.network
        return Tap(
            self._line,
            frame_id,
            self._plan,
            self._follow,
            self._clock,
            max_bytes=network.max_body_bytes,
            max_redirects=network.max_redirects,
            refused=tuple(kind for name in self._settings.browser.blocked for kind in TYPES[name]),
        )

    async def _frame_id(self) -> str:
        try:
            async with asyncio.timeout(_PART_LIMIT_S):
                await self._line.send("Page.enable")
                tree = await self._line.send("Page.getFrameTree")
        except TimeoutError as exc:
            raise BrowserFault("The browser does not answer.", remedy="See `lyra browser diagnose`.") from exc
        return str(tree["frameTree"]["frame"]["id"])

    async def _see(self, tap: Tap, window: Window) -> tuple[FetchOutcome, str] | None:
        await self._prepare(tap, window)
        failure = await self._go(tap, window)
        if failure is not None or tap.ended.is_set():
            return failure
        await settle(self._tab, window, tap, self._traffic, self._clock, self._settings.browser)
        if self._plan.is_humane and not tap.ended.is_set():
            await self._behave(window)
        if not tap.ended.is_set():
            await self._read_at_rest(tap, window)
            await self._wait_out_challenge(tap, window)
        if self._tab.has_crashed.is_set():
            raise BrowserFault("The page crashed during the visit.")
        if self._html is None and not tap.ended.is_set():
            limit = self._settings.network.max_body_bytes
            return FetchOutcome.TOO_LARGE, f"The page as it stands is larger than {limit} bytes."
        return None

    async def _prepare(self, tap: Tap, window: Window) -> None:
        await tap.open()
        await self._line.send("Network.setBypassServiceWorker", {"bypass": True})
        await self._line.send("Page.addScriptToEvaluateOnNewDocument", {"source": _NO_PRINTING})
        if self._plan.cookies:
            cookies = [written_cookie(cookie) for cookie in self._plan.cookies]
            await self._line.send("Network.setCookies", {"cookies": cookies})
        if self._plan.referer:
            tap.is_setting_out = True
            await self._line.send("Page.navigate", {"url": self._plan.referer})
            tap.is_setting_out = False
        await self._traffic.open()

    async def _go(self, tap: Tap, window: Window) -> tuple[FetchOutcome, str] | None:
        """Begin, and wait for the first answer of the page itself, or for the end."""
        going = asyncio.create_task(self._begin(window))
        events = (tap.ended, tap.arrived, self._tab.has_crashed, self._traffic.has_failed)
        stops = [asyncio.create_task(event.wait()) for event in events]
        try:
            await asyncio.wait([going, *stops], return_when=asyncio.FIRST_COMPLETED)
            error = going.result() if going.done() and not self._tab.has_crashed.is_set() else ""
            # What the tap stops shows up here as aborted, a moment before it says so itself.
            if not error or "ABORTED" in error:
                await asyncio.wait(stops, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (going, *stops):
                task.cancel()
            await asyncio.gather(going, *stops, return_exceptions=True)
        if self._tab.has_crashed.is_set():
            raise BrowserFault("The page crashed during the visit.")
        if tap.ended.is_set() or tap.arrived.is_set():
            return None
        return net_errors.explain(self._traffic.page_error or error, host_of(self._plan.url))

    async def _begin(self, window: Window) -> str:
        """Go as a reader goes who follows a link, or types an address; what the browser says where it cannot."""
        if self._plan.referer:
            await window.see(f"void (location.href = {json.dumps(self._plan.url)})", is_gesture=True)
            return ""
        answer = await self._line.send("Page.navigate", {"url": self._plan.url})
        return str(answer.get("errorText") or "")

    async def _behave(self, window: Window) -> None:
        """Look through the page like a reader; a page that does not keep up is simply left alone."""
        with contextlib.suppress(BrowserFault, TimeoutError):
            async with asyncio.timeout(_GESTURES_LIMIT_S):
                width, height, below = await window.see(_SIZES)
                for step in human.reading(float(width), float(height), float(below), self._chance):
                    await self._gesture(step)

    async def _gesture(self, step: human.Step) -> None:
        event: dict[str, object] = {"type": "mouseMoved", "x": step.at.x, "y": step.at.y}
        if step.wheel_px:
            event |= {"type": "mouseWheel", "deltaX": 0, "deltaY": step.wheel_px}
        await self._line.send("Input.dispatchMouseEvent", event)
        await self._clock.sleep(step.pause_s)

    async def _read_at_rest(self, tap: Tap, window: Window) -> None:
        """Read, and where the page is just being replaced by another, wait for that one."""
        for _ in range(_READ_ATTEMPTS):
            with contextlib.suppress(BrowserFault):
                await self._read(window)
                return
            if tap.ended.is_set() or self._tab.has_crashed.is_set():
                return
            await settle(self._tab, window, tap, self._traffic, self._clock, self._settings.browser)
        raise BrowserFault("The page could not be read: it changes all the time.")

    async def _read(self, window: Window) -> None:
        limit = self._settings.network.max_body_bytes
        markup = await window.see(_MARKUP.replace("{limit}", str(limit)))
        body = markup.encode("utf-8", "replace") if isinstance(markup, str) else b""
        self._html = body if 0 < len(body) <= limit else None

    async def _wait_out_challenge(self, tap: Tap, window: Window) -> None:
        """Some checks pass by themselves in a real browser: give them their time, and read what comes after."""
        begun_s = self._clock.monotonic()
        while (
            await self._is_challenged(tap)
            and self._clock.monotonic() - begun_s < self._settings.browser.challenge_wait_s
        ):
            await self._clock.sleep(_CHALLENGE_POLL_S)
            if tap.ended.is_set() or self._tab.has_crashed.is_set():
                return
            with contextlib.suppress(BrowserFault):
                await settle(self._tab, window, tap, self._traffic, self._clock, self._settings.browser)
                await self._read(window)

    async def _is_challenged(self, tap: Tap) -> bool:
        answers = tap.answers()
        if self._html is None or not answers:
            return False
        last = answers[-1]
        headers: Mapping[str, str] = {name.lower(): value for name, value in last.headers}
        found = await asyncio.to_thread(challenge.recognise, last.status_code or 200, headers, self._html)
        return found is not None and challenge.is_script_gate(found.name)

    def _late(self, tap: Tap) -> tuple[FetchOutcome, str]:
        what = "come to rest" if tap.exchanges else "answered"
        return FetchOutcome.TIMED_OUT, f"{host_of(self._plan.url)} has not {what} within {self._plan.timeout_s:.0f} s."

    async def _picture(self) -> bytes | None:
        """The page from top to bottom as PNG, up to a sensible height; None where it cannot be painted in time."""
        try:
            async with asyncio.timeout(_PART_LIMIT_S):
                size = (await self._line.send("Page.getLayoutMetrics"))["cssContentSize"]
                clip = {"x": 0, "y": 0, "scale": 1, "width": min(max(1, size["width"]), 4_000)}
                clip["height"] = min(max(1, size["height"]), _TALLEST_PX)
                shot = await self._line.send(
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
                found = (await self._line.send("Storage.getCookies"))["cookies"]
        except (BrowserFault, TimeoutError):
            return ()
        cookies = (read_cookie(one) for one in found)
        return tuple(one for one in cookies if registrable_domain(one.domain.lstrip(".")) == domain)

    async def _language(self, window: Window) -> str:
        try:
            async with asyncio.timeout(_PART_LIMIT_S):
                return ",".join(await window.see("Array.from(navigator.languages)"))
        except (BrowserFault, TimeoutError, TypeError):
            return ""
