"""Near-duplicate texts: found by MinHash and LSH, confirmed by the exact Jaccard of their 5-grams (SPEC §13)."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING

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


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PERMUTATIONS = 128
_SEED = 1
_INTEGRATION_STEPS = 2000


class SetIndex:
    """MinHash and LSH (Leskovec et al., chapter 3): sets of 32-bit hashes that share a band are worth comparing.

    Written out because `datasketch` brings scipy along, 48 MB and half a second, for one integral, and draws its
    permutations anew for every set. The permutations are those of its 2.0, so the same sets meet.
    """

    def __init__(self, threshold: float) -> None:
        import numpy as np

        chance = np.random.RandomState(_SEED)  # its draws are the same in every version of numpy
        self._factors = chance.randint(0, 1 << 31, _PERMUTATIONS, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
        self._shifts = chance.randint(0, 1 << 32, _PERMUTATIONS, dtype=np.uint32)
        self._bands, self._rows = bands_and_rows(threshold)
        self._names: list[dict[bytes, list[str]]] = [{} for _ in range(self._bands)]

    def keys(self, members: "NDArray[np.uint32]") -> list[bytes]:
        """The bands of a set that is not empty; overflow is what makes the permutations."""
        smallest = (self._factors[:, None] * _mixed(members) + self._shifts[:, None]).min(axis=1)
        return [smallest[at * self._rows : (at + 1) * self._rows].tobytes() for at in range(self._bands)]

    def add(self, name: str, keys: list[bytes]) -> None:
        """Remember a set by its bands."""
        for names, key in zip(self._names, keys, strict=True):
            names.setdefault(key, []).append(name)

    def alike(self, keys: list[bytes]) -> set[str]:
        """The sets that share a band with this one."""
        return {name for names, key in zip(self._names, keys, strict=True) for name in names.get(key, ())}


def _mixed(hashes: "NDArray[np.uint32]") -> "NDArray[np.uint32]":
    """The last step of MurmurHash3, with which `datasketch` begins."""
    import numpy as np

    mixed = (hashes ^ (hashes >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    mixed = (mixed ^ (mixed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return mixed ^ (mixed >> np.uint32(16))


def bands_and_rows(threshold: float) -> tuple[int, int]:
    """How to part a sketch so that as few as possible are compared in vain or missed at this Jaccard."""
    import numpy as np

    jaccard = (np.arange(_INTEGRATION_STEPS) + 0.5) / _INTEGRATION_STEPS
    is_above = jaccard >= threshold
    choices = [(b, r) for b in range(1, _PERMUTATIONS + 1) for r in range(1, _PERMUTATIONS // b + 1)]

    def wrong(choice: tuple[int, int]) -> float:
        bands, rows = choice
        apart = (1 - jaccard**rows) ** bands
        return float(np.where(is_above, apart, 1 - apart).sum())

    return min(choices, key=wrong)
