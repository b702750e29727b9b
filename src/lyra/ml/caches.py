"""Vectors and judgements already computed, kept by what was asked: an `Embedder` and `Readers` around others.

Syndicated pages repeat one another word for word, and a task's hypotheses meet the same paragraph in every search.
An item's numbers do not depend on what else is asked, so a kept answer is the answer.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from lyra.ids import text_hash
from lyra.ml.protocols import Embedder, Readers
from lyra.model.edge import ReaderAnswer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_VECTORS = 20_000  # 384 floats each: about 30 MB when full
MAX_ANSWERS = 50_000  # a key and an answer each: about 15 MB when full
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


class CachedReaders:
    """Asks the inner readers once for each distinct pair; another reader may decide where the pair is weighty."""

    def __init__(self, inner: Readers, capacity: int = MAX_ANSWERS) -> None:
        self._inner = inner
        self._cache: _LruCache[tuple[tuple[str, str], bool], ReaderAnswer] = _LruCache(_pair_key, capacity)

    async def read(self, pairs: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[ReaderAnswer]:
        return await self._cache.values(
            list(zip(pairs, weighty or [True] * len(pairs), strict=True)),
            lambda items: self._inner.read([pair for pair, _ in items], [is_weighty for _, is_weighty in items]),
        )


def _pair_key(item: tuple[tuple[str, str], bool]) -> bytes:
    """The lengths separate the two texts, whatever they contain."""
    (text, claim), is_weighty = item
    joined = f"{is_weighty}\x1f{len(text)}\x1f{text}{claim}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=16).digest()
