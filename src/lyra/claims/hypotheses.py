"""Which fragment is judged against which hypothesis: what the client asked is met more generously than what was found.

One threshold for all does not do: some hypotheses are like nearly every page of their topic and some texts like nearly
every hypothesis, and a sentence that decides often shares no word with the claim ("The telephone was too generous.").
So a pair is measured by what is usual for its hypothesis and for its fragment, with the title, the headings and the
rest of its page in view, and the highest share of all pairs is judged.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from lyra.claims.drug_classes import with_classes
from lyra.claims.pairs import STRONG_OVERLAP, ClaimSketch, FragmentSketch, Pair
from lyra.claims.rows import Rows
from lyra.claims.words import matching_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

# The share of a task's pairs that is judged: of one hypothesis four in five, of many about half. Of the planted pairs
# of eight topics this judges 98 to 100 %, of a ninth, whose pages all speak of one company, 93 % (87 % at .35).
_SHARE = 0.5
_SHARE_OF_ONE = 0.45
_LARGEST_SHARE = 0.8
# What is usual is not known before so many fragments were read; until then up to twice the share is judged.
_ENOUGH_FRAGMENTS = 60
_LARGEST_FIRST_SHARE = 0.9
# A shared word says more than nearness of vectors, and the rest of the page half of what the fragment itself does.
_SIMILARITY_WEIGHT = 0.5
_PAGE_WEIGHT = 0.5
_LEAST_SPREAD = 0.05
_PLACES = 4


class HypothesisPairs:
    """The hypotheses of one task and the fragments that met them; hypotheses must be known before fragments come.

    Pairs of two languages are left out, as `PairIndex` does. CPU-bound: call it off the event loop.
    """

    def __init__(self, *, pair_similarity: float, pairs_per_fragment: int) -> None:
        self._pair_similarity = pair_similarity
        self._pairs_per_fragment = pairs_per_fragment
        self._by_language: dict[str, _Table] = {}
        self._known: set[str] = set()

    def remember_hypotheses(self, claims: Iterable[ClaimSketch]) -> None:
        """Know these from now on; claims that are no hypotheses are passed over."""
        by_language: dict[str, list[ClaimSketch]] = {}
        for one in claims:
            if one.is_hypothesis:
                by_language.setdefault(one.language, []).append(one)
        self._by_language |= {language: _Table(found) for language, found in by_language.items()}

    def remember_fragments(self, fragments: Iterable[FragmentSketch]) -> list[FragmentSketch]:
        """Know these fragments from now on; those that are new and in the language of a hypothesis."""
        fresh = list({one.id: one for one in fragments if one.id not in self._known}.values())
        self._known |= {one.id for one in fresh}
        met = [one for one in fresh if one.language in self._by_language]
        for one in met:
            self._by_language[one.language].add(one)
        return met

    def add_fragments(self, fragments: Sequence[FragmentSketch]) -> list[Pair]:
        """Remember the new fragments of a page; the pairs they make with the hypotheses, best first for each."""
        fresh = self.remember_fragments(fragments)
        pairs: list[Pair] = []
        for language, table in self._by_language.items():
            own = [one.id for one in fresh if one.language == language]
            if own:
                pairs += self._chosen(table, own)
        return pairs

    def _chosen(self, table: "_Table", own: Sequence[str]) -> list[Pair]:
        """The pairs of the last fragments of a table that are judged."""
        import numpy as np

        measured = table.measured()
        above_usual = _above_usual(measured.likeness)
        cut = np.quantile(above_usual, 1 - _share(len(table.ids), len(above_usual)), method="lower")
        last = slice(len(above_usual) - len(own), None)
        similarity, overlap = measured.similarity[last], measured.overlap[last]
        is_near = measured.score_of_page[last] >= self._pair_similarity
        passing = is_near & (above_usual[last] >= cut) | (overlap >= STRONG_OVERLAP)
        return [
            Pair(fragment_id, table.ids[column], float(similarity[row, column]), float(overlap[row, column]))
            for row, fragment_id in enumerate(own)
            for column in _best(passing[row], above_usual[last][row], table.ids)[: self._pairs_per_fragment]
        ]


@dataclass(frozen=True, slots=True)
class _Measured:
    """One row a fragment, one column a hypothesis; `likeness` is all of it, the page of the fragment included."""

    similarity: "Matrix"
    overlap: "Matrix"
    score_of_page: "Matrix"
    likeness: "Matrix"


class _Table:
    """The hypotheses of one language, and how the fragments of that language meet them."""

    def __init__(self, hypotheses: Sequence[ClaimSketch]) -> None:
        import numpy as np

        words = [matching_words(one.text) for one in hypotheses]
        self.ids = [one.id for one in hypotheses]
        self._vectors = np.stack([one.vector.reshape(-1) for one in hypotheses])
        self._words = {word: at for at, word in enumerate(sorted(frozenset().union(*words)))}
        self._is_in_hypothesis = np.array([[word in own for own in words] for word in self._words], np.float32)
        self._is_in_hypothesis = self._is_in_hypothesis.reshape(len(self._words), len(self.ids))
        self._similarity, self._own_words, self._words_in_context = Rows(), Rows(), Rows()
        self._pages: list[int] = []
        self._page_numbers: dict[str, int] = {}

    def add(self, fragment: FragmentSketch) -> None:
        own_words = with_classes(matching_words(fragment.text))
        in_context = own_words | with_classes(matching_words(fragment.context))
        near = fragment.vectors @ self._vectors.T
        self._similarity.extend(near.max(axis=0, initial=0.0, keepdims=True))
        self._own_words.extend(self._marked(own_words))
        self._words_in_context.extend(self._marked(in_context))
        self._pages.append(self._page_numbers.setdefault(fragment.page_id, len(self._page_numbers)))

    def measured(self) -> _Measured:
        """All fragments so far, by the words as they weigh now: after a restart the same pairs must be judged."""
        import numpy as np

        own_words = self._own_words.matrix(len(self._words))
        weights = np.array([log(1 + (len(own_words) + 1) / (count + 1)) for count in own_words.sum(axis=0)], np.float32)
        shares = self._is_in_hypothesis * weights[:, None]
        shares = shares / np.maximum(shares.sum(axis=0), _LEAST_SPREAD)
        similarity = self._similarity.matrix(len(self.ids))
        overlap, in_context = own_words @ shares, self._words_in_context.matrix(len(self._words)) @ shares
        own = _SIMILARITY_WEIGHT * similarity + (overlap + in_context) / 2
        score = self._of_page(similarity + overlap)
        return _Measured(similarity, overlap, score, own + _PAGE_WEIGHT * self._of_page(own))

    def _of_page(self, values: "Matrix") -> "Matrix":
        """For each fragment the highest values on its page."""
        import numpy as np

        best = np.zeros((len(self._page_numbers), len(self.ids)), np.float32)
        np.maximum.at(best, self._pages, values)
        return best[self._pages]

    def _marked(self, words: frozenset[str]) -> "Matrix":
        import numpy as np

        row = np.zeros((1, len(self._words)), np.float32)
        row[0, [self._words[word] for word in words if word in self._words]] = 1
        return row


def _above_usual(likeness: "Matrix") -> "Matrix":
    """How far each pair stands above what is usual for its hypothesis and, where there are several, its fragment."""
    count = likeness.shape[1]
    for_hypothesis = (likeness - likeness.mean(axis=0)) / (likeness.std(axis=0) + _LEAST_SPREAD)
    spread = likeness.std(axis=1, keepdims=True) + _LEAST_SPREAD
    for_fragment = (likeness - likeness.mean(axis=1, keepdims=True)) / spread
    # Of two hypotheses one is always above the mean of both: the fewer, the less that says.
    above_usual: Matrix = (for_hypothesis + for_fragment * (count - 1) / (count + 1)).round(_PLACES)
    return above_usual


def _share(hypotheses: int, fragments: int) -> float:
    """The share of pairs that is judged, given how many there are of each."""
    share = min(_LARGEST_SHARE, _SHARE + _SHARE_OF_ONE / hypotheses)
    first = max(0.0, 1 - fragments / _ENOUGH_FRAGMENTS)
    return min(max(_LARGEST_FIRST_SHARE, share), share * (1 + first))


def _best(passing: "NDArray[np.bool_]", above_usual: "Matrix", names: Sequence[str]) -> list[int]:
    """The columns that pass, the highest first; of equals the first by name."""
    import numpy as np

    return sorted(np.flatnonzero(passing).tolist(), key=lambda at: (-float(above_usual[at]), names[at]))
