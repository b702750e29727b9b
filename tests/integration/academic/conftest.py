"""The academic APIs through the real fetcher on the simulated web, and recorded answers of the real ones."""

import gzip
import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
import yaml

from lyra.academic.catalogue import Catalogue
from lyra.academic.openalex import OpenAlex
from lyra.academic.semantic_scholar import SemanticScholar
from lyra.archive.warc import WarcArchive
from lyra.clock import SystemClock, system_chance
from lyra.fetch.fetcher import Fetcher
from lyra.fetch.http import HttpClient
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult
from lyra.policy.cooldown import Cooldown
from lyra.policy.gate import Gate
from lyra.settings import Network, Politeness, Settings
from lyra.storage.database import Database
from simweb import SimWeb
from tests.conftest import NewDatabase

# The demonstration's way to lower the delays; the defaults are proved with a clock of our own in the policy tests.
QUICK = Politeness(domain_qps=1000, pause_min_s=0, pause_max_s=0, engine_qps=1000, api_qps=1000)


@pytest.fixture
async def catalogue(web: SimWeb, tmp_path: Path, new_database: NewDatabase) -> AsyncIterator[Catalogue]:
    """Both APIs behind the real fetcher and the simulated web's proxy."""
    network = Network(proxy=web.proxy_url, ca_bundle=web.ca_path)
    settings = Settings(data_dir=tmp_path, network=network, politeness=QUICK)
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        database = await Database.open(new_database(settings.database_path))
        stack.push_async_callback(database.close)
        cooldown = Cooldown(database, clock, QUICK)
        fetcher = Fetcher(
            http=HttpClient(network, clock),
            gate=Gate(database, clock, system_chance(1), QUICK, "test", network.concurrency),
            robots=None,
            cooldown=cooldown,
            archive=WarcArchive(settings.archive_dir, clock),
            db=database,
            clock=clock,
            settings=settings,
        )
        stack.push_async_callback(fetcher.close)
        apis = (SemanticScholar(fetcher, clock, cooldown), OpenAlex(fetcher, clock, cooldown))
        yield Catalogue(apis, settings.academic)


@dataclass(frozen=True)
class Asked:
    """What a request wants of an API: words to search for, papers by their ids, or one record; whatever the fields."""

    what: str
    of: frozenset[str]

    def is_answered_by(self, known: "Asked") -> bool:
        """Whether a recorded answer is one to this question: the same, or of more papers than these."""
        return self == known or (self.what == known.what == "batch" and bool(self.of) and self.of <= known.of)


def search_for(words: str) -> Asked:
    return Asked("search", frozenset(words.lower().split()))


def what_is_asked(url: str, body: bytes | str | None) -> Asked:
    """The question behind an address of either API, in this client's form or that of who recorded it."""
    address = urlsplit(url)
    told = dict(parse_qsl(address.query))
    words = told.get("query") or told.get("search") or told.get("filter", "").removeprefix("title.search:")
    if address.path.endswith("/batch"):
        return Asked("batch", frozenset(_bare(one) for one in json.loads(body or b"{}")["ids"]))
    if words:
        return search_for(words)
    name = unquote(address.path).removeprefix("/graph/v1/paper/").removeprefix("/works/")
    return Asked("record", frozenset({_bare(name)}))


def _bare(name: str) -> str:
    return name.removeprefix("https://doi.org/").removeprefix("DOI:").removeprefix("doi:")


class NoCooldown:
    """APIs that never rest."""

    async def remaining_s(self, name: str) -> float:
        return 0.0

    async def note_answer(self, name: str, outcome: FetchOutcome, rest_s: float = 0.0) -> None:
        """Nothing is remembered."""


@dataclass
class Recording:
    """Answers of a real API, each played once, to the question it was recorded for and to no other."""

    answers: list[tuple[Asked, FetchResult]]

    async def __call__(self, request: FetchRequest) -> FetchResult:
        asked = what_is_asked(request.url, request.body)
        for number, (known, result) in enumerate(self.answers):
            if asked.is_answered_by(known):
                del self.answers[number]
                return result
        raise AssertionError(f"no answer was recorded to {request.url}: only to {[one for one, _ in self.answers]}")

    def as_if_asked(self, asked: Asked) -> "Recording":
        """The first answer, of an error that is the same whatever was asked, played to this question."""
        return Recording([(asked, self.answers[0][1])])


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recorded answers, unpacked; tests that need them are skipped where they are absent."""
    source = Path(__file__).parents[3].parent / "shared" / "data" / "api"
    if not source.is_dir():
        pytest.skip("the recorded API answers (../shared/data/api) are not on this machine")
    folder = tmp_path_factory.mktemp("api")
    archive = source / "semanticscholar" / "tests.tar.zst"
    if subprocess.run(["tar", "--zstd", "-xf", archive, "-C", folder], capture_output=True, check=False).returncode:
        pytest.skip("tar cannot unpack zstd archives on this machine")
    (folder / "paperqa").symlink_to(source / "paperqa" / "tests" / "cassettes")
    (folder / "openalex").symlink_to(source / "openalex" / "crates" / "papers-openalex" / "tests" / "fixtures")
    return folder


def recording(path: Path, host: str) -> Recording:
    """The answers of one host in a cassette."""
    interactions = yaml.safe_load(path.read_text(encoding="utf-8"))["interactions"]
    return Recording(
        [
            (what_is_asked(entry["request"]["uri"], entry["request"].get("body")), _result(entry["response"]))
            for entry in interactions
            if host in entry["request"]["uri"]
        ]
    )


def _result(response: dict) -> FetchResult:  # type: ignore[type-arg]
    status = response.get("status_code") or response["status"]["code"]
    body = response.get("content") or response["body"]["string"]
    raw = body.encode() if isinstance(body, str) else body
    plain = gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
    outcome = {200: FetchOutcome.OK, 404: FetchOutcome.NOT_FOUND, 403: FetchOutcome.BLOCKED}.get(status)
    return FetchResult("", outcome or FetchOutcome.FAILED, status_code=status, body=plain)
