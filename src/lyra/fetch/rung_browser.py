"""The browser rungs: a page as a person's browser shows it, headless, in a window, or undetected.

They ask as politely as any other rung. What they read is the page after its scripts have run; that is archived as a
record of its own, beside the answers it was built from, with a picture and a list of everything it loaded.
"""

import contextlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from lyra.archive.captures import Captures
from lyra.archive.warc import WarcArchive
from lyra.clock import Chance, Clock
from lyra.errors import BrowserFault, ChromeNotReady
from lyra.fetch.addresses import wire_form
from lyra.fetch.admission import Admission, Admitted, Denied, FetchProgress, dead_end, denied_result, result_of
from lyra.fetch.browser.flags import Mode
from lyra.fetch.browser.interceptor import VisitRequest
from lyra.fetch.browser.pool import BrowserPool
from lyra.fetch.browser.visit import VisitResult
from lyra.fetch.ladder import BROWSERS, FetchContext
from lyra.fetch.sessions import SessionStore
from lyra.ids import bytes_hash
from lyra.model.archive import Capture, Exchange, Truncation
from lyra.model.page import ArchiveRef, FetchOutcome, FetchRequest, FetchResult
from lyra.settings import Settings
from lyra.urls import host_of, registrable_domain

_BODY_HEADERS = frozenset({"content-type", "content-encoding", "content-length", "transfer-encoding"})

Hold = Callable[[], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True)
class VisitStores:
    """Where a visit is kept: its bytes, what was seen of it, and the session it left."""

    archive: WarcArchive
    captures: Captures
    sessions: SessionStore


