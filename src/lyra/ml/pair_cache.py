"""Judgements already made, kept by what was asked: an `Entailer` around an `Entailer`.

Syndicated pages repeat one another word for word, and a task's hypotheses meet the same paragraph in every search.
A pair's numbers do not depend on what else is asked, so a kept answer is the answer.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lyra.ml.protocols import Entailer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_CAPACITY = 50_000  # a key and three numbers each: about 12 MB when full
_WIDTH = 3


class CachedEntailer:
    """Asks the inner entailer once for each distinct pair; the least recently used answers go first."""

    def __init__(self, inner: Entailer, capacity: int = DEFAULT_CAPACITY) -> None:
        self._inner = inner
        self._capacity = capacity
        self._rows: OrderedDict[bytes, tuple[float, ...]] = OrderedDict()

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    async def logits(self, pairs: "Sequence[tuple[str, str]]") -> "NDArray[np.float32]":
        import numpy as np

        keys = [_key(pair) for pair in pairs]
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._rows}
        found = {key: self._rows[key] for key in keys if key in self._rows}
        if missing:
            rows = await self._inner.logits(list(missing.values()))
            found.update((key, tuple(row)) for key, row in zip(missing, rows.tolist(), strict=True))
        self._keep(found)
        return np.array([found[key] for key in keys], np.float32).reshape(len(keys), _WIDTH)

    def _keep(self, found: dict[bytes, tuple[float, ...]]) -> None:
        for key, row in found.items():
            self._rows[key] = row
            self._rows.move_to_end(key)
        while len(self._rows) > self._capacity:
            self._rows.popitem(last=False)


def _key(pair: tuple[str, str]) -> bytes:
    """The lengths part the two texts, whatever they hold."""
    premise, hypothesis = pair
    told = f"{len(premise)}\x1f{premise}{hypothesis}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(told, digest_size=16).digest()
