"""A federation over a real database: with scripted answers, or through the real fetcher on the simulated web."""

import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import pytest

from lyra.archive.warc import WarcArchive
from lyra.clock import SystemClock, system_chance
from lyra.fetch.fetcher import Fetcher
from lyra.fetch.http import HttpClient
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult
from lyra.policy.cooldown import Cooldown
from lyra.policy.gate import Gate
from lyra.policy.robots import Robots
from lyra.search.engines import known_engines
from lyra.search.federation import FederatedAnswer, Federation
from lyra.settings import Engines, Network, Politeness, Settings
from lyra.storage.database import Database
from lyra.urls import canonical
from simweb import SimWeb
from tests.clocks import HeldClock
from tests.conftest import NewDatabase

# The demonstration's way to lower the delays; the defaults are proved with a clock of our own in the policy tests.
QUICK = Politeness(domain_qps=1000, pause_min_s=0, pause_max_s=0, engine_qps=1000, api_qps=1000)

# Two engines and no derived queries, so that a test sees only what it asks for; the defaults have tests of their own.
TWO = Engines(enabled=("duckduckgo", "mojeek"), queries_per_search=1, last_mile_below=0, site_search_qps=1000)

# A page of Mojeek with two results.
MOJEEK = (
    '<html><body><ul class="results-standard"><li><h2><a href="https://www.pmda.go.jp/info">PMDA</a></h2></li>'
    '<li><h2><a href="https://www.fda.gov/saxagliptin#top">FDA</a></h2></li></ul></body></html>'
)


def found_by(url: str) -> FetchResult:
    """A page whose only result names the request that found it."""
    link = f"https://a.example/{quote(url, safe='')}"
    page = f'<ul class="results-standard"><li><h2><a href="{link}">T</a></h2></li></ul>'
    return FetchResult(url, FetchOutcome.OK, status_code=200, body=page.encode())


def engines_of(answer: FederatedAnswer, url: str) -> set[str]:
    """The engines that found an address."""
    return {item.engine for one in answer.answers for item in one.items if canonical(item.url) == url}


@dataclass
class ScriptedWeb:
    """A getter that answers by gate and remembers what it was asked."""

    answers: dict[str, FetchResult | Callable[[FetchRequest], FetchResult]] = field(default_factory=dict)
    asked: list[FetchRequest] = field(default_factory=list)

    async def __call__(self, request: FetchRequest) -> FetchResult:
        self.asked.append(request)
        answer = self.answers[str(request.gate)]
        return answer(request) if callable(answer) else answer

    def serves(self, engine: str, html: str, status_code: int = 200) -> None:
        self.answers[f"engine:{engine}"] = FetchResult("", FetchOutcome.OK, status_code=status_code, body=html.encode())

    def gives(self, engine: str, outcome: FetchOutcome, **fields: object) -> None:
        self.answers[f"engine:{engine}"] = FetchResult("", outcome, **fields)  # type: ignore[arg-type]


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock(datetime(2026, 11, 15, 9, 0, tzinfo=UTC))


@pytest.fixture
def scripted() -> ScriptedWeb:
    return ScriptedWeb()


@pytest.fixture
async def db(tmp_path: Path, new_database: NewDatabase) -> AsyncIterator[Database]:
    database = await Database.open(new_database(tmp_path / "lyra.db"))
    yield database
    await database.close()


@pytest.fixture
def federation(scripted: ScriptedWeb, db: Database, clock: HeldClock, tmp_path: Path) -> Federation:
    return Federation(known_engines(), scripted, db, clock, Settings(data_dir=tmp_path, engines=TWO))


@pytest.fixture
async def online(web: SimWeb, tmp_path: Path, new_database: NewDatabase) -> AsyncIterator[Federation]:
    """A federation whose getter is the real fetcher, behind the simulated web's proxy."""
    network = Network(proxy=web.proxy_url, ca_bundle=web.ca_path)
    settings = Settings(data_dir=tmp_path, network=network, politeness=QUICK, engines=TWO)
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        database = await Database.open(new_database(settings.database_path))
        stack.push_async_callback(database.close)
        fetcher = Fetcher(
            http=HttpClient(network, clock),
            gate=Gate(database, clock, system_chance(1), QUICK, "test", network.concurrency),
            robots=Robots(database, clock, QUICK),
            cooldown=Cooldown(database, clock, QUICK),
            archive=WarcArchive(settings.archive_dir, clock),
            db=database,
            clock=clock,
            settings=settings,
        )
        stack.push_async_callback(fetcher.close)
        yield Federation(known_engines(), fetcher, database, clock, settings)


@pytest.fixture(scope="session")
def result_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real result pages, unpacked; tests that need them are skipped where they are absent."""
    source = Path(__file__).parents[3].parent / "shared" / "data" / "serp"
    if not source.is_dir():
        pytest.skip("the third-party result pages (../shared/data/serp) are not on this machine")
    folder = tmp_path_factory.mktemp("serp")
    for archive in sorted(source.glob("*.tar.zst")):
        unpacked = subprocess.run(["tar", "--zstd", "-xf", archive, "-C", folder], capture_output=True, check=False)
        if unpacked.returncode:
            pytest.skip("tar cannot unpack zstd archives on this machine")
    for plain in ("web-search-mcp", "no_results_2014"):
        (folder / plain).symlink_to(source / plain)
    return folder
