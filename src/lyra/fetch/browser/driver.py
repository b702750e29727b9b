"""The driver: Patchright connected to a running browser, with a channel of its debugging protocol to each tab.

Patchright is a Playwright that leaves fewer traces in the page; one driver serves every rung. Its errors are translated
here, and only here, into BrowserFault.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from lyra.errors import BrowserFault
from lyra.fetch.browser import machine
from lyra.fetch.browser.storage import KINDS

if TYPE_CHECKING:
    from patchright.async_api import Browser, CDPSession, Page, Playwright

_CLOSE_LIMIT_S = 5.0
_COMMAND_LIMIT_S = 30.0


class CdpChannel:
    """Commands to one tab and the events it sends."""

    def __init__(self, session: "CDPSession") -> None:
        self._session = session

    async def send(self, method: str, values: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer to one command. Raises BrowserFault where the browser refuses it or is gone."""
        with translated(method):
            answer: dict[str, Any] = await self._session.send(method, values or {})
            return answer

    def on(self, event: str, listen: Callable[[dict[str, Any]], None]) -> None:
        self._session.on(event, listen)


class Tab:
    """One tab: windows it opens are closed at once, dialogs are dismissed, downloads are denied."""

    def __init__(self, page: "Page", line: CdpChannel) -> None:
        self._page = page
        self.cdp = line
        self.has_crashed = asyncio.Event()
        page.on("crash", lambda _: self.has_crashed.set())
        line.on("Inspector.targetCrashed", lambda _: self.has_crashed.set())
        page.on("close", lambda _: self.has_crashed.set())
        page.on("popup", _close_quietly)
        page.on("dialog", _dismiss)

    async def close(self) -> bool:
        """Close the tab without asking it; False where the browser does not obey."""
        try:
            with translated("close"):
                async with asyncio.timeout(_CLOSE_LIMIT_S):
                    await self._page.close()
        except (BrowserFault, TimeoutError):
            return False
        return True


class IsolatedWorld:
    """Evaluates expressions in a page where its own scripts neither see nor disturb them."""

    def __init__(self, tab: Tab, frame_id: str) -> None:
        self._cdp = tab.cdp
        self._frame_id = frame_id

    async def evaluate(self, expression: str, *, is_gesture: bool = False) -> Any:
        """The value, with `is_gesture` as if a person had acted. Raises BrowserFault while the page is replaced."""
        world = await self._cdp.send(
            "Page.createIsolatedWorld", {"frameId": self._frame_id, "worldName": "", "grantUniveralAccess": False}
        )
        answer = await self._cdp.send(
            "Runtime.evaluate",
            {
                "expression": expression,
                "contextId": world["executionContextId"],
                "returnByValue": True,
                "userGesture": is_gesture,
            },
        )
        if "exceptionDetails" in answer:
            raise BrowserFault("The page could not be read.")
        return answer["result"].get("value")


class Driver:
    """A connection to one browser."""

    def __init__(self, playwright: "Playwright", browser: "Browser") -> None:
        self._playwright = playwright
        self._browser = browser
        self._clearing_tab: Tab | None = None
        self._clearing = asyncio.Lock()

    @classmethod
    async def connect(cls, endpoint: str) -> "Driver":
        """Connect to the browser that listens there."""
        playwright = await _start()
        driver: Driver | None = None
        try:
            with translated("connect"):
                browser = await playwright.chromium.connect_over_cdp(endpoint, timeout=_COMMAND_LIMIT_S * 1000)
                await _deny_downloads(browser)
            driver = cls(playwright, browser)
            return driver
        finally:
            if driver is None:
                await playwright.stop()

    @property
    def is_connected(self) -> bool:
        return self._browser.is_connected()

    async def new_tab(self) -> Tab:
        """A tab of the profile's own context, so that its cookies live on."""
        with translated("new tab"):
            async with asyncio.timeout(_COMMAND_LIMIT_S):
                context = self._browser.contexts[0]
                page = await context.new_page()
                tab = Tab(page, CdpChannel(await context.new_cdp_session(page)))
                await tab.cdp.send("Inspector.enable")  # or nobody is told of a crash
                return tab

    async def clear_stored(self, keys: tuple[str, ...]) -> bool:
        """Remove what pages have stored under these keys, from an empty tab of our own; False where that failed."""
        if not keys:
            return True
        try:
            async with asyncio.timeout(_CLOSE_LIMIT_S), self._clearing:
                tab = self._clearing_tab = self._clearing_tab or await self.new_tab()
                for key in keys:
                    await tab.cdp.send("Storage.clearDataForStorageKey", {"storageKey": key, "storageTypes": KINDS})
        except (BrowserFault, TimeoutError):
            return False
        return True

    async def close(self) -> None:
        """Hang up; the browser itself goes on."""
        if self._clearing_tab is not None and self.is_connected:
            await self._clearing_tab.close()
        with contextlib.suppress(BrowserFault, TimeoutError), translated("close"):
            async with asyncio.timeout(_CLOSE_LIMIT_S):
                await self._browser.close()
        with contextlib.suppress(BrowserFault, TimeoutError), translated("stop"):
            async with asyncio.timeout(_CLOSE_LIMIT_S):
                await self._playwright.stop()


async def _deny_downloads(browser: "Browser") -> None:
    session = await browser.new_browser_cdp_session()
    await session.send("Browser.setDownloadBehavior", {"behavior": "deny"})
    await session.detach()


async def _start() -> "Playwright":
    machine.require_driver()
    from patchright.async_api import async_playwright

    try:
        return await async_playwright().start()
    except OSError as exc:
        raise BrowserFault(
            f"The driver of the browser could not be started: {exc}.", remedy="Install Lyra again (`make setup`)."
        ) from exc


async def _close_quietly(page: "Page") -> None:
    with contextlib.suppress(BrowserFault), translated("close"):
        await page.close()


async def _dismiss(dialog: Any) -> None:
    with contextlib.suppress(BrowserFault), translated("dismiss"):
        await dialog.dismiss()


@contextlib.contextmanager
def translated(command: str) -> Iterator[None]:
    """Raise what the driver says as BrowserFault."""
    from patchright.async_api import Error

    try:
        yield
    except (Error, IndexError) as exc:
        words = str(exc).split("\n", 1)[0][:200]
        raise BrowserFault(f"The browser did not do {command}: {words}.", remedy="Try again.") from exc
