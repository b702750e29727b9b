"""Vectors and judgements already computed, kept by what was asked: an `Embedder` and a `Reader` around others.

Syndicated pages repeat one another word for word, and a task's hypotheses meet the same paragraph in every search.
An item's numbers do not depend on what else is asked, so a kept answer is the answer.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from lyra.ids import text_hash
from lyra.ml.protocols import Embedder, Reader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_VECTORS = 20_000  # 384 floats each: about 30 MB when full
MAX_ANSWERS = 50_000  # a key and an answer each: about 15 MB when full
_ANSWERS = 2
Item = TypeVar("Item")
Value = TypeVar("Value")


class _LruCache(Generic[Item, Value]):
    """Computes each distinct item once; the least recently used values go first."""

    def __init__(self, key_of: Callable[[Item], str | bytes], capacity: int) -> None:
        self._key_of = key_of
        self._capacity = capacity
        self._values: OrderedDict[str | bytes, Value] = OrderedDict()

    async def values(
        self, items: Sequence[Item], compute: Callable[[list[Item]], Awaitable[Sequence[Value]]]
    ) -> list[Value]:
        """One value per item, in order; `compute` is asked for those that are not kept."""
        keys = [self._key_of(item) for item in items]
        missing = {key: item for key, item in zip(keys, items, strict=True) if key not in self._values}
        found = {key: self._values[key] for key in keys if key in self._values}
        if missing:
            found.update(zip(missing, await compute(list(missing.values())), strict=True))
        for key, value in found.items():
            self._values[key] = value
            self._values.move_to_end(key)
        while len(self._values) > self._capacity:
            self._values.popitem(last=False)
        return [found[key] for key in keys]


class CachedEmbedder:
    """Asks the inner embedder once for each distinct text."""

    def __init__(self, inner: Embedder, capacity: int = MAX_VECTORS) -> None:
        self._inner = inner
        self._cache: _LruCache[str, NDArray[np.float32]] = _LruCache(text_hash, capacity)

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    async def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        rows = await self._cache.values(texts, self._compute)
        import numpy as np

        return np.stack(rows) if rows else np.zeros((0, self.dimension), np.float32)

    async def _compute(self, texts: list[str]) -> "list[NDArray[np.float32]]":
        return [row.copy() for row in await self._inner.embed(texts)]


class CachedReader:
    """Asks the inner reader once for each distinct pair.

    It is around one reader, not around the cascade: which pairs the large reader is asked about depends on the whole
    batch, and must not depend on what happens to be kept.
    """

    def __init__(self, inner: Reader, capacity: int = MAX_ANSWERS) -> None:
        self._inner = inner
        self._cache: _LruCache[tuple[str, str], NDArray[np.float32]] = _LruCache(pair_key, capacity)

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    async def answers(self, pairs: Sequence[tuple[str, str]]) -> "NDArray[np.float32]":
        rows = await self._cache.values(pairs, self._compute)
        import numpy as np

        return np.stack(rows) if rows else np.zeros((0, _ANSWERS), np.float32)

    async def _compute(self, pairs: list[tuple[str, str]]) -> "list[NDArray[np.float32]]":
        return [row.copy() for row in await self._inner.answers(pairs)]


def pair_key(pair: tuple[str, str]) -> bytes:
    """Names a pair; the lengths separate the two texts, whatever they contain."""
    text, claim = pair
    joined = f"{len(text)}\x1f{text}{claim}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=16).digest()
