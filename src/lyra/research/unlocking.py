"""A person opens a page: Lyra shows it in the research browser, raises the window, waits, and keeps the session.

The page is never touched (§3.6.1): the tab is opened and the cookies are read at the level of the browser.
"""

from dataclasses import dataclass
from types import TracebackType
from typing import Self

from lyra.clock import Clock
from lyra.errors import ChromeNotReady
from lyra.fetch.browser.chrome import Chrome
from lyra.fetch.browser.machine import display
from lyra.handoff.desktop import raise_window
from lyra.jobs.slots import Slots
from lyra.model.event import Event
from lyra.model.handoff import Handoff, HandoffStatus
from lyra.model.slot import Priority, Slot
from lyra.research.handoffs import GivenSession, Handoffs, Outcome
from lyra.settings import Settings
from lyra.storage import journal
from lyra.storage.database import Database


@dataclass(frozen=True, slots=True)
class Shown:
    """A page that stands open before a person; `not_raised` says why its window may be hidden."""

    item: Handoff
    not_raised: str | None


class Unlocking:
    """The walk through the queue with one browser, which is started when first needed and ended at the end."""

    def __init__(self, db: Database, clock: Clock, settings: Settings, handoffs: Handoffs, slots: Slots) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        self._handoffs = handoffs
        self._slots = slots
        self._chrome: Chrome | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._chrome is not None:
            await self._chrome.close()

    async def show(self, item: Handoff) -> Shown:
        """Open the item's address and raise the window. Raises ChromeNotReady with a remedy."""
        async with self._slots.hold(Slot.BROWSER_HEADFUL, Priority.SERP):  # a person waits: before anything else
            chrome = await self._browser()
            tab = await chrome.open_tab(item.url)
            await chrome.raise_tab(tab)
        pid = chrome.pid
        not_raised = "the browser's process is unknown" if pid is None else await raise_window(pid)
        await self._note(item, "shown", {"window": not_raised or "raised"})
        return Shown(item, not_raised)

    async def settle(self, item: Handoff, status: HandoffStatus, via: str) -> Outcome:
        """Take the person's word; for a page that was opened the browser's cookies of its domain are kept."""
        session = await self._session(item) if status is HandoffStatus.RESOLVED else None
        return await self._handoffs.resolve_domain(item.domain, status, via, session)

    async def _session(self, item: Handoff) -> GivenSession | None:
        if self._chrome is None:
            return None
        async with self._slots.hold(Slot.BROWSER_HEADFUL, Priority.SERP):
            cookies = await self._chrome.cookies_of(item.url)
        return GivenSession(cookies, self._chrome.user_agent)

    async def _browser(self) -> Chrome:
        if self._chrome is None or not self._chrome.is_running():
            self._chrome = await Chrome.find(self._settings, "person") or await self._start()
        return self._chrome

    async def _start(self) -> Chrome:
        if display().is_virtual:
            raise ChromeNotReady(
                "There is no display on which a person could see the page.",
                remedy="Run `lyra auth` in a desktop session; or solve it in your own browser and hand the cookies "
                "over with resolve_auth.",
            )
        return await Chrome.start(self._settings, "person", self._clock)

    async def _note(self, item: Handoff, became: str, more: dict[str, str]) -> None:
        details = {"domain": item.domain, "auth_type": item.auth_type, "became": became, **more}
        event = Event("handoff", self._clock.now(), item.id, details, item.task_id, item.search_id, item.search_id)
        await self._db.write(journal.append, (event,))


async def browser_session(settings: Settings, domain: str) -> GivenSession | None:
    """What the person's research browser holds of a domain, where one is running."""
    chrome = await Chrome.find(settings, "person")
    if chrome is None:
        return None
    try:
        cookies = await chrome.cookies_of(f"https://{domain}/")
    except ChromeNotReady:
        return None
    return GivenSession(cookies, chrome.user_agent) if cookies else None
