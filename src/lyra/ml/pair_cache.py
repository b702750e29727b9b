"""Judgements already made, kept by what was asked: readers around readers.

Syndicated pages repeat one another word for word, and a task's hypotheses meet the same paragraph in every search.
A pair's numbers do not depend on what else is asked, so a kept answer is the answer.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

from lyra.ml.protocols import Readers
from lyra.model.edge import ReaderAnswer

DEFAULT_CAPACITY = 50_000  # a key and an answer each: about 15 MB when full


class CachedReaders:
    """Asks the inner readers once for each distinct pair; the least recently used answers go first."""

    def __init__(self, inner: Readers, capacity: int = DEFAULT_CAPACITY) -> None:
        self._inner = inner
        self._capacity = capacity
        self._answers: OrderedDict[bytes, ReaderAnswer] = OrderedDict()

    async def read(self, pairs: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[ReaderAnswer]:
        asked = list(zip(pairs, weighty or [True] * len(pairs), strict=True))
        keys = [_key(*one) for one in asked]
        missing = {key: one for key, one in zip(keys, asked, strict=True) if key not in self._answers}
        found = {key: self._answers[key] for key in keys if key in self._answers}
        if missing:
            answers = await self._inner.read(
                [pair for pair, _ in missing.values()], [one for _, one in missing.values()]
            )
            found.update(zip(missing, answers, strict=True))
        self._keep(found)
        return [found[key] for key in keys]

    def _keep(self, found: dict[bytes, ReaderAnswer]) -> None:
        for key, answer in found.items():
            self._answers[key] = answer
            self._answers.move_to_end(key)
        while len(self._answers) > self._capacity:
            self._answers.popitem(last=False)


def _key(pair: tuple[str, str], is_weighty: bool) -> bytes:
    """The lengths part the two texts, whatever they hold; another reader may decide where the pair is weighty."""
    premise, hypothesis = pair
    told = f"{is_weighty}\x1f{len(premise)}\x1f{premise}{hypothesis}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(told, digest_size=16).digest()
