"""BM25 over documents given as words (Robertson and Zaragoza, 2009; k1 and b as in Lucene)."""

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.2
B = 0.75


class Bm25:
    """An index of documents that scores all of them for a query. Inverse document frequency never goes below 0."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        import numpy as np

        lengths = np.array([len(words) for words in documents], np.float64)
        mean = lengths.mean() if lengths.any() else 1.0
        self._norms = K1 * (1 - B + B * lengths / mean)
        self._postings: dict[str, tuple[list[int], list[int]]] = {}
        for place, words in enumerate(documents):
            for word, count in Counter(words).items():
                places, counts = self._postings.setdefault(word, ([], []))
                places.append(place)
                counts.append(count)

    def scores(self, query: Sequence[str]) -> "NDArray[np.float64]":
        """One score per document, 0 where no word of the query occurs; a word asked twice counts twice."""
        import numpy as np

        total = np.zeros(len(self._norms))
        for word, weight in Counter(query).items():
            if word not in self._postings:
                continue
            places, counts = (np.asarray(part) for part in self._postings[word])
            total[places] += weight * self._rarity(len(places)) * counts * (K1 + 1) / (counts + self._norms[places])
        return total

    def _rarity(self, documents_with: int) -> float:
        return log(1 + (len(self._norms) - documents_with + 0.5) / (documents_with + 0.5))
