"""The same statement found again is one claim (SPEC §13, claim identity)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.claims.rows import Rows
from lyra.claims.words import core_words, directions, negations, numbers, same_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What two wordings must share to be one statement."""

    language: str
    core: frozenset[str]
    numbers: frozenset[str]
    negations: int
    directions: frozenset[tuple[str, int]]


class ClaimIndex:
    """The claims of one task, in which every new statement is looked up before it becomes a claim.

    Similar vectors are not enough: one drug's name for another's leaves them almost equal. Two wordings are one claim
    when their vectors are similar and they share language, numbers, negations, directions and core words.
    """

    def __init__(self, merge_similarity: float) -> None:
        self._merge_similarity = merge_similarity
        self._ids: list[str] = []
        self._by_meaning: dict[_Meaning, list[int]] = {}
        self._vectors = Rows()
        self._by_key: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def merge(self, claim_id: str, text: str, language: str, vector: "NDArray[np.float32]") -> str:
        """The id of the claim that this statement is; its own, from now on known, where it is a new one."""
        key = same_key(text)
        if key in self._by_key:
            return self._by_key[key]
        meaning = _meaning(text, language)
        known = self._nearest(meaning, vector)
        if known is not None:
            return known
        self._by_key[key] = claim_id
        self._by_meaning.setdefault(meaning, []).append(len(self._ids))
        self._ids.append(claim_id)
        self._vectors.extend(vector[None, :])
        return claim_id

    def _nearest(self, meaning: _Meaning, vector: "NDArray[np.float32]") -> str | None:
        """The known claim that says the same, if any; the most similar where several do."""
        rows = self._by_meaning.get(meaning)
        if rows is None:
            return None
        similarities = self._vectors.matrix(len(vector))[rows] @ vector
        nearest = int(similarities.argmax())
        return self._ids[rows[nearest]] if similarities[nearest] >= self._merge_similarity else None


def _meaning(text: str, language: str) -> _Meaning:
    return _Meaning(language, core_words(text), numbers(text), negations(text), frozenset(directions(text).items()))
