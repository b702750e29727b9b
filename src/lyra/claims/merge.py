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
        self._meanings: list[_Meaning] = []
        self._vectors = Rows()
        self._by_key: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def merge(self, claim_id: str, text: str, language: str, vector: "NDArray[np.float32]") -> str:
        """The id of the claim that this statement is; its own, from now on known, where it is a new one."""
        known = self.find(text, language, vector)
        if known is not None:
            return known
        self._by_key[same_key(text)] = claim_id
        self._ids.append(claim_id)
        self._meanings.append(_meaning(text, language))
        self._vectors.extend(vector[None, :])
        return claim_id

    def find(self, text: str, language: str, vector: "NDArray[np.float32]") -> str | None:
        """The known claim that says the same, if any; the most similar where several do."""
        import numpy as np

        exact = self._by_key.get(same_key(text))
        if exact is not None or not self._ids:
            return exact
        similarities = self._vectors.matrix(len(vector)) @ vector
        meaning = _meaning(text, language)
        near = np.flatnonzero(similarities >= self._merge_similarity)
        nearest_first = [int(row) for row in near[similarities[near].argsort()[::-1]]]
        return next((self._ids[row] for row in nearest_first if self._meanings[row] == meaning), None)


def _meaning(text: str, language: str) -> _Meaning:
    return _Meaning(language, core_words(text), numbers(text), negations(text), frozenset(directions(text).items()))