class BrowserRung:
    """Visits in one kind of browser; `hold` is what a browser with a window must have to itself meanwhile."""

    def __init__(
        self, mode: Mode, pool: BrowserPool, admission: Admission, stores: VisitStores, clock: Clock,
        settings: Settings, hold: Hold = contextlib.nullcontext,
    ) -> None:  # fmt: skip
        self.name: str = mode
        self._pool = pool
        self._admission = admission
        self._stores = stores
        self._clock = clock
        self._settings = settings
        self._hold = hold

    async def fetch(self, request: FetchRequest, context: FetchContext) -> FetchResult:
        """Fetch; robots.txt binds where the context has a getter for it."""
        return await self._admission.fetch(request, context, self._visit, self.name, self._clock)

    async def close(self) -> None:
        """End the browser, if one was started."""
        await self._pool.close()

    async def _visit(self, progress: FetchProgress, admitted: Admitted) -> FetchProgress | FetchResult:
        domain = registrable_domain(progress.url)

        async def may_follow(url: str) -> bool:
            is_near = wire_form(url) is not None and registrable_domain(url) == domain
            return is_near and await self._admission.may_follow(url, progress.context) is not None

        try:
            async with self._hold():
                visited = await self._pool.visit(await self._visit_request(progress), may_follow)
        except BrowserFault as exc:
            return denied_result(Denied(FetchOutcome.FAILED, exc.message), progress, self.name, was_sent=True)
        except ChromeNotReady as exc:
            admitted.turn.pass_on()
            reason = f"{exc.message} {exc.remedy or ''}".strip()
            return denied_result(Denied(FetchOutcome.UNAVAILABLE, reason, exc.retry_after_s), progress, self.name)
        archived = await self._keep(visited.exchanges)
        progress = replace(progress, elapsed_s=progress.elapsed_s + visited.elapsed_s)
        if visited.leads_to is not None:
            return self._lead_on(progress, visited, visited.leads_to, archived)
        return await self._conclude(progress, visited, archived, admitted)

    async def _visit_request(self, progress: FetchProgress) -> VisitRequest:
        request, is_first = progress.request, progress.redirects == 0
        session = await self._stores.sessions.load(progress.url)
        return VisitRequest(
            url=progress.url,
            timeout_s=progress.time_left_s(self._settings.network),
            method=request.method.upper() if is_first else "GET",
            body=request.body if is_first else None,
            headers=request.headers if is_first else (),
            referer=wire_form(request.referer) if request.referer else None,
            cookies=session.cookies if session else (),
            acts_like_a_person=self.name != "headless",
        )

    async def _keep(self, exchanges: tuple[Exchange, ...]) -> ArchiveRef | None:
        """Every answer for the page itself, in order; the record of the last one."""
        archived = None
        for exchange in exchanges:
            archived = await self._stores.archive.store(exchange)
        return archived

    def _lead_on(
        self, progress: FetchProgress, visited: VisitResult, target: str, archived: ArchiveRef | None
    ) -> FetchProgress | FetchResult:
        """The page leads elsewhere: another domain, or an address whose rules must be asked first."""
        redirects = progress.redirects + max(1, len(visited.exchanges))
        end = dead_end(target, redirects, self._settings.network.max_redirects)
        if end is not None:
            last = visited.exchanges[-1] if visited.exchanges else self._no_answer(progress, visited)
            return result_of(last, end, progress.request, archived, self.name, progress.elapsed_s)
        return replace(progress, hop=replace(progress.hop, url=wire_form(target) or ""), redirects=redirects)

    async def _conclude(
        self, progress: FetchProgress, visited: VisitResult, archived: ArchiveRef | None, admitted: Admitted
    ) -> FetchResult:
        seen = _unless_broken(self._rendered_exchange(progress, visited), visited, progress.context)
        page_class = await self._admission.classify_answer(seen, progress.request, admitted.turn)
        assets: tuple[str, ...] = ()
        if visited.html is not None and archived is not None and seen.truncation is None:
            assets = tuple([(await self._stores.archive.store(one)).record_id for one in visited.assets])
            archived = await self._stores.archive.store_rendered(seen.url, visited.html, refers_to=archived)
            capture = Capture(seen.url, archived.record_id, self._clock.now(), visited.screenshot, visited.resources)
            await self._stores.captures.store(capture)
        if page_class.outcome is FetchOutcome.OK and visited.cookies:
            await self._stores.sessions.save(
                seen.url, visited.cookies, user_agent=self._pool.user_agent, language=visited.language
            )
        found = result_of(seen, page_class, progress.request, archived, self.name, progress.elapsed_s)
        return replace(found, assets=assets)

    def _rendered_exchange(self, progress: FetchProgress, visited: VisitResult) -> Exchange:
        """The last answer with the page as it stood at the end in place of the bytes that came."""
        if not visited.exchanges:
            return self._no_answer(progress, visited)
        last = visited.exchanges[-1]
        if visited.html is not None:
            headers = tuple((name, value) for name, value in last.headers if name.lower() not in _BODY_HEADERS)
            return replace(last, headers=(*headers, ("content-type", "text/html; charset=utf-8")), body=visited.html)
        if visited.failure is not None and last.failure is None:
            return replace(last, failure=visited.failure, reason=visited.reason, truncation=Truncation.TIME)
        return last

    def _no_answer(self, progress: FetchProgress, visited: VisitResult) -> Exchange:
        return Exchange(
            url=progress.url,
            method=progress.request.method,
            started_at=self._clock.now(),
            elapsed_s=visited.elapsed_s,
            failure=visited.failure or FetchOutcome.FAILED,
            reason=visited.reason or "No answer came.",
            is_unreachable=visited.is_unreachable,
        )


def _unless_broken(seen: Exchange, visited: VisitResult, context: FetchContext) -> Exchange:
    """The page, unless a lighter rung has found that exactly these bytes are only its beginning."""
    if not visited.exchanges or visited.html is None or bytes_hash(visited.exchanges[-1].body) not in context.broken:
        return seen
    reason = f"{host_of(seen.url)}: the body broke off where it had broken off before."
    return replace(seen, failure=FetchOutcome.FAILED, reason=reason, truncation=Truncation.DISCONNECT)


def browser_rungs(
    settings: Settings, admission: Admission, stores: VisitStores, clock: Clock, chance: Chance,
    hold: Hold = contextlib.nullcontext,
) -> tuple[BrowserRung, ...]:  # fmt: skip
    """All rungs that need a browser; none is started before its first visit. `hold` binds those with a window."""
    return tuple(
        BrowserRung(
            mode,
            BrowserPool(settings, mode, clock, chance),
            admission,
            stores,
            clock,
            settings,
            contextlib.nullcontext if mode == "headless" else hold,
        )
        for mode in (BROWSERS if settings.browser.enabled else ())
    )
