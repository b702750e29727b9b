"""Browser rungs over the simulated web or a stage of our own; one browser a module, because starting one is dear."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import pytest_asyncio

from lyra.archive.captures import Captures
from lyra.archive.warc import WarcArchive
from lyra.clock import SystemClock, system_chance
from lyra.fetch.admission import Admission
from lyra.fetch.browser.flags import Mode
from lyra.fetch.browser.pool import BrowserPool
from lyra.fetch.http import HttpClient
from lyra.fetch.ladder import FetchContext
from lyra.fetch.rung_browser import BrowserRung, VisitStores
from lyra.fetch.rung_http import HttpRung
from lyra.fetch.sessions import SessionStore
from lyra.model.page import FetchRequest, FetchResult
from lyra.policy.cooldown import Cooldown
from lyra.policy.domain_policy import DomainPolicy
from lyra.policy.gate import Gate
from lyra.policy.robots import Robots
from lyra.settings import Network, Politeness, Settings
from lyra.settings.rungs import Browser
from lyra.storage.database import Database
from simweb import SimWeb

QUICK = Politeness(domain_qps=1000, pause_min_s=0, pause_max_s=0, engine_qps=1000, api_qps=1000)
CLOCK = SystemClock()


@dataclass
class Desk:
    """A browser rung with its parts at hand."""

    rung: BrowserRung
    http: HttpRung
    pool: BrowserPool
    stores: VisitStores
    admission: Admission
    settings: Settings

    async def get(self, url: str, context: FetchContext | None = None, **options: object) -> FetchResult:
        request = FetchRequest(url, **options)  # type: ignore[arg-type]
        return await self.rung.fetch(request, context or FetchContext())

    async def obedient(self, request: FetchRequest) -> FetchResult:
        """Asks for robots.txt by the HTTP rung, as the fetcher does."""
        return await self.http.fetch(request, FetchContext())

    def hasty(self, timeout_s: float) -> "Desk":
        """The same browser for somebody with little time."""
        return self._with_times(timeout_s, self.settings.browser.settle_limit_s)

    def patient(self) -> "Desk":
        """The same browser for somebody who waits until the page has stopped changing, however slow the machine is."""
        return self._with_times(120.0, 100.0)

    def _with_times(self, timeout_s: float, settle_limit_s: float) -> "Desk":
        network = self.settings.network.model_copy(update={"timeout_s": timeout_s})
        browser = self.settings.browser.model_copy(update={"settle_limit_s": settle_limit_s})
        settings = self.settings.model_copy(update={"network": network, "browser": browser})
        rung = BrowserRung("headless", self.pool, self.admission, self.stores, CLOCK, settings)
        return replace(self, rung=rung, settings=settings)


async def build_desk(stack: AsyncExitStack, settings: Settings, mode: Mode = "headless") -> Desk:
    db = await Database.open(settings.database_path)
    stack.push_async_callback(db.close)
    archive = WarcArchive(settings.archive_dir, CLOCK)
    stack.push_async_callback(archive.close)
    http = HttpClient(settings.network, CLOCK)
    stack.push_async_callback(http.close)
    admission = Admission(
        http.check,
        Gate(db, CLOCK, system_chance(1), settings.politeness, "test", settings.network.concurrency),
        Robots(db, CLOCK, settings.politeness),
        Cooldown(db, CLOCK, settings.politeness),
        DomainPolicy(db, CLOCK, settings.politeness),
    )
    stores = VisitStores(archive, Captures(settings.archive_dir, CLOCK), SessionStore(settings.sessions_dir, CLOCK))
    pool = BrowserPool(settings, mode, CLOCK, system_chance(1))
    rung = BrowserRung(mode, pool, admission, stores, CLOCK, settings)
    stack.push_async_callback(rung.close)
    plain = HttpRung(http, admission, archive, CLOCK, settings.network, cookies=stores.sessions.cookies_for)
    return Desk(rung, plain, pool, stores, admission, settings)


@pytest.fixture
def open_desk() -> Callable[..., Awaitable[Desk]]:
    """Builds a desk of any mode; the stack closes it."""
    return build_desk


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk(
    chromium: Path, certutil: None, simulated: SimWeb, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Desk]:
    """A headless browser on the simulated web; a check that asks nothing of a person is not waited for long."""
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("desk"),
        network=Network(proxy=simulated.proxy_url, ca_bundle=simulated.ca_path),
        politeness=QUICK,
        browser=Browser(challenge_wait_s=0.5, quiet_s=0.2),
    )
    async with AsyncExitStack() as stack:
        yield await build_desk(stack, settings)


class Stage:
    """A proxy for plain http that serves what it is given for each path, and writes down who asked."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[str, bytes]] = {}
        self.seen: list[str] = []
        self.url = ""

    def show(self, path: str, body: str, *, head: str = "200 OK\r\nContent-Type: text/html; charset=utf-8") -> str:
        """Serve a page; answers its address."""
        self.pages[path] = head, body.encode()
        return f"http://stage.example{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            target = head.split(b" ", 2)[1].decode()
            self.seen.append(target)
            path = "/" + target.split("/", 3)[-1] if "://" in target else target
            status, body = self.pages.get(
                path.partition("?")[0], ("404 Not Found\r\nContent-Type: text/plain", b"nothing here")
            )
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
            )
            await writer.drain()
        writer.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    server = await asyncio.start_server(stage.serve, "127.0.0.1", 0)
    stage.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield stage
    server.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage_desk(chromium: Path, stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    """A headless browser whose whole web is the stage."""
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("stage"),
        network=Network(proxy=stage.url, max_body_bytes=2_000_000),
        politeness=QUICK,
        browser=Browser(settle_limit_s=2.5, quiet_s=0.2),
    )
    async with AsyncExitStack() as stack:
        yield await build_desk(stack, settings)
