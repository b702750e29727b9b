"""A dashboard on a real port over a stored graph with hostile texts, and one Chromium for a module."""

import asyncio
import functools
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from apsw import Connection

from lyra.app import Lyra
from lyra.archive.captures import Captures
from lyra.archive.warc import WarcArchive
from lyra.clock import SystemClock
from lyra.ids import derived_id, text_hash
from lyra.loopback import listen
from lyra.model.archive import Capture, Exchange
from lyra.model.claim import Claim
from lyra.model.edge import Edge, Relation
from lyra.model.handoff import Handoff
from lyra.model.page import ArchiveRef, Fragment, FragmentType, Page
from lyra.model.search import Candidate, CandidateState, Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.model.trust import TrustLevel
from lyra.research.assessing import Assessor
from lyra.settings import Settings
from lyra.storage import candidates, claims, edges, handoffs, pages, searches, tasks
from lyra.web.guard import Access
from lyra.web.server import serve_dashboard

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
TASK, EMPTY, LARGE = "task_00000000000a", "task_00000000000b", "task_00000000000c"
QUESTION = "Do school meals raise test scores? <script>alert(1)</script> \u202eهل ترفع الوجبات المدرسية الدرجات؟"
HYPOTHESIS = "Free school meals raise test scores."
HOSTILE_TITLE = "<img src=x onerror=alert(2)> \u202e" + "長い題名" * 1250
FOR = "Test scores rose by 4 points after free school meals began."
AGAINST = "Free school meals had no effect on test scores."
PAGE_FOR, PAGE_AGAINST = "https://minister.example.gov/meals", "https://journal.example.org/meals?a=1&b=<2>"
LARGE_CLAIMS, LARGE_PAGES = 3000, 1200
ARCHIVED = """<html><head><title>Meals</title><link rel="preconnect" href="TRACKER">
<meta http-equiv="refresh" content="0;url=TRACKER"><script>document.title = document.cookie</script>
<style>p { color: rgb(1, 2, 3); background: url(TRACKER/b.png) }</style></head>
<body onload="alert(3)"><p id="said">WORDS</p><img src="TRACKER/a.png">
<a href="TRACKER/c" ping="TRACKER/d">more</a>
<iframe src="TRACKER/e"></iframe><form action="/sources" method="post"><button>go</button></form>
</body></html>"""
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001"
    "5a0b1f2b0000000049454e44ae426082"
)


def claim_id(text: str, task_id: str = TASK) -> str:
    return derived_id("c", task_id, text)


def page_id(url: str) -> str:
    return derived_id("p", url)


def fragment_id(url: str) -> str:
    return derived_id("f", url)


def edge_id(url: str, text: str) -> str:
    return derived_id("e", url, claim_id(text))


@dataclass(frozen=True)
class Dashboard:
    """A running dashboard and the Lyra under it."""

    lyra: Lyra
    access: Access
    tracked: list[str] = field(default_factory=list)  # what the server behind every address of the archived page heard

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.access.port}"

    @property
    def cookies(self) -> dict[str, str]:
        return {self.access.cookie: self.access.session}

    async def ask(self, path: str, method: str = "GET", **options: Any) -> httpx2.Response:
        """A request with the cookie, unless others are given."""
        options.setdefault("cookies", self.cookies)
        async with httpx2.AsyncClient(cookies=options.pop("cookies")) as client:
            return await client.request(method, self.root + path, **options)

    async def send(self, path: str, **fields: str) -> httpx2.Response:
        """A form as one of our own pages sends it."""
        return await self.ask(
            path, "POST", data={"form_secret": self.access.form_secret, **fields}, headers={"Origin": self.root}
        )


@asynccontextmanager
async def served(lyra: Lyra, listening: socket.socket, access: Access) -> AsyncIterator[Dashboard]:
    """The dashboard until the block ends."""
    stopping = asyncio.Event()
    serving = asyncio.create_task(serve_dashboard(lyra, listening, access, stopping))
    try:
        yield Dashboard(lyra, access)
    finally:
        stopping.set()
        await serving


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def dashboard(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Dashboard]:
    """Over three tasks: one with hostile texts, one with nothing, one with 3,000 claims and 1,200 pages."""
    settings = Settings(data_dir=tmp_path_factory.mktemp("dashboard"))
    async with Lyra.open(settings) as lyra:
        tracked: list[str] = []
        tracker = await asyncio.start_server(functools.partial(_track, tracked), "127.0.0.1", 0)
        refs = await _archive(settings, lyra, f"http://127.0.0.1:{tracker.sockets[0].getsockname()[1]}")
        await lyra.db.write(_store, refs)
        assessor = Assessor(lyra.parts, TASK)
        await assessor.group_pages()
        await assessor.assess([claim_id(HYPOTHESIS)])
        await assessor.update_source_influence()
        listening = listen(0)
        async with served(lyra, listening, Access(listening.getsockname()[1])) as running:
            yield replace(running, tracked=tracked)
        tracker.close()


