"""Search by meaning over many vectors: how long an answer takes, and how long the event loop is held meanwhile."""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra.storage import embeddings
from lyra.storage.database import Database
from lyra.storage.vectors import Vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSION = 384
_MODEL = "bench"
_BATCH = 5_000
_QUERIES = 50
_TICK_S = 0.001


async def measure_vectors(count: int = 100_000) -> dict[str, Any]:
    """Median and worst of fifty searches over `count` random vectors, the first of which reads them all."""
    import numpy as np

    chance = np.random.default_rng(0)
    with tempfile.TemporaryDirectory(prefix="lyra-bench-") as scratch:
        db = await Database.open(Path(scratch) / "lyra.db")
        try:
            for start in range(0, count, _BATCH):
                rows = chance.standard_normal((min(_BATCH, count - start), DIMENSION)).astype(np.float32)
                named = [(f"f_{start + at}", row) for at, row in enumerate(rows)]
                await db.write(embeddings.put_many, "fragment", named, _MODEL)
            return await _measure(Vectors(db), count, chance.standard_normal((_QUERIES, DIMENSION)).astype(np.float32))
        finally:
            await db.close()


async def _measure(vectors: Vectors, count: int, queries: "NDArray[np.float32]") -> dict[str, Any]:
    first = await _timed(vectors, queries[0])
    async with LoopWatch() as watch:
        taken = [await _timed(vectors, query) for query in queries]
    return {
        "vectors": count,
        "dimension": DIMENSION,
        "first_ms": first,
        "median_ms": round(statistics.median(taken), 1),
        "worst_ms": round(max(taken), 1),
        "loop_blocked_ms": round(watch.worst_s * 1000, 1),
    }


async def _timed(vectors: Vectors, query: "NDArray[np.float32]") -> float:
    started = time.perf_counter()
    await vectors.search(query, "fragment", _MODEL, top_k=10, min_similarity=0.0)
    return round((time.perf_counter() - started) * 1000, 1)


class LoopWatch:
    """Ticks every millisecond; a tick that comes late tells how long something held the event loop."""

    def __init__(self) -> None:
        self.worst_s = 0.0
        self._ticking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "LoopWatch":
        self._ticking = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._ticking is not None:
            self._ticking.cancel()

    async def _tick(self) -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(_TICK_S)
            self.worst_s = max(self.worst_s, time.perf_counter() - started - _TICK_S)
