"""Near-duplicate texts: found by MinHash and LSH, confirmed by the exact Jaccard of their 5-grams (SPEC §13)."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING

from lyra.evidence.minhash import SetIndex
from lyra.text import shingles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEAR_DUPLICATE = 0.8
# LSH looks below the threshold and the exact Jaccard decides: a copy must not slip through by an estimate.
_MARGIN = 0.1
_HASH_BYTES = 8


class DuplicateIndex:
    """Texts by id, each with the text known before that it nearly repeats.

    The answer depends only on the texts added before; adding a text again changes nothing. CPU-bound: call it off
    the event loop. One index holds fragments or whole pages, not both.
    """

    def __init__(self, threshold: float = NEAR_DUPLICATE) -> None:
        self._threshold = threshold
        self._sets = SetIndex(max(threshold - _MARGIN, 0.1))
        self._grams: dict[str, bytes] = {}
        self._original: dict[str, str] = {}
        self._by_grams: dict[bytes, str] = {}

    def __len__(self) -> int:
        return len(self._original)

    def add(self, text_id: str, text: str) -> str:
        """The id of the original that this text is nearest to, or its own id where it is an original itself."""
        if text_id in self._original:
            return self._original[text_id]
        grams = _grams(text)
        original = self._by_grams.get(grams) if grams else text_id
        if original is None:
            original = self._nearest_or_kept(text_id, grams)
        self._original[text_id] = original
        return original

    def add_all(self, texts: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Each id with its original, in the order given; so a stored graph's index is built again."""
        return {text_id: self.add(text_id, text) for text_id, text in texts}

    def _nearest_or_kept(self, text_id: str, grams: bytes) -> str:
        """The known text that this one nearly repeats; else this one, known from now on."""
        keys = self._sets.keys(_numbers(grams).astype("u4"))
        scored = [(_jaccard(grams, self._grams[found]), found) for found in self._sets.alike(keys)]
        original = max((pair for pair in scored if pair[0] >= self._threshold), default=None)
        if original is not None:
            return original[1]
        self._grams[text_id] = grams
        self._by_grams[grams] = text_id
        self._sets.add(text_id, keys)
        return text_id


def _grams(text: str) -> bytes:
    """The hashes of a text's 5-grams in order: a tenth of the room that a set of numbers takes."""
    return b"".join(sorted({_hash(gram) for gram in shingles(text)}))


def _hash(gram: str) -> bytes:
    return blake2b(gram.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()


def _numbers(grams: bytes) -> "NDArray[np.uint64]":
    import numpy as np

    return np.frombuffer(grams, "<u8")


def _jaccard(one: bytes, other: bytes) -> float:
    import numpy as np

    shared = len(np.intersect1d(_numbers(one), _numbers(other), assume_unique=True))
    return shared / ((len(one) + len(other)) // _HASH_BYTES - shared)
