"""The tab pool of one browser: starts it at the first visit, shares its tabs, replaces it when it breaks, ends it."""

import asyncio
import contextlib
import os
import signal

from lyra.clock import Chance, Clock
from lyra.errors import BrowserFault, ChromeNotReady
from lyra.fetch.browser import machine, memory
from lyra.fetch.browser.chrome import Chrome
from lyra.fetch.browser.driver import Driver, Tab
from lyra.fetch.browser.flags import Mode
from lyra.fetch.browser.interceptor import MayFollow, VisitRequest
from lyra.fetch.browser.visit import PageVisit, VisitResult
from lyra.model.page import FetchOutcome
from lyra.settings import Settings

# A browser that could not be started is not tried again for every page.
_RETRY_START_S = 60.0
_IDLE_POLL_S = 15.0
# A script can take a gigabyte in a second; the visits of another process that has joined are watched too, less often.
_MEMORY_POLL_S = 0.2
_MEMORY_IDLE_POLL_S = 1.0


class BrowserPool:
    """Visits in tabs of one browser; with a window, one at a time."""

    def __init__(self, settings: Settings, mode: Mode, clock: Clock, chance: Chance) -> None:
        self._settings = settings
        self._mode: Mode = mode
        self._clock = clock
        self._chance = chance
        self._slots = asyncio.Semaphore(settings.browser.tabs if mode == "headless" else 1)
        self._opening = asyncio.Lock()
        self._chrome: Chrome | None = None
        self._driver: Driver | None = None
        self._idle: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._visiting = 0
        self._overruns = 0
        self._is_worn = False
        self._last_s = 0.0
        self._failure: ChromeNotReady | None = None
        self._failed_s = 0.0

    @property
    def user_agent(self) -> str:
        """The name the browser gives to sites; empty until it has been started."""
        return self._chrome.user_agent if self._chrome else ""

    @property
    def pid(self) -> int | None:
        """The process of the browser while there is one."""
        return self._chrome.pid if self._chrome else None

    async def visit(self, request: VisitRequest, may_follow: MayFollow) -> VisitResult:
        """Visit in a tab of its own. Raises ChromeNotReady where no browser can be had, BrowserFault where it broke."""
        async with self._slots:
            self._visiting += 1
            overruns = self._overruns
            try:
                return await self._in_tab(await self._new_tab(), request, may_follow)
            except BrowserFault:
                if overruns == self._overruns:
                    raise
                return self._took_too_much(request)
            finally:
                self._visiting -= 1
                self._last_s = self._clock.monotonic()
                if self._is_worn and not self._visiting:
                    await self._replace()

    async def close(self) -> None:
        """End the browser, if one was started, and everything around it."""
        for task in (self._idle, self._watching):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        self._idle = self._watching = None
        async with self._opening:
            await self._drop()

    async def _in_tab(self, tab: Tab, request: VisitRequest, may_follow: MayFollow) -> VisitResult:
        visit = PageVisit(tab, request, may_follow, self._settings, self._clock, self._chance)
        try:
            return await visit.run()
        finally:
            if not await tab.close():
                await self._replace()
            elif visit.has_unknown_stores or not await self._clear(visit.stored_keys):
                self._is_worn = True

    async def _clear(self, keys: tuple[str, ...]) -> bool:
        return self._driver is None or await self._driver.clear_stored(keys)

    def _took_too_much(self, request: VisitRequest) -> VisitResult:
        limit = self._settings.browser.max_memory_mb
        reason = f"The page made the browser take more memory than {limit} MB (browser.max_memory_mb)."
        return VisitResult((), request.url, failure=FetchOutcome.TOO_LARGE, reason=reason)

    async def _new_tab(self) -> Tab:
        """A fresh tab; a browser that died since the last visit is replaced, once."""
        try:
            return await (await self._open()).new_tab()
        except (BrowserFault, TimeoutError):
            await self._replace()
        try:
            return await (await self._open()).new_tab()
        except TimeoutError as exc:
            raise BrowserFault("The browser does not open tabs.", remedy="See `lyra browser diagnose`.") from exc

    async def _open(self) -> Driver:
        async with self._opening:
            if self._driver is not None and self._chrome is not None:
                if self._driver.is_connected and self._chrome.is_running():
                    return self._driver
                await self._drop()
            self._check_recent_failure()
            try:
                machine.require_driver()
                self._chrome = await Chrome.start(self._settings, self._mode, self._clock)
                self._driver = await Driver.connect(self._chrome.endpoint)
            except ChromeNotReady as exc:
                self._failure, self._failed_s = exc, self._clock.monotonic()
                await self._drop()
                raise
            self._failure = None
            if self._idle is None:
                self._idle = asyncio.create_task(self._end_when_idle())
            if self._watching is None:
                self._watching = asyncio.create_task(self._watch_memory())
            return self._driver

    def _check_recent_failure(self) -> None:
        if self._failure is not None and self._clock.monotonic() - self._failed_s < _RETRY_START_S:
            raise self._failure

    async def _replace(self) -> None:
        """Do away with a browser that does not obey; the next visit starts another."""
        async with self._opening:
            await self._drop(at_once=True)

    async def _drop(self, *, at_once: bool = False) -> None:
        driver, chrome = self._driver, self._chrome
        self._driver = self._chrome = None
        self._is_worn = False
        if driver is not None:
            await driver.close()
        if chrome is not None:
            await chrome.close(at_once=at_once)

    async def _end_when_idle(self) -> None:
        limit_s = self._settings.browser.idle_exit_s
        while True:
            await self._clock.sleep(min(limit_s, _IDLE_POLL_S))
            is_idle = not self._visiting and self._clock.monotonic() - self._last_s >= limit_s
            if self._chrome is None or not is_idle:
                continue
            async with self._opening:
                if not self._visiting and not await self._is_in_use():
                    await self._drop()

    async def _watch_memory(self) -> None:
        """End the process that takes too much; one that shows no page takes all with it."""
        limit_bytes = self._settings.browser.max_memory_mb * 1_000_000
        while True:
            await self._clock.sleep(_MEMORY_POLL_S if self._visiting else _MEMORY_IDLE_POLL_S)
            chrome = self._chrome
            if chrome is None or not chrome.is_own or chrome.pid is None:
                continue
            held = await asyncio.to_thread(memory.of_group, chrome.pid)
            found = memory.largest_over_limit(held, limit_bytes)
            if found is None:
                continue
            self._overruns += 1
            self._is_worn = True
            if found.is_page:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(found.pid, signal.SIGKILL)
            else:
                await self._replace()

    async def _is_in_use(self) -> bool:
        """Whether somebody else has a page open in it: another process, or a person."""
        if self._chrome is None:
            return False
        try:
            return any(url.startswith("http") for url in await self._chrome.tabs())
        except ChromeNotReady:
            return False