async def _track(heard: list[str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    heard.append("connected")
    writer.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chrome(chromium: Path) -> AsyncIterator[Any]:
    """One real Chromium."""
    from patchright.async_api import async_playwright

    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, run in the page from outside: its policy lets no script in."""
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


async def _archive(settings: Settings, lyra: Lyra, tracker: str) -> dict[str, ArchiveRef]:
    """The archived answers of both pages, and a screenshot of the first."""
    archive = WarcArchive(settings.archive_dir, SystemClock(), db=lyra.db)
    html = (("Content-Type", "text/html; charset=utf-8"),)
    body = ARCHIVED.replace("TRACKER", tracker).replace("WORDS", FOR).encode()
    refs = {
        url: await archive.store(Exchange(url, "GET", NOW, status_code=200, headers=html, body=body))
        for url in (PAGE_FOR, PAGE_AGAINST)
    }
    await archive.close()
    await Captures(settings.archive_dir, SystemClock()).store(Capture(PAGE_FOR, refs[PAGE_FOR].record_id, NOW, PIXEL))
    return refs


def _store(connection: Connection, refs: dict[str, ArchiveRef]) -> None:
    for task_id, question in ((TASK, QUESTION), (EMPTY, "What is not known?"), (LARGE, "What is said of everything?")):
        tasks.insert(connection, Task(task_id, question, TaskStatus.EXPLORING, NOW, Budget()))
    search = Search("s_1", TASK, QUESTION, SearchOptions(refute=True), SearchStatus.RUNNING, NOW, phase="fetch")
    searches.insert(connection, search)
    claims.insert_many(
        connection,
        [
            Claim(claim_id(HYPOTHESIS), TASK, HYPOTHESIS, "en", NOW, is_hypothesis=True),
            Claim(claim_id(QUESTION), TASK, QUESTION, "en", NOW, search_id="s_1"),
        ],
    )
    _say(connection, PAGE_FOR, "example.gov", FOR, Relation.SUPPORTS, "Meals and scores", refs[PAGE_FOR])
    _say(connection, PAGE_AGAINST, "example.org", AGAINST, Relation.REFUTES, HOSTILE_TITLE, refs[PAGE_AGAINST])
    wall = "https://wall.example.net/paper"
    found = Candidate("r_wall", "s_1", wall, HOSTILE_TITLE, "", "mojeek", 3, CandidateState.BLOCKED)
    candidates.add(connection, [found])
    handoffs.insert(connection, Handoff("auth_1", TASK, "s_1", "example.net", wall, "captcha", NOW))
    _store_large(connection)


def _say(
    connection: Connection, url: str, domain: str, words: str, relation: Relation, title: str, ref: ArchiveRef
) -> None:
    """A page of one sentence that takes a stance on the hypothesis."""
    page = Page(
        page_id(url), url, domain, title, "en", NOW, final_url=url, date="2024-05-01", archive=ref, text=words,
        extractor="html",
    )  # fmt: skip
    fragment = Fragment(
        id=fragment_id(url),
        page_id=page.id,
        text_content=words,
        fragment_type=FragmentType.PARAGRAPH,
        heading_context="",
        heading_hierarchy=(),
        element_index=0,
        position=0,
        char_start=0,
        char_end=len(words),
        text_hash=text_hash(words),
        language="en",
    )
    pages.save(connection, page, [fragment])
    candidates.add(
        connection,
        [Candidate(derived_id("r", url), "s_1", url, title, "", "mojeek", 1, CandidateState.FETCHED, page_id=page.id)],
    )
    edges.insert_many(connection, [judged_edge(url, claim_id(HYPOTHESIS), relation, words)])


def judged_edge(url: str, target: str, relation: Relation, words: str) -> Edge:
    return Edge(
        id=derived_id("e", url, target),
        source_type="fragment",
        source_id=fragment_id(url),
        target_type="claim",
        target_id=target,
        relation=relation,
        created_at=NOW,
        nli_label=relation.value,
        nli_confidence=0.9,
        nli_raw=0.9,
        model_id="lyra-stance",
        source_trust_level=TrustLevel.UNVERIFIED,
        quote=words,
    )


def _store_large(connection: Connection) -> None:
    """Many claims, and pages each of which supports two of them; rows that the dashboard reads, written plainly."""
    texts = [f"Statement {number} of many." for number in range(LARGE_CLAIMS)]
    claims.insert_many(connection, [Claim(claim_id(one, LARGE), LARGE, one, "en", NOW) for one in texts])
    addresses = [f"https://p{number}.example.com/" for number in range(LARGE_PAGES)]
    connection.executemany(
        """
        insert into pages (id, url, domain, title, fetched_at)
        values (?, ?, 'example.com', ?, '2026-03-14T09:30:00.000Z')
        """,
        [(page_id(url), url, url) for url in addresses],
    )
    connection.executemany(
        """
        insert into fragments (id, page_id, text_content, fragment_type, position, char_start, char_end, text_hash)
        values (?, ?, 'words', 'paragraph', 0, 0, 5, ?)
        """,
        [(fragment_id(url), page_id(url), fragment_id(url)) for url in addresses],
    )
    connection.executemany(
        """
        insert into edges (id, source_type, source_id, target_type, target_id, relation, task_id, page_id,
            nli_confidence, created_at)
        values (?, 'fragment', ?, 'claim', ?, ?, ?, ?, 0.9, '2026-03-14T09:30:00.000Z')
        """,
        [
            (
                derived_id("e", url, texts[number]),
                fragment_id(url),
                claim_id(texts[number], LARGE),
                "refutes" if number % 5 == 0 else "supports",
                LARGE,
                page_id(url),
            )
            for at, url in enumerate(addresses)
            for number in (at, at // 2)
            if at  # of page 0 both would be the same edge
        ],
    )
