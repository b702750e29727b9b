"""Which fragment is worth judging against which found claim: similar vectors and shared words, never all × all."""

import sys
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum, log
from typing import TYPE_CHECKING

from lyra.claims.drug_classes import with_classes
from lyra.claims.rows import Rows
from lyra.claims.words import matching_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A pair's score is its similarity plus its share of common words. How high it must be depends on the fragment: little
# below what the fragment's best claim has, within these bounds.
LEAST_SCORE = 0.75
ENOUGH_SCORE = 1.0
MARGIN = 0.2
# From this share of a claim's weighted words in a fragment the pair is judged whatever the vectors say.
STRONG_OVERLAP = 0.6
_TINY = 1e-6
# Below these places a product of matrices depends on their shape, and so on what was read before.
_PLACES = 4
_SUM_PLACES = 6
# Fragments compared with all claims at once: 4 MB with 2000 claims, which every thread that did it once keeps.
_AT_ONCE = 128


@dataclass(frozen=True, slots=True)
class FragmentSketch:
    """What the prefilter knows of a fragment; `vectors` has one row for each sentence, or one for the whole. `context`
    are the title and headings that it stands under."""

    id: str
    text: str
    language: str
    vectors: "NDArray[np.float32]"
    page_id: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class ClaimSketch:
    """What the prefilter knows of a claim; `vector` is one row. What the client asked about is a hypothesis."""

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
    page causes does not grow with the pages before it. Hypotheses only tell what else a fragment is like: their pairs
    are `HypothesisPairs`'. CPU-bound: call it off the event loop.

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
        self._fragments = _TextIndex()
        self._claims = _TextIndex()
        self._hypotheses: list[int] = []

    def remember_fragments(self, fragments: Iterable[FragmentSketch]) -> list[FragmentSketch]:
        """Know these fragments from now on; those that are new."""
        fresh = list({one.id: one for one in fragments if one.id not in self._fragments.rows}.values())
        for one in fresh:
            self._fragments.add(one.id, one.language, with_classes(matching_words(one.text)), one.vectors)
        return fresh

    def remember_claims(self, claims: Iterable[ClaimSketch]) -> list[ClaimSketch]:
        """Know these claims from now on; those that are new."""
        fresh = list({one.id: one for one in claims if one.id not in self._claims.rows}.values())
        for one in fresh:
            self._claims.add(one.id, one.language, matching_words(one.text), one.vector.reshape(1, -1))
        self._hypotheses += [self._claims.rows[one.id] for one in fresh if one.is_hypothesis]
        return fresh

    def add_fragments(self, fragments: Sequence[FragmentSketch]) -> list[Pair]:
        """Remember new fragments; the pairs they make with the claims known so far, best first for each."""
        import numpy as np

        fresh = self.remember_fragments(fragments)
        similarities = self._claims.similarities([fragment.vectors for fragment in fresh])
        whole = self._claim_weights()
        pairs: list[Pair] = []
        for fragment, similarity in zip(fresh, similarities, strict=True):
            overlap = self._claims.weights(self._fragments.words_of(fragment.id), self._weight) / whole
            comparable = self._comparable(self._claims, fragment.language)
            best = (similarity + overlap)[comparable].max(initial=0.0)
            required = np.full(len(self._claims.ids), self._required_score(best), np.float32)
            passing = comparable & self._passes(similarity, overlap, required)
            passing[self._hypotheses] = False
            pairs += [
                Pair(fragment.id, self._claims.ids[row], float(similarity[row]), float(overlap[row]))
                for row in _highest(passing, similarity + overlap, self._claims.ids, self._pairs_per_fragment)
            ]
        return pairs

    def add_claims(self, claims: Sequence[ClaimSketch]) -> list[Pair]:
        """Remember new claims; the pairs they make with the fragments known so far, best first for each."""
        import numpy as np

        fresh = self.remember_claims(claims)
        similarities = self._fragments.similarities([claim.vector.reshape(1, -1) for claim in fresh])
        met = [self._near_fragments(*one) for one in zip(fresh, similarities, strict=True)]
        best = self._best_of(np.unique(np.concatenate([rows for _, rows in met]))) if met else {}
        pairs: list[Pair] = []
        for claim, similarity, (overlap, rows) in zip(fresh, similarities, met, strict=True):
            required = np.full(len(self._fragments.ids), LEAST_SCORE, np.float32)
            required[rows] = self._required_score(np.array([best[int(row)] for row in rows], np.float32))
            passing = np.zeros(len(required), bool)
            passing[rows] = self._passes(similarity, overlap, required)[rows]
            pairs += [
                Pair(self._fragments.ids[row], claim.id, float(similarity[row]), float(overlap[row]))
                for row in _highest(passing, similarity + overlap, self._fragments.ids, self._pairs_per_claim)
            ]
        return pairs

    def _near_fragments(
        self, claim: ClaimSketch, similarity: "NDArray[np.float32]"
    ) -> "tuple[NDArray[np.float32], NDArray[np.intp]]":
        """How much of a claim's words each fragment has, and the fragments that are not too far from it."""
        import numpy as np

        words = self._claims.words_of(claim.id)
        overlap = self._fragments.weights(words, self._weight) / max(fsum(map(self._weight, words)), _TINY)
        least = np.full(len(overlap), LEAST_SCORE, np.float32)
        passing = self._comparable(self._fragments, claim.language) & self._passes(similarity, overlap, least)
        return overlap, np.flatnonzero(passing)

    def _best_of(self, rows: "NDArray[np.intp]") -> dict[int, float]:
        """The best score of each of these fragments, over all claims and by the words as they weigh now.

        Not remembered from when they were read: after a restart the same pairs must be judged as without one.
        """
        whole = self._claim_weights()
        best = {}
        for row, similarity in self._similarities_of(rows.tolist()):
            overlap = self._claims.weights(self._fragments.words[row], self._weight) / whole
            comparable = self._comparable(self._claims, self._fragments.languages[row])
            best[row] = float((similarity + overlap)[comparable].max(initial=0.0))
        return best

    def _similarities_of(self, rows: Sequence[int]) -> "Iterator[tuple[int, NDArray[np.float32]]]":
        """Each of these fragments with its similarity to every claim; some at a time, for all would fill the memory."""
        for at in range(0, len(rows), _AT_ONCE):
            some = rows[at : at + _AT_ONCE]
            found = self._claims.similarities([self._fragments.vectors_of(row) for row in some])
            yield from zip(some, found, strict=True)

    def _comparable(self, index: "_TextIndex", language: str) -> "NDArray[np.bool_]":
        """Those of an index that may meet something in this language."""
        import numpy as np

        return np.ones(len(index.ids), bool) if self._is_cross_language else index.in_language(language)

    def _required_score(self, best: "NDArray[np.float32] | np.float32") -> "NDArray[np.float32]":
        """The score that a pair must have, given the best score of its fragment."""
        import numpy as np

        required: NDArray[np.float32] = np.clip(np.asarray(best, np.float32) - MARGIN, LEAST_SCORE, ENOUGH_SCORE)
        return required

    def _passes(
        self, similarity: "NDArray[np.float32]", overlap: "NDArray[np.float32]", required: "NDArray[np.float32]"
    ) -> "NDArray[np.bool_]":
        """Which pairs are worth judging, given the score required of each."""
        is_near = (similarity >= self._pair_similarity) & (similarity + overlap >= required)
        passing: NDArray[np.bool_] = is_near | (overlap >= STRONG_OVERLAP)
        return passing

    def _claim_weights(self) -> "NDArray[np.float32]":
        """For each claim, the weight of all its words, of which a fragment has a share."""
        import numpy as np

        weights = [fsum(map(self._weight, words)) for words in self._claims.words]
        return np.maximum(np.array(weights, np.float32), _TINY)

    def _weight(self, word: str) -> float:
        """How rare a word is among the fragments."""
        return log(1 + (len(self._fragments.ids) + 1) / (len(self._fragments.postings.get(word, ())) + 1))


