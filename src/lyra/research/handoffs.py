"""The auth queue: a person opens a page in the research browser, its session is kept, its searches go on."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from lyra.clock import Clock
from lyra.errors import ChromeNotReady, InvalidParams, TaskNotFound
from lyra.fetch.browser.chrome import Chrome
from lyra.fetch.browser.machine import display
from lyra.fetch.sessions import LARGEST_COOKIE, MOST_COOKIES, SAME_SITE, Cookie, SessionStore
from lyra.handoff.desktop import raise_window
from lyra.handoff.queue import AuthQueue, unknown_item
from lyra.jobs.slots import Slots
from lyra.model.event import Event
from lyra.model.handoff import Handoff, HandoffDecision, HandoffStatus
from lyra.model.job import Priority, Slot
from lyra.research.tasks import Tasks
from lyra.settings import Settings
from lyra.storage import journal
from lyra.storage.database import Database
from lyra.urls import host_of, is_within, registrable_domain

_SHAPE = 'Give {"cookies": [{"name": …, "value": …}], "user_agent"?: …}.'
# What would end a cookie or its header line, and so begin another one (RFC 6265 §4.1.1); spaces occur in real values.
_NOT_IN_NAMES = re.compile(r"[\x00-\x20\x7f;,=]")
_NOT_IN_VALUES = re.compile(r"[\x00-\x1f\x7f;]")
_NOT_IN_HEADERS = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class GivenSession:
    """What a person's browser holds of a domain after the person opened the page."""

    cookies: tuple[Cookie, ...]
    user_agent: str = ""


@dataclass(frozen=True, slots=True)
class ResolvedHandoff:
    """A decision, and whether a session was kept with it."""

    decision: HandoffDecision
    session_stored: bool


# Finds the session of a domain in the browser where the person opened it.
FindSession = Callable[[str], Awaitable[GivenSession | None]]


class Handoffs:
    """What MCP and CLI do with the auth queue."""

    def __init__(self, queue: AuthQueue, sessions: SessionStore, find_session: FindSession) -> None:
        self.queue = queue
        self._sessions = sessions
        self._find_session = find_session

    async def own_item(self, handoff_id: str, tasks: Tasks) -> Handoff:
        """The item, where the person whose tasks these are may decide on it; NotAllowed where its task is only shared
        with them. An item of a task that they do not see is an unknown one."""
        item = await self.queue.get(handoff_id)
        try:
            await tasks.get_own(item.task_id)
        except TaskNotFound as exc:
            raise unknown_item(handoff_id) from exc
        return item

    async def resolve_item(
        self, handoff_id: str, status: HandoffStatus, via: str, session: GivenSession | None = None
    ) -> ResolvedHandoff:
        """Decide one item; a session that comes with it belongs to its domain."""
        item = await self.queue.get(handoff_id)
        is_first = item.status is not HandoffStatus.RESOLVED  # who comes second changes nothing, the session included
        is_stored = is_first and await self._keep(item.domain, status, session)
        return ResolvedHandoff(await self.queue.decide_item(handoff_id, status, via), is_stored)

    async def resolve_domain(
        self, domain: str, status: HandoffStatus, via: str, session: GivenSession | None = None
    ) -> ResolvedHandoff:
        """Decide everything of a domain."""
        name = await self.queue.domain_named(domain)
        is_stored = await self._keep(name, status, session)
        return ResolvedHandoff(await self.queue.decide_domain(name, status, via), is_stored)

    async def _keep(self, domain: str, status: HandoffStatus, session: GivenSession | None) -> bool:
        """Before anything is fetched again, the cookies must be there: those given, else the research browser's."""
        if status is not HandoffStatus.RESOLVED:
            return False
        session = session or await self._find_session(domain)
        if session is None or not session.cookies:
            return False
        await self._sessions.save(f"https://{domain}/", session.cookies, user_agent=session.user_agent)
        return True


