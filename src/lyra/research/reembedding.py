"""Another embedder: what older weights have embedded is embedded anew, claims first, newest first.

The old vectors stay until every text has a new one and every claim was assessed by these; then all go at once. What
a crash leaves half done is gone on with at the next opening.
"""

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lyra.errors import LyraError
from lyra.ml.protocols import Embedder
from lyra.observe.log import get_logger
from lyra.research.background import Background, ProgressLog
from lyra.research.fragment_vectors import mean, sentence_vectors_of
from lyra.research.kit import Kit
from lyra.research.phases.turns import turn_of
from lyra.research.reassessing import assess_task
from lyra.storage import embeddings, reembedding
from lyra.storage.reembedding import KINDS, NEWEST, WaitingText

if TYPE_CHECKING:
    import numpy as np
    from apsw import Connection
    from numpy.typing import NDArray

_log = get_logger(__name__)
# A third of a second of work: who asks meanwhile waits no longer.
_AT_ONCE = 64
_LEASE = "reembedding"
_POLL_S = 5.0
_WHY = "assessed anew with the vectors of another embedder"
_UNDER_WAY = (
    "The embedder has changed: texts are being embedded anew. Until then vector_search finds only those that are done; "
    "not_yet_embedded in its answer counts the others."
)


class Reembedder:
    """Works beside everything else, in one process at a time; `give_way` is entered when nobody urgent waits."""

    def __init__(
        self, kit: Kit, embedder: Embedder, give_way: Callable[[], contextlib.AbstractAsyncContextManager[None]]
    ) -> None:
        self._kit = kit
        self._embedder = embedder
        self._give_way = give_way
        self._background = Background()
        self._trouble: str | None = None

    async def start(self, patience_s: float) -> None:
        """Begin where there is something to do, and wait so long for the end."""
        if await self._kit.db.read(_is_needed, self._embedder.model_id):
            await self._background.start(self._guarded(), patience_s)

    async def stop(self) -> None:
        """Leave off; what is not done waits for the next opening."""
        await self._background.stop()

    def troubles(self) -> tuple[str, ...]:
        """That it is under way, or why it is not."""
        return (self._trouble,) if self._trouble else ()

    async def run(self) -> None:
        """Replace every vector of another model."""
        async with turn_of(self._kit, _LEASE, _POLL_S):
            while await self._kit.db.read(_is_needed, self._embedder.model_id):
                await self._embed_all()
                await self._assess_all()
                await self._kit.db.write(reembedding.finish, self._embedder.model_id)

    async def _guarded(self) -> None:
        self._trouble = _UNDER_WAY
        try:
            await self.run()
            self._trouble = None
        except LyraError as exc:
            self._trouble = f"Texts could not be embedded anew: {exc.message} The next start tries again."
            _log.warning("texts could not be embedded anew; the next start tries again", error=exc.message)

    async def _embed_all(self) -> None:
        total = await self._kit.db.read(reembedding.count_waiting, self._embedder.model_id)
        progress = ProgressLog(self._kit.clock, "the embedder has changed; texts are being embedded anew", total)
        for kind in KINDS:
            before = NEWEST
            while some := await self._waiting(kind, before):
                async with self._give_way():
                    pass  # not held: each part of the batch takes a seat of its own
                rows = await self._vectors(kind, some)
                await self._kit.db.write(reembedding.put, kind, rows, self._embedder.model_id)
                before = some[-1].seq
                progress.add(len(some))

    async def _waiting(self, kind: str, before: int) -> list[WaitingText]:
        return await self._kit.db.read(reembedding.waiting, kind, self._embedder.model_id, before, _AT_ONCE)

    async def _vectors(self, kind: str, some: Sequence[WaitingText]) -> "list[tuple[str, NDArray[np.float32]]]":
        if kind == "claim":
            rows = await self._embedder.embed([one.text for one in some])
            return [(one.id, row) for one, row in zip(some, rows, strict=True)]
        by_text = await sentence_vectors_of(self._kit.db, self._embedder, {one.text_hash: one.text for one in some})
        return [(one.id, mean(by_text[one.text_hash])) for one in some]

    async def _assess_all(self) -> None:
        """Which pages tell one story is seen by the vectors, so claims may stand differently."""
        waiting = await self._kit.db.read(reembedding.tasks_with_claims)
        message = "the embedder has changed; claims are being assessed anew"
        progress = ProgressLog(self._kit.clock, message, sum(waiting.values()))
        for task_id in waiting:
            await assess_task(self._kit, task_id, _WHY, progress)


def _is_needed(connection: "Connection", model_id: str) -> bool:
    return any(embeddings.has_others(connection, kind, model_id) for kind in KINDS)