def within_budget(
    pairs: Iterable[Pair], *, always: Collection[str], origins: Collection[tuple[str, str]], limit: int
) -> list[Pair]:
    """Each pair once: all with a claim in `always`, and of the others at most `limit`, those that state the claim
    (`origins`, as fragment and claim) before those that are merely alike, the most alike first.

    Judging is nearly all that a page costs, and in a task with hundreds of claims every page is a little like all of
    them: without a limit the two hundredth page would cost many times what the second did.
    """
    once = {(pair.fragment_id, pair.claim_id): pair for pair in pairs}
    wanted = [pair for pair in once.values() if pair.claim_id in always]
    others = [pair for pair in once.values() if pair.claim_id not in always]
    return wanted + sorted(others, key=lambda pair: _budget_rank(pair, origins))[:limit]


def best_of_each(pairs: Sequence[Pair], limit: int) -> list[Pair]:
    """At most `limit` of the pairs, in their order: the best of each claim, then the second best of each, and so on.

    Which claim a page speaks of most must not decide whether the others are judged at all.
    """
    if len(pairs) <= limit:
        return list(pairs)
    places: Counter[str] = Counter()
    ranked: list[tuple[int, int]] = []
    for at in sorted(range(len(pairs)), key=lambda at: _budget_rank(pairs[at], ())):
        places[pairs[at].claim_id] += 1
        ranked.append((places[pairs[at].claim_id], at))
    # Within one place the order above is kept: `sorted` is stable.
    kept = sorted(ranked, key=lambda one: one[0])[:limit]
    return [pairs[at] for at in sorted(at for _, at in kept)]


