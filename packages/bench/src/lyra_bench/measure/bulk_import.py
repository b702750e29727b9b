"""What importing a page costs when many were imported before it: the processor's time, by hundreds of pages.

The models are replaced by ones that cost nothing and answer by the words alone, so that what is left is the work of an
import besides inference: copies, pairs, edges, assessments.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from lyra import settings as settings_module
from lyra.app import Lyra, bundled_calibration, stance_judge
from lyra.bulk.reading import read_document, store
from lyra.bulk.sources import RawDocument
from lyra.claims.words import content_words
from lyra.extract import document as documents
from lyra.model.search import CandidateState, Search, SearchOptions, SearchStatus
from lyra.model.task import Hypothesis, TaskConfig
from lyra.research.graph_builder import GraphBuilder
from lyra.research.search_run import SearchParts, SearchRun
from lyra.storage import candidates, searches
from lyra.urls import registrable_domain
from lyra_bench.measure.pages import MadePage, make_pages
from simweb.truth import load_truth

if TYPE_CHECKING:
    import numpy as np
    from apsw import Connection
    from numpy.typing import NDArray

_TOPIC = "dpp4"
_DIMENSION = 384
Tell = Callable[[str], None]


class _WordVectors:
    """A vector with a place for each word."""

    model_id = "words"
    dimension = _DIMENSION

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        rows = np.zeros((len(texts), _DIMENSION), np.float32)
        for at, text in enumerate(texts):
            for word in content_words(text):
                rows[at, crc32(word.encode()) % _DIMENSION] += 1.0
        found: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return found


class _ChanceReader:
    """Answers every pair in a manner of its own: some take a side, most do not."""

    def __init__(self, inner: Any) -> None:
        self.name = inner.name
        self.model_id = inner.model_id

    async def answers(self, pairs: Sequence[tuple[str, str]]) -> "NDArray[np.float32]":
        import numpy as np

        made = [(crc32(repr(pair).encode()) & 0xFFFF) for pair in pairs]
        rows = [((one & 0xFF) / 32 - 6.0, (one >> 8) / 32 - 4.0) for one in made]
        return np.array(rows, np.float32).reshape(-1, 2)


async def measure_import(pages: int = 200, *, step: int = 50, tell: Tell = lambda _: None) -> dict[str, Any]:
    """Milliseconds of the processor for a page, by its place among those imported."""
    with tempfile.TemporaryDirectory(prefix="lyra-bench-import-") as folder:
        settings = settings_module.load({"data_dir": Path(folder)})
        async with Lyra.open(settings) as lyra:
            run, graph = await _begin(lyra)
            made, costs = make_pages(pages), {}
            for at in range(0, pages, step):
                began = time.process_time()
                for one in made[at : at + step]:
                    await _import(run, graph, one)
                count = len(made[at : at + step])
                costs[f"to_page_{at + count}"] = round((time.process_time() - began) / count * 1000)
                tell(f"{at + count}: {costs[f'to_page_{at + count}']} ms")
            began = time.process_time()
            await graph.assess_all()
            ending = round(time.process_time() - began, 1)
    return {"pages": pages, "ms_per_page": costs, "s_at_the_end": ending, "growth": _growth(costs.values())}


def _growth(costs: Iterable[int]) -> float:
    """How many times the last pages cost what the first ones did."""
    first, *_, last = [*costs] * 2
    return round(last / first, 1)


async def _begin(lyra: Lyra) -> tuple[SearchRun, GraphBuilder]:
    truth = load_truth(_TOPIC)
    texts = [truth.claim(name).text["en"] for name in truth.hypotheses]
    config = TaskConfig(hypotheses=tuple(Hypothesis(text) for text in texts))
    task, _ = await lyra.tasks.create(truth.question["en"], config)
    search = Search("s_import", task.id, task.query, SearchOptions(), SearchStatus.RUNNING, lyra.clock.now())
    await lyra.db.write(searches.insert, search)
    judge = stance_judge(lyra.models, lyra.models.cascade_of(_ChanceReader), bundled_calibration(lyra.models))
    parts: SearchParts = replace(lyra.parts, embedder=_WordVectors(), judge=judge)
    graph = GraphBuilder(parts, task.id, task.query, search.id, search.query)
    await graph.load()
    return SearchRun(parts, task, search), graph


async def _import(run: SearchRun, graph: GraphBuilder, made: MadePage) -> None:
    """One page as `lyra bulk import` adds it."""
    read = await asyncio.to_thread(documents.read_document, made.body, content_type="text/html", url=made.url)
    headers = (("content-type", "text/html"),)
    raw = RawDocument(made.url, registrable_domain(made.url), made.body, headers, run.parts.clock.now())
    found = read_document(run.search.id, raw, read)
    await store(run.parts.db, found, run.parts)

    def note(connection: "Connection") -> None:
        page_id = found.stored.page.id
        candidates.set_state(connection, found.candidate.id, CandidateState.FETCHED, None, page_id)

    await run.count_page(await graph.add_page(found.stored, note))