def read_session(data: Mapping[str, Any] | None, domain: str, pages: Sequence[str]) -> GivenSession | None:
    """The session a client hands over for these pages; InvalidParams where it cannot be one, or is another domain's.

    A cookie that names no domain is sent to the hosts of the pages alone, and every one over https alone unless it says
    `secure: false` and such a page itself is plain http.
    """
    if data is None:
        return None
    given = data.get("cookies")
    if isinstance(given, Mapping):
        given = [{"name": name, "value": value} for name, value in given.items()]
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) > MOST_COOKIES:
        raise InvalidParams("session_data has no cookies, or too many.", remedy=_SHAPE)
    user_agent = str(data.get("user_agent") or "")[:400]
    if _NOT_IN_HEADERS.search(user_agent):
        raise InvalidParams("user_agent in session_data has control characters.", remedy=_SHAPE)
    cookies = tuple(cookie for one in given for cookie in _cookies(one, domain, pages or (f"https://{domain}/",)))
    return GivenSession(cookies, user_agent)


def _cookies(given: Any, domain: str, pages: Sequence[str]) -> tuple[Cookie, ...]:
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str) or not given["name"].strip():
        raise InvalidParams("A cookie in session_data has no name.", remedy=_SHAPE)
    if not isinstance(given.get("value"), str):
        raise InvalidParams("A cookie in session_data has no value.", remedy=_SHAPE)
    if _NOT_IN_NAMES.search(given["name"]) or _NOT_IN_VALUES.search(given["value"]):
        raise InvalidParams("A cookie in session_data has characters that no cookie may have.", remedy=_SHAPE)
    if len(given["name"]) + len(given["value"]) > LARGEST_COOKIE:
        raise InvalidParams(f"A cookie in session_data has more than {LARGEST_COOKIE} characters.", remedy=_SHAPE)
    owners = _owners(given, domain, pages)
    expires = given.get("expires", given.get("expirationDate"))
    is_dated = isinstance(expires, int | float) and not isinstance(expires, bool) and expires > 0
    path = str(given.get("path") or "/")
    same_site = str(given.get("sameSite") or "").capitalize()
    return tuple(
        Cookie(
            name=given["name"],
            value=given["value"],
            domain=owner,
            path=path if path.startswith("/") and not _NOT_IN_VALUES.search(path) else "/",
            expires_s=float(expires) if is_dated else None,
            is_secure=_is_secure(given, owner, pages),
            is_http_only=bool(given.get("httpOnly", False)),
            same_site=same_site if same_site in SAME_SITE else None,
        )
        for owner in owners
    )


def _owners(given: Mapping[str, Any], domain: str, pages: Sequence[str]) -> tuple[str, ...]:
    """The hosts that may get a cookie: those of the pages, or the domain it names, with a dot also what is below."""
    named = str(given.get("domain") or "").strip().lower()
    if not named:
        return tuple(dict.fromkeys(map(host_of, pages)))
    if registrable_domain(named.lstrip(".")) != domain:
        raise InvalidParams(f"A cookie in session_data does not belong to {domain}.", remedy="Give its own cookies.")
    is_for_one_host = given.get("hostOnly") is True or given["name"].lower().startswith("__host-")
    return (named.lstrip(".") if is_for_one_host else named,)


def _is_secure(given: Mapping[str, Any], owner: str, pages: Sequence[str]) -> bool:
    is_prefixed = given["name"].lower().startswith(("__host-", "__secure-"))
    is_asked_in_plain = any(
        urlsplit(page).scheme == "http" and is_within(host_of(page), owner.lstrip(".")) for page in pages
    )
    return is_prefixed or given.get("secure") is not False or not is_asked_in_plain


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page that is open in the person's browser; `not_raised` says why its window may be hidden."""

    item: Handoff
    not_raised: str | None


class PageUnlocker:
    """Shows queued pages in one browser, which is started when first needed and ended at the end.

    The page is never touched (§3.6.1): the tab is opened and the cookies are read at the level of the browser.
    """

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

    async def show(self, item: Handoff) -> ShownPage:
        """Open the item's address and raise the window. Raises ChromeNotReady with a remedy."""
        async with self._slots.hold(Slot.BROWSER_HEADFUL, Priority.SERP):  # a person waits: before anything else
            chrome = await self._browser()
            tab = await chrome.open_tab(item.url)
            await chrome.activate_tab(tab)
        pid = chrome.pid
        not_raised = "the browser's process is unknown" if pid is None else await raise_window(pid)
        await self._note(item, "shown", {"window": not_raised or "raised"})
        return ShownPage(item, not_raised)

    async def resolve(self, item: Handoff, status: HandoffStatus, via: str) -> ResolvedHandoff:
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
                remedy="Run `lyra auth` in a desktop session; an AI client can also be given the cookies of your own "
                "browser, in session_data.",
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
