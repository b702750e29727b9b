"""How fast bytes become a finished graph, and whether the hundredth page costs more than the first."""

import os
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments
from lyra.ids import bytes_hash, derived_id
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult, Page, StoredPage
from lyra.model.search import Candidate, CandidateState, SearchOptions
from lyra.model.task import Budget, Hypothesis, Task, TaskConfig
from lyra.research.assessing import fragments_read
from lyra.research.graph_builder import GraphBuilder
from lyra.research.phases.fetch import fetch
from lyra.research.search_run import SearchParts, SearchRun
from lyra.storage import candidates, pages, status
from lyra.urls import canonical, registrable_domain
from lyra_bench.measure.memory import PeakMemory, cpu_seconds
from lyra_bench.measure.pages import MadePage, make_pages

if TYPE_CHECKING:
    from apsw import Connection

QUESTION = "What are the efficacy and safety of DPP-4 inhibitors in type 2 diabetes?"
HYPOTHESES = (
    "DPP-4 inhibitors lower HbA1c compared with placebo.",
    "Saxagliptin increases hospital admissions for heart failure.",
    "DPP-4 inhibitors increase the risk of acute pancreatitis.",
)
_SAMPLE = 5
# Nothing is fetched, so nobody is asked too often; and no stop condition may cut the measurement short.
_FREE: Mapping[str, Any] = {"research.novelty_floor": 0.0, "research.idle_seconds": 36_000.0}


class MadeWeb:
    """A getter that answers with made pages at once."""

    def __init__(self, made: Sequence[MadePage]) -> None:
        self._bodies = {page.url: page.body for page in made}

    async def __call__(self, request: FetchRequest) -> FetchResult:
        return FetchResult(
            url=request.url,
            outcome=FetchOutcome.OK,
            final_url=request.url,
            status_code=200,
            headers=(("content-type", "text/html; charset=utf-8"),),
            body=self._bodies[request.url],
            fetched_at=datetime.now(UTC),
        )


async def measure_graph(count: int = 200, seed: int = 0, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """From the bytes of `count` pages to the finished graph, through the product's own fetch phase and graph.

    The first pages are digested one by one, and so are a few more at the end: their medians are the cost of page 2 and
    of page `count` + 1. Costs are processor seconds of both processes, which other work on the machine does not change;
    `seconds` is wall time, which it does.
    """
    made = make_pages(count + _SAMPLE, seed)
    first, most, last = made[: _SAMPLE + 1], made[_SAMPLE + 1 : count], made[count:]
    with tempfile.TemporaryDirectory(prefix="lyra-bench-") as scratch:
        async with Lyra.open(bench_settings(Path(scratch), count, more or {})) as lyra:
            parts = replace(lyra.parts, getter=MadeWeb(made))
            async with PeakMemory(lambda: lyra.models.status().pid) as memory:
                run, graph = await begin_search(lyra, parts)
                started, spent = time.perf_counter(), _cpu(lyra)
                early = [await _digest_one(lyra, run, graph, page) for page in first]
                await parts.db.write(candidates.add, [candidate_of(run, page, at) for at, page in enumerate(most)])
                await fetch(run, graph)
                await graph.assess_all()
                seconds, cost = time.perf_counter() - started, _cpu(lyra) - spent
                late = [await _digest_one(lyra, run, graph, page) for page in last]
            page_2, page_last = statistics.median(early[1:]), statistics.median(late)
            return {
                **await _counts(lyra, run.task.id),
                "pages": count,
                "seconds": round(seconds, 1),
                "cpu_s": round(cost, 1),
                "page_2_cpu_s": round(page_2, 3),
                f"page_{count + 1}_cpu_s": round(page_last, 3),
                "growth": round(page_last / page_2, 2),
                "peak_mb": {"lyra": memory.own_mb, "models": memory.other_mb},
                "load_for_next_search_s": round(await _load_s(parts, run), 1),
                "models": _models(lyra),
                "load_average": round(os.getloadavg()[0], 1),
            }


def _cpu(lyra: Lyra) -> float:
    return cpu_seconds(os.getpid(), lyra.models.status().pid)


async def _load_s(parts: SearchParts, run: SearchRun) -> float:
    """Seconds that the next search of the task takes to take up what is known."""
    started = time.perf_counter()
    await GraphBuilder(parts, run.task.id, run.task.query, run.search.id, run.search.query).load()
    return time.perf_counter() - started


def bench_settings(directory: Path, count: int, more: Mapping[str, Any]) -> settings_module.Settings:
    config = directory / "settings.toml"
    config.write_text("", "utf-8")
    flags = {**_FREE, "data_dir": directory, "research.pages_per_search": 2 * count + 10, **more}
    return settings_module.load(flags, environ={}, path=config)


async def begin_search(lyra: Lyra, parts: SearchParts) -> tuple[SearchRun, GraphBuilder]:
    config = TaskConfig(budget=Budget(10_000, 36_000.0), hypotheses=tuple(map(Hypothesis, HYPOTHESES)))
    task, _ = await lyra.tasks.create(QUESTION, config)
    search = await lyra.searches.start(task.id, QUESTION, SearchOptions())
    graph = GraphBuilder(parts, task.id, task.query, search.id, search.query)
    await graph.load()
    return SearchRun(parts, task, search), graph


async def _digest_one(lyra: Lyra, run: SearchRun, graph: GraphBuilder, made: MadePage) -> float:
    """Processor seconds that one page costs after it was read; extraction is the same for every page and left out."""
    stored = _stored(made)
    await lyra.db.write(pages.save, stored.page, stored.fragments)
    read = replace(candidate_of(run, made, 0), state=CandidateState.FETCHED, page_id=stored.page.id)
    before = _cpu(lyra)
    await graph.add_page(stored, lambda connection: _note(connection, read))
    return _cpu(lyra) - before


def _note(connection: "Connection", read: Candidate) -> None:
    candidates.add(connection, [read])


def _stored(made: MadePage) -> StoredPage:
    url = canonical(made.url)
    document = read_document(made.body, content_type="text/html; charset=utf-8", url=url)
    page = Page(
        id=derived_id("p", url),
        url=url,
        domain=registrable_domain(url),
        title=document.title,
        language=document.language,
        fetched_at=datetime.now(UTC),
        final_url=url,
        date=document.date,
        content_hash=bytes_hash(made.body),
        text=document.text,
        extractor=document.extractor,
    )
    return StoredPage(page, to_fragments(page.id, document))


def candidate_of(run: SearchRun, made: MadePage, rank: int) -> Candidate:
    url = canonical(made.url)
    found = derived_id("r", run.search.id, url)
    return Candidate(found, run.search.id, url, "Article", "", "made", rank, score=1.0 / (1 + rank))


async def _counts(lyra: Lyra, task_id: str) -> dict[str, Any]:
    task: Task = await lyra.tasks.get(task_id)
    started = time.perf_counter()
    totals = await lyra.db.read(status.totals, task.id)
    taken = time.perf_counter() - started
    return {
        "fragments": len(await lyra.db.read(fragments_read, task.id)),
        "fragments_judged": totals.fragments,
        "claims": totals.claims,
        "edges": totals.supporting_edges + totals.refuting_edges + totals.neutral_edges,
        "duplicate_rate": round(totals.duplicate_rate, 3),
        "status_ms": round(taken * 1000, 1),
    }


def _models(lyra: Lyra) -> dict[str, Any]:
    """What the models were asked and how long they took: most of the time, and nothing that Python can mend."""
    known = lyra.models.status()
    return {"items": dict(known.items), "seconds": {op: round(taken, 1) for op, taken in known.seconds.items()}}
