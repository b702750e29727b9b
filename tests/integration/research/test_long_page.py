"""A page of very many paragraphs: how much of it is judged, and that a search may leave it and come back."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lyra.app import Lyra
from lyra.claims.stance import StanceJudge
from lyra.ids import derived_id
from lyra.model.edge import ReaderAnswer
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult
from lyra.model.search import Candidate, SearchOptions
from lyra.model.task import Budget, Hypothesis, TaskConfig
from lyra.research.graph_builder import GraphBuilder
from lyra.research.phases.fetch import fetch
from lyra.research.search_run import SearchRun, StopReason
from lyra.research.tasks import PAUSED_BY_PERSON
from lyra.settings import Settings
from lyra.settings.research import Evidence
from lyra.settings.rungs import Browser, Tor
from lyra.storage import candidates, causal_chains, tasks
from tests.integration.research.test_graph_builder import AsTheyAre, SaysNo, WordVectors

URL = "https://registry.example.org/cases"
HYPOTHESES = (
    "Saxagliptin increases the risk of hospitalisation for heart failure.",
    "Saxagliptin lowers the risk of fractures.",
)
PARAGRAPHS = [
    f"In ward {number} saxagliptin increased the risk of hospitalisation for heart failure in {number + 3} patients."
    for number in range(700)
]
HELD = StopReason(PAUSED_BY_PERSON, is_pause=True)
ALL_EDGES = """
    select e.source_id, c.claim_text, e.relation, e.nli_confidence from edges e join claims c on c.id = e.target_id
    order by e.source_id, c.claim_text
"""


class Giving:
    """Gives the same page for every address, and counts how often it was asked."""

    def __init__(self, paragraphs: Sequence[str]) -> None:
        body = "".join(f"<p>{one}</p>" for one in paragraphs)
        self._body = f"<html lang='en'><title>Cases</title><body><article>{body}</article></body></html>".encode()
        self.asked = 0

    async def __call__(self, request: FetchRequest) -> FetchResult:
        self.asked += 1
        headers = (("content-type", "text/html; charset=utf-8"),)
        return FetchResult(request.url, FetchOutcome.OK, request.url, 200, headers, self._body)


class Interrupted(SaysNo):
    """Before it answers for the second time something happens, once."""

    def __init__(self, happens: Callable[[], Awaitable[object]]) -> None:
        super().__init__()
        self._happens = happens
        self.batches: list[int] = []

    async def read(self, given: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[ReaderAnswer]:
        self.batches.append(len(given))
        if len(self.batches) == 2:
            await self._happens()
        return await super().read(given, weighty)


class Desk:
    """A search that has found one long page, read by models that a test can foresee."""

    def __init__(self, lyra: Lyra, run: SearchRun) -> None:
        self.lyra, self.run = lyra, run
        self.web = Giving(PARAGRAPHS)

    async def read(self, happens: Callable[[], Awaitable[object]] | None = None) -> StopReason | None:
        """Work through the candidates as a new process would; `happens` comes into the middle of the page."""
        self.readers = Interrupted(happens) if happens else SaysNo()
        judge = StanceJudge(self.readers, AsTheyAre(), {})
        parts = replace(self.lyra.parts, getter=self.web, embedder=WordVectors(), judge=judge)
        self.run = SearchRun(parts, await self.lyra.tasks.get(self.run.task.id), self.run.search)
        self.graph = GraphBuilder(parts, self.run.task.id, self.run.task.query, self.run.search.id, "saxagliptin")
        await self.graph.load()
        return await fetch(self.run, self.graph)

    async def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return await self.lyra.db.read(lambda connection: list(connection.execute(sql)))

    async def state(self) -> tuple[str, int]:
        """The candidate's state, and how many pages count against the budget."""
        (found,) = await self.lyra.db.read(candidates.of_search, self.run.search.id)
        return found.state.value, (await self.lyra.db.read(tasks.get, self.run.task.id)).pages_used


