"""A fetcher built as the application builds it, over the simulated web or over a server that misbehaves on purpose."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from apsw import Connection

from lyra.archive.warc import WarcArchive
from lyra.clock import SystemClock, system_chance
from lyra.fetch.admission import Admission
from lyra.fetch.fetcher import Fetcher
from lyra.fetch.http import HttpClient
from lyra.fetch.ladder import Rung
from lyra.fetch.rung_http import HttpRung
from lyra.fetch.tor import TorRung, TorService
from lyra.fetch.wayback import WaybackRung
from lyra.model.page import FetchRequest, FetchResult
from lyra.policy.cooldown import Cooldown
from lyra.policy.domain_policy import DomainPolicy
from lyra.policy.gate import Gate
from lyra.policy.robots import Robots
from lyra.redact.key import redactor_of
from lyra.settings import Network, Politeness, Settings
from lyra.settings.rungs import Tor
from lyra.storage.database import Database
from simweb import SimWeb
from tests.conftest import NewDatabase

# The demonstration's way to lower the delays; the defaults are proved with a clock of our own in the policy tests.
QUICK = Politeness(domain_qps=1000, pause_min_s=0, pause_max_s=0, engine_qps=1000, api_qps=1000)


@dataclass(frozen=True)
class Bench:
    """A fetcher with its parts at hand."""

    fetcher: Fetcher
    archive: WarcArchive
    db: Database
    settings: Settings
    policy: DomainPolicy

    async def get(self, url: str, **options: object) -> FetchResult:
        return await self.fetcher(FetchRequest(url, **options))  # type: ignore[arg-type]

    async def events(self, cause_id: str) -> list[tuple[str, str, str]]:
        """Kind, subject and outcome of what the journal says about a cause."""

        def of_cause(connection: Connection) -> list[tuple[str, str, str]]:
            rows = connection.execute(
                "select kind, subject, details ->> 'outcome' from event_log where cause_id = ? order by id", (cause_id,)
            )
            return [(str(kind), str(subject), str(outcome)) for kind, subject, outcome in rows]

        return await self.db.read(of_cause)


Build = Callable[..., Awaitable[Bench]]


@pytest.fixture
async def build(tmp_path: Path, new_database: NewDatabase) -> AsyncIterator[Build]:
    """Builds fetchers that share one data directory, as several processes would, and closes them."""
    clock = SystemClock()
    new_database(Settings(data_dir=tmp_path).database_path)
    async with AsyncExitStack() as stack:

        async def make(
            network: Network,
            politeness: Politeness = QUICK,
            secrets: tuple[str, ...] = (),
            tor: Tor | None = None,
            has_archive: bool = False,
        ) -> Bench:
            settings = Settings(data_dir=tmp_path, network=network, politeness=politeness, tor=tor or Tor(mode="off"))
            db = await Database.open(settings.database_path)
            stack.push_async_callback(db.close)
            redactor = redactor_of(tmp_path).with_known_secrets(secrets)
            archive = WarcArchive(settings.archive_dir, clock, redactor=redactor)
            http = HttpClient(network, clock)
            gate = Gate(db, clock, system_chance(1), politeness, f"test-{id(archive)}", network.concurrency)
            robots, cooldown = Robots(db, clock, politeness), Cooldown(db, clock, politeness)
            policy = DomainPolicy(db, clock, politeness)
            admission = Admission(http.check, gate, robots, cooldown, policy)
            rungs: list[Rung] = []
            if tor is not None:
                service = TorService(tor, settings.tor_dir, clock)
                rungs.append(TorRung(service, admission, archive, clock, network))
            if has_archive:
                rungs.append(WaybackRung(HttpRung(http, admission, archive, clock, network, "wayback"), clock))
            fetcher = Fetcher(
                http=http,
                gate=gate,
                robots=robots,
                cooldown=cooldown,
                archive=archive,
                db=db,
                clock=clock,
                settings=settings,
                rungs=rungs,
                policy=policy,
            )
            stack.push_async_callback(fetcher.close)
            return Bench(fetcher, archive, db, settings, policy)

        yield make


@pytest.fixture(scope="module")
def simulated() -> Iterator[SimWeb]:
    with SimWeb(latency_s=0.02) as web:
        yield web


@pytest.fixture
def network(web: SimWeb) -> Network:
    return Network(proxy=web.proxy_url, ca_bundle=web.ca_path)


@pytest.fixture
async def bench(build: Build, network: Network) -> Bench:
    return await build(network)


class Rogue:
    """A proxy for plain http, and a server, that plays a script for each path: raw bytes, and then what it likes."""

    def __init__(self) -> None:
        self.scripts: dict[str, Callable[[asyncio.StreamWriter], Awaitable[None]]] = {}
        self.seen: list[str] = []
        self.heads: list[str] = []
        self.url = ""

    def answers(self, path: str, raw: bytes) -> None:
        """Answer a path with these bytes and close."""

        async def play(writer: asyncio.StreamWriter) -> None:
            writer.write(raw)
            await writer.drain()

        self.scripts[path] = play

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            target = head.split(b" ", 2)[1].decode()
            path = "/" + target.split("/", 3)[-1] if "://" in target else target
            self.seen.append(target)
            self.heads.append(head.decode("latin-1").lower())
            await self.scripts[path](writer)
        writer.close()


@pytest.fixture
async def rogue() -> AsyncIterator[Rogue]:
    rogue = Rogue()
    server = await asyncio.start_server(rogue.serve, "127.0.0.1", 0)
    rogue.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield rogue
    server.close()
