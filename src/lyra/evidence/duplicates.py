"""Near-duplicate texts: found by MinHash and LSH, confirmed by the exact Jaccard of their 5-grams (SPEC §13)."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING

from lyra.text import shingles

if TYPE_CHECKING:
    from datasketch import MinHash

NEAR_DUPLICATE = 0.8
_PERMUTATIONS = 128
# LSH looks below the threshold and the exact Jaccard decides: a copy must not slip through by an estimate.
_MARGIN = 0.1


class DuplicateIndex:
    """Texts by id, each with the text known before that it nearly repeats.

    The answer depends only on the texts added before; adding a text again changes nothing. CPU-bound: call it off
    the event loop. One index holds fragments or whole pages, not both.
    """

    def __init__(self, threshold: float = NEAR_DUPLICATE) -> None:
        from datasketch import MinHashLSH  # lazy: pulls in scipy

        self._threshold = threshold
        self._lsh = MinHashLSH(threshold=max(threshold - _MARGIN, 0.1), num_perm=_PERMUTATIONS)
        self._grams: dict[str, frozenset[int]] = {}
        self._original: dict[str, str] = {}
        self._by_grams: dict[frozenset[int], str] = {}

    def __len__(self) -> int:
        return len(self._original)

    def add(self, text_id: str, text: str) -> str:
        """The id of the original that this text is nearest to, or its own id where it is an original itself."""
        if text_id in self._original:
            return self._original[text_id]
        grams = frozenset(_hash(gram) for gram in shingles(text))
        original = self._by_grams.get(grams) if grams else text_id
        if original is None:
            original = self._nearest(grams) or text_id
        if original == text_id and grams:
            self._keep(text_id, grams)
        self._original[text_id] = original
        return original

    def add_all(self, texts: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Each id with its original, in the order given; so a stored graph's index is built again."""
        return {text_id: self.add(text_id, text) for text_id, text in texts}

    def _nearest(self, grams: frozenset[int]) -> str | None:
        candidates = self._lsh.query(_sketch(grams))
        scored = [(_jaccard(grams, self._grams[found]), found) for found in candidates]
        return max((pair for pair in scored if pair[0] >= self._threshold), default=(0.0, None))[1]

    def _keep(self, text_id: str, grams: frozenset[int]) -> None:
        self._grams[text_id] = grams
        self._by_grams[grams] = text_id
        self._lsh.insert(text_id, _sketch(grams), check_duplication=False)


def _hash(gram: str) -> int:
    return int.from_bytes(blake2b(gram.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _sketch(grams: frozenset[int]) -> "MinHash":
    from datasketch import MinHash

    sketch = MinHash(num_perm=_PERMUTATIONS, hashfunc=_low_bits)
    sketch.update_batch(list(grams))
    return sketch


def _low_bits(gram: int) -> int:
    """The grams are hashes already; MinHash wants 32 bits."""
    return gram & 0xFFFFFFFF


def _jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)