@pytest.fixture
def open_desk(tmp_path: Path) -> Callable[..., Any]:
    """Opens a data directory of its own, with a search that has found the page."""

    async def opened(name: str, **evidence: Any) -> AsyncIterator[Desk]:
        settings = Settings(
            data_dir=tmp_path / name,
            evidence=Evidence(**evidence),
            browser=Browser(executable=tmp_path / "no-browser"),
            tor=Tor(mode="off"),
        )
        async with Lyra.open(settings) as lyra:
            config = TaskConfig(budget=Budget(10, 600.0), hypotheses=tuple(map(Hypothesis, HYPOTHESES)))
            task, _ = await lyra.tasks.create("Is saxagliptin safe?", config)
            search = await lyra.searches.start(task.id, "saxagliptin", SearchOptions())
            found = Candidate(derived_id("r", search.id, URL), search.id, URL, "", "", "mojeek", 0, score=1.0)
            await lyra.db.write(candidates.add, [found])
            yield Desk(lyra, SearchRun(lyra.parts, task, search))

    return opened


@pytest.fixture
async def desk(open_desk: Any) -> AsyncIterator[Desk]:
    async for opened in open_desk("one"):
        yield opened


@pytest.fixture
async def untouched(open_desk: Any) -> AsyncIterator[Desk]:
    async for opened in open_desk("other"):
        await opened.read()
        yield opened


@pytest.fixture
async def tight(open_desk: Any) -> AsyncIterator[Desk]:
    async for opened in open_desk("tight", hypothesis_pairs_per_page=10):
        yield opened


async def test_of_a_long_page_the_best_pairs_are_judged_and_the_rest_is_said(tight: Desk) -> None:
    """As many as the setting allows; the journal and the answer say how many there were."""
    await tight.read()

    judged = await tight.rows("select count(*) from edges e join claims c on c.id = e.target_id where c.is_hypothesis")
    events = await tight.lyra.db.read(causal_chains.events, tight.run.task.id, after=0, limit=100)
    report = await tight.lyra.searches.report(await tight.lyra.searches.get(tight.run.search.id))
    assert judged == [(10,)]
    (told,) = [one for one in events if one.kind == "partly_judged"]
    assert (told.subject, told.details["judged"], told.details["wanted"]) == (URL, 10, 1400)
    assert report.problems == (f"{URL} was judged in part: 10 of its 1400 pairs of passage and hypothesis",)


async def test_a_paused_search_leaves_a_long_page_and_reads_it_again(desk: Desk, untouched: Desk) -> None:
    """Nothing of it is written before; then it is judged as if it had never been left, and counted and fetched once."""
    stop = await desk.read(happens=lambda: desk.lyra.tasks.pause(desk.run.task.id))
    left = (await desk.rows(ALL_EDGES), await desk.rows("select count(*) from claims"), await desk.state())
    batches = desk.readers.batches
    await desk.lyra.tasks.resume(desk.run.task.id)

    again = await desk.read()

    assert (stop, left, batches) == (HELD, ([], [(2,)], ("pending", 0)), [128, 128])
    assert (again, await desk.state(), desk.web.asked) == (None, ("fetched", 1), 1)
    assert await desk.rows(ALL_EDGES) == await untouched.rows(ALL_EDGES)
    assert await desk.rows("select count(*) from edges") == [(1430,)]


async def test_a_search_whose_time_is_used_up_leaves_a_long_page(desk: Desk) -> None:
    """The search ends and says so; claims of the page it left are not known to it any more."""

    async def time_is_up() -> None:
        await desk.lyra.db.write(tasks.add_usage, desk.run.task.id, 0, 600.0)

    stop = await desk.read(happens=time_is_up)
    assessed = await desk.graph.assess_all()

    assert stop == StopReason("the task's budget of 600 seconds is used up")
    assert (await desk.state(), await desk.rows(ALL_EDGES)) == (("pending", 0), [])
    assert len(assessed) == len(HYPOTHESES)
