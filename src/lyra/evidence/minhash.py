"""MinHash and LSH: which sets of 32-bit hashes probably have many members in common (Leskovec et al., chapter 3).

Written out because `datasketch` brings scipy along, 48 MB and half a second, for one integral, and draws its
permutations anew for every set. The permutations are those of its 2.0, so the same sets meet.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PERMUTATIONS = 128
_SEED = 1
_STEPS = 2000


class SetIndex:
    """Names of sets by their sketch: what falls into one band with another is worth comparing."""

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

    jaccard = (np.arange(_STEPS) + 0.5) / _STEPS
    is_above = jaccard >= threshold
    choices = [(b, r) for b in range(1, _PERMUTATIONS + 1) for r in range(1, _PERMUTATIONS // b + 1)]

    def wrong(choice: tuple[int, int]) -> float:
        bands, rows = choice
        apart = (1 - jaccard**rows) ** bands
        return float(np.where(is_above, apart, 1 - apart).sum())

    return min(choices, key=wrong)
