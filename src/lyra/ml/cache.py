"""Vectors already computed, kept by what was asked: an `Embedder` around an `Embedder`."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lyra.ids import text_hash
from lyra.ml.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_CAPACITY = 20_000  # 384 floats each: about 30 MB when full


class CachedEmbedder:
    """Asks the inner embedder once for each distinct text; the least recently used vectors go first."""

    def __init__(self, inner: Embedder, capacity: int = DEFAULT_CAPACITY) -> None:
        self._inner = inner
        self._capacity = capacity
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        keys = [text_hash(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        found = {key: self._vectors[key] for key in keys if key in self._vectors}
        if missing:
            rows = await self._inner.embed(list(missing.values()))
            found.update((key, row.copy()) for key, row in zip(missing, rows, strict=True))
        self._keep(found)
        import numpy as np

        return np.stack([found[key] for key in keys]) if keys else np.zeros((0, self.dimension), np.float32)

    def _keep(self, found: "dict[str, NDArray[np.float32]]") -> None:
        for key, vector in found.items():
            self._vectors[key] = vector
            self._vectors.move_to_end(key)
        while len(self._vectors) > self._capacity:
            self._vectors.popitem(last=False)