def _budget_rank(pair: Pair, origins: Collection[tuple[str, str]]) -> tuple[bool, float, str, str]:
    """Equals go by name, so that a search that was interrupted chooses as one that was not."""
    ids = (pair.fragment_id, pair.claim_id)
    return ids not in origins, -round(pair.similarity + pair.overlap, 4), *ids


def _highest(passing: "NDArray[np.bool_]", score: "NDArray[np.float32]", names: Sequence[str], limit: int) -> list[int]:
    """The rows that pass, the highest first, at most `limit`; of equals the first by name, however they came."""
    import numpy as np

    rows = [int(row) for row in np.flatnonzero(passing)]
    return sorted(rows, key=lambda row: (-round(float(score[row]), _PLACES), names[row]))[:limit]


class _TextIndex:
    """Fragments or claims: ids, languages, words with posting lists, and vectors, of which one row may have several."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.rows: dict[str, int] = {}
        self.words: list[tuple[str, ...]] = []
        self.postings: dict[str, array[int]] = {}
        self.languages: list[str] = []
        self._in_language: dict[str, array[int]] = {}
        self._vectors = Rows()
        self._starts: list[int] = []

    def add(self, name: str, language: str, words: frozenset[str], vectors: "NDArray[np.float32]") -> None:
        row = len(self.ids)
        self.ids.append(name)
        self.rows[name] = row
        self.words.append(tuple(map(sys.intern, words)))
        self.languages.append(language)
        self._in_language.setdefault(language, array("i")).append(row)
        self._starts.append(len(self._vectors))
        self._vectors.extend(_filled(vectors))
        for word in self.words[row]:
            self.postings.setdefault(word, array("i")).append(row)

    def words_of(self, name: str) -> tuple[str, ...]:
        """The words of what goes by this name."""
        return self.words[self.rows[name]]

    def vectors_of(self, row: int) -> "NDArray[np.float32]":
        """The vectors of one row."""
        start, *after = self._starts[row : row + 2]
        return self._vectors.matrix(0)[start : after[0] if after else None]

    def similarities(self, groups: "Sequence[NDArray[np.float32]]") -> "list[NDArray[np.float32]]":
        """For each group of vectors and each row, the highest similarity of any two of theirs; one product for all."""
        import numpy as np

        if not self.ids or not groups:
            return [np.zeros(len(self.ids), np.float32) for _ in groups]
        filled = [_filled(group) for group in groups]
        wanted = np.concatenate(filled)
        products = self._vectors.matrix(wanted.shape[1]) @ wanted.T
        if len(products) > len(self.ids):
            products = np.maximum.reduceat(products, self._starts, axis=0)
        firsts = np.cumsum([0, *(len(group) for group in filled[:-1])])
        return list(np.maximum.reduceat(products, firsts, axis=1).clip(0).T)

    def weights(self, words: Iterable[str], weight: Callable[[str], float]) -> "NDArray[np.float32]":
        """For each row, the summed weight of those words that it has."""
        import numpy as np

        known = [word for word in words if word in self.postings]
        if not known:
            return np.zeros(len(self.ids), np.float32)
        rows = [np.frombuffer(self.postings[word], np.intc) for word in known]
        weighed = np.repeat([weight(word) for word in known], [len(one) for one in rows])
        total = np.bincount(np.concatenate(rows), weighed, len(self.ids))
        summed: NDArray[np.float32] = total.round(_SUM_PLACES).astype(np.float32)
        return summed

    def in_language(self, language: str) -> "NDArray[np.bool_]":
        import numpy as np

        mask = np.zeros(len(self.ids), bool)
        mask[np.array(self._in_language.get(language, array("i")))] = True
        return mask


def _filled(vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """The vectors, or where there are none one that is like nothing."""
    import numpy as np

    return vectors if len(vectors) else np.zeros((1, vectors.shape[1]), np.float32)
