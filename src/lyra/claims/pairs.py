"""Which fragment is worth judging against which claim: similar vectors and shared words, never all × all."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from lyra.claims.kinds import with_kinds
from lyra.claims.rows import Rows
from lyra.claims.words import matching_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A pair's score is its similarity plus its share of common words. How high it must be depends on the fragment: little
# below what the fragment's best claim has, within these bounds. On the three topics of the simulated web this asks for
# 1 to 2 pairs a fragment and keeps 99, 76 and 95 % of the planted ones; one threshold for all kept 95, 56 and 89 %.
LEAST_SCORE = 0.65
ENOUGH_SCORE = 1.0
MARGIN = 0.2
# From this share of a claim's weighted words in a fragment the pair is judged whatever the vectors say.
STRONG_OVERLAP = 0.6
_TINY = 1e-6


@dataclass(frozen=True, slots=True)
class FragmentSketch:
    """What the prefilter knows of a fragment; `vectors` has one row for each sentence, or one for the whole."""

    id: str
    text: str
    language: str
    vectors: "NDArray[np.float32]"


@dataclass(frozen=True, slots=True)
class ClaimSketch:
    """What the prefilter knows of a claim; `vector` is one row. What the client asks about is met more generously."""

    id: str
    text: str
    language: str
    vector: "NDArray[np.float32]"
    is_hypothesis: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """A fragment to be judged against a claim: the similarity of its nearest sentence, the share of common words."""

    fragment_id: str
    claim_id: str
    similarity: float
    overlap: float


class PairIndex:
    """The fragments and claims of one task, incremental both ways.

    New fragments meet every known claim, new claims every known fragment; each meeting is a matrix product and a walk
    over posting lists, and what is handed on is bounded for each new fragment and each new claim. So the work that a
    page causes does not grow with the pages before it. CPU-bound: call it off the event loop.

    Pairs of two languages are left out unless asked for: of 110 planted pairs, one side translated, the bundled stance
    model read 16 rightly.
    """

    def __init__(
        self,
        *,
        pair_similarity: float,
        pairs_per_fragment: int,
        pairs_per_claim: int,
        is_cross_language: bool = False,
    ) -> None:
        self._pair_similarity = pair_similarity
        self._pairs_per_fragment = pairs_per_fragment
        self._pairs_per_claim = pairs_per_claim
        self._is_cross_language = is_cross_language
        self._fragments = _Side()
        self._claims = _Side()
        self._hypotheses: list[int] = []

    def add_fragments(self, fragments: Sequence[FragmentSketch]) -> list[Pair]:
        """Remember new fragments; the pairs they make with the claims known so far, best first for each."""
        import numpy as np

        fresh = list({one.id: one for one in fragments if one.id not in self._fragments.rows}.values())
        words = [with_kinds(matching_words(fragment.text)) for fragment in fresh]
        for fragment, own in zip(fresh, words, strict=True):
            self._fragments.add(fragment.id, fragment.language, own, fragment.vectors)
        similarities = self._claims.similarities([fragment.vectors for fragment in fresh])
        whole = self._claim_weights()
        pairs: list[Pair] = []
        for fragment, own, similarity in zip(fresh, words, similarities, strict=True):
            overlap = self._claims.weights(own, self._weight) / whole
            comparable = self._comparable(self._claims, fragment.language)
            best = (similarity + overlap)[comparable].max(initial=0.0)
            self._fragments.best[self._fragments.rows[fragment.id]] = best
            asked = np.full(len(self._claims.ids), self._asked(best), np.float32)
            asked[self._hypotheses] = LEAST_SCORE
            passing = comparable & self._passes(similarity, overlap, asked)
            pairs += [
                Pair(fragment.id, self._claims.ids[row], float(similarity[row]), float(overlap[row]))
                for row in _highest(passing, similarity + overlap, self._pairs_per_fragment)
            ]
        return pairs

    def add_claims(self, claims: Sequence[ClaimSketch]) -> list[Pair]:
        """Remember new claims; the pairs they make with the fragments known so far, best first for each."""
        import numpy as np

        fresh = list({one.id: one for one in claims if one.id not in self._claims.rows}.values())
        words = [matching_words(claim.text) for claim in fresh]
        for claim, own in zip(fresh, words, strict=True):
            self._claims.add(claim.id, claim.language, own, claim.vector.reshape(1, -1))
            if claim.is_hypothesis:
                self._hypotheses.append(self._claims.rows[claim.id])
        similarities = self._fragments.similarities([claim.vector.reshape(1, -1) for claim in fresh])
        pairs: list[Pair] = []
        for claim, own, similarity in zip(fresh, words, similarities, strict=True):
            overlap = self._fragments.weights(own, self._weight) / max(sum(map(self._weight, own)), _TINY)
            comparable = self._comparable(self._fragments, claim.language)
            best = self._fragments.raise_best(similarity + overlap, comparable)
            asked = np.full(len(best), LEAST_SCORE, np.float32) if claim.is_hypothesis else self._asked(best)
            passing = comparable & self._passes(similarity, overlap, asked)
            pairs += [
                Pair(self._fragments.ids[row], claim.id, float(similarity[row]), float(overlap[row]))
                for row in _highest(passing, similarity + overlap, self._pairs_per_claim)
            ]
        return pairs

    def _comparable(self, side: "_Side", language: str) -> "NDArray[np.bool_]":
        """Those of one side that may meet something in this language."""
        import numpy as np

        return np.ones(len(side.ids), bool) if self._is_cross_language else side.in_language(language)

    def _asked(self, best: "NDArray[np.float32] | np.float32") -> "NDArray[np.float32]":
        """The score that a pair must have, given the best score of its fragment."""
        import numpy as np

        asked: NDArray[np.float32] = np.clip(np.asarray(best, np.float32) - MARGIN, LEAST_SCORE, ENOUGH_SCORE)
        return asked

    def _passes(
        self, similarity: "NDArray[np.float32]", overlap: "NDArray[np.float32]", asked: "NDArray[np.float32]"
    ) -> "NDArray[np.bool_]":
        """Which pairs are worth judging, given the score asked of each."""
        is_near = (similarity >= self._pair_similarity) & (similarity + overlap >= asked)
        passing: NDArray[np.bool_] = is_near | (overlap >= STRONG_OVERLAP)
        return passing

    def _claim_weights(self) -> "NDArray[np.float32]":
        """For each claim, the weight of all its words, of which a fragment has a share."""
        import numpy as np

        weights = [sum(map(self._weight, words)) for words in self._claims.words]
        return np.maximum(np.array(weights, np.float32), _TINY)

    def _weight(self, word: str) -> float:
        """How rare a word is among the fragments."""
        return log(1 + (len(self._fragments.ids) + 1) / (len(self._fragments.postings.get(word, ())) + 1))


def _highest(passing: "NDArray[np.bool_]", score: "NDArray[np.float32]", limit: int) -> list[int]:
    """The rows that pass, the highest first, at most `limit`."""
    import numpy as np

    rows = np.flatnonzero(passing)
    return [int(row) for row in rows[np.argsort(-score[rows], kind="stable")[:limit]]]


class _Side:
    """Fragments or claims: ids, languages, words with posting lists, and vectors, of which one row may have several."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.rows: dict[str, int] = {}
        self.words: list[frozenset[str]] = []
        self.postings: dict[str, array[int]] = {}
        self.best: array[float] = array("f")
        self._languages: dict[str, array[int]] = {}
        self._vectors = Rows()
        self._starts: list[int] = []

    def add(self, name: str, language: str, words: frozenset[str], vectors: "NDArray[np.float32]") -> None:
        import numpy as np

        row = len(self.ids)
        self.ids.append(name)
        self.rows[name] = row
        self.words.append(words)
        self.best.append(0.0)
        self._languages.setdefault(language, array("i")).append(row)
        self._starts.append(len(self._vectors))
        self._vectors.extend(vectors if len(vectors) else np.zeros((1, vectors.shape[1]), np.float32))
        for word in words:
            self.postings.setdefault(word, array("i")).append(row)

    def raise_best(self, score: "NDArray[np.float32]", comparable: "NDArray[np.bool_]") -> "NDArray[np.float32]":
        """The best score that each row has had so far, this one included."""
        import numpy as np

        raised = np.maximum(np.array(self.best, np.float32), np.where(comparable, score, 0.0)).astype(np.float32)
        self.best = array("f", raised.tobytes())
        return raised

    def similarities(self, groups: "Sequence[NDArray[np.float32]]") -> "list[NDArray[np.float32]]":
        """For each group of vectors and each row, the highest similarity of any two of theirs; one product for all."""
        import numpy as np

        if not self.ids or not groups:
            return [np.zeros(len(self.ids), np.float32) for _ in groups]
        asked = np.concatenate(groups)
        products = np.maximum.reduceat(self._vectors.matrix(asked.shape[1]) @ asked.T, self._starts, axis=0)
        ends = np.cumsum([len(group) for group in groups])
        return [
            products[:, end - len(group) : end].max(axis=1, initial=0) for end, group in zip(ends, groups, strict=True)
        ]

    def weights(self, words: Iterable[str], weight: Callable[[str], float]) -> "NDArray[np.float32]":
        """For each row, the summed weight of those words that it has."""
        import numpy as np

        total = np.zeros(len(self.ids), np.float32)
        for word in words:
            if word in self.postings:
                total[np.array(self.postings[word])] += weight(word)
        return total

    def in_language(self, language: str) -> "NDArray[np.bool_]":
        import numpy as np

        mask = np.zeros(len(self.ids), bool)
        mask[np.array(self._languages.get(language, array("i")))] = True
        return mask
