"""What models have said about one page, by what was asked: kept while a page is read, and recalled when it is imported.

An item's numbers do not depend on what else is asked (`ml/onnx.py`), so a recalled answer is the answer.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lyra.errors import ModelError, PipelineError
from lyra.ids import text_hash
from lyra.ml.caches import pair_key
from lyra.ml.protocols import Embedder, Reader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ANSWERS = 2


@dataclass(slots=True)
class ModelMemory:
    """Vectors by the hash of their text, answers by reader and pair; `recalled` and `asked` count both."""

    vectors: "dict[str, NDArray[np.float32]]" = field(default_factory=dict)
    answers: "dict[tuple[str, bytes], NDArray[np.float32]]" = field(default_factory=dict)
    recalled: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)

    def forget(self) -> None:
        """Begin with another page; the counts go on."""
        self.vectors.clear()
        self.answers.clear()


class RememberingEmbedder:
    """Asks the inner embedder for what is not in memory, and keeps it there."""

    def __init__(self, inner: Embedder, memory: ModelMemory) -> None:
        self._inner = inner
        self._memory = memory
        self.model_id = inner.model_id
        self.dimension = inner.dimension

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        kept, keys = self._memory.vectors, [text_hash(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in kept}
        _count(self._memory, "embed", len(texts), len(missing))
        if missing:
            kept.update(zip(missing, await self._inner.embed(list(missing.values())), strict=True))
        return np.stack([kept[key] for key in keys]) if keys else np.zeros((0, self.dimension), np.float32)


class RememberingReader:
    """The same around a reader. Where one fails the other does not go on alone, as in a search: elsewhere both would
    have been asked, and the page is read again instead."""

    def __init__(self, inner: Reader, memory: ModelMemory) -> None:
        self._inner = inner
        self._memory = memory
        self.name = inner.name
        self.model_id = inner.model_id

    async def answers(self, pairs: Sequence[tuple[str, str]]) -> "NDArray[np.float32]":
        import numpy as np

        kept, keys = self._memory.answers, [(self.name, pair_key(pair)) for pair in pairs]
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in kept}
        _count(self._memory, "read", len(pairs), len(missing))
        if missing:
            kept.update(zip(missing, await self._ask(list(missing.values())), strict=True))
        return np.stack([kept[key] for key in keys]) if keys else np.zeros((0, _ANSWERS), np.float32)

    async def _ask(self, pairs: list[tuple[str, str]]) -> "NDArray[np.float32]":
        try:
            return await self._inner.answers(pairs)
        except ModelError as exc:
            raise PipelineError(
                exc.message, remedy="Run the same command again to continue; `lyra doctor` checks the models."
            ) from exc


def _count(memory: ModelMemory, op: str, items: int, missing: int) -> None:
    memory.asked[op] += missing
    memory.recalled[op] += items - missing
