"""A small BM25 over titles and texts: words for Latin script, character bigrams for Japanese."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(r"[a-z]+|\d+(?:\.\d+)?|[\u3040-\u30ff\u3400-\u9fff々ー]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_STOPWORDS = frozenset(
    "a an and are as at be by can did do does for from has have how in is it its of on or than that the "
    "their there this to was were what when where which who why will with".split()
)


def normalise(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def tokens(text: str) -> list[str]:
    """Index terms; English plurals are cut, stop words dropped."""
    terms: list[str] = []
    for match in _TOKEN.finditer(normalise(text)):
        term = match.group()
        if _WIDE.match(term):
            terms.extend(term[i : i + 2] for i in range(max(1, len(term) - 1)))
        elif term not in _STOPWORDS:
            terms.append(_singular(term))
    return terms


@lru_cache(maxsize=2_000)
def _terms(text: str) -> Counter[str]:
    """Kept, because every engine indexes the same texts."""
    return Counter(tokens(text))


def _counted(text: str, weight: int) -> Counter[str]:
    return Counter({term: count * weight for term, count in _terms(text).items()})


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "is", "us")):
        return word[:-1]
    return word


@dataclass(frozen=True)
class Weights:
    """BM25's k1 and b (Robertson and Zaragoza 2009), how often a title counts, and the least share of the
    query's terms that a result must hold."""

    k1: float = 1.4
    b: float = 0.6
    title: int = 3
    least_share: float = 0.34


class Bm25:
    """Scores documents, each given as title and text, against a query."""

    def __init__(self, documents: Iterable[tuple[str, str]], weights: Weights | None = None) -> None:
        self._weights = weights or Weights()
        title_weight = self._weights.title
        self._counts = [_counted(title, title_weight) + _counted(text, 1) for title, text in documents]
        self._lengths = [counts.total() for counts in self._counts]
        self._mean_length = sum(self._lengths) / max(1, len(self._lengths))
        self._frequency = Counter(term for counts in self._counts for term in counts)

    def rank(self, query: str) -> list[tuple[int, float]]:
        """Document numbers with scores, best first; documents that hold too few of the terms are left out."""
        terms = list(dict.fromkeys(tokens(query)))
        least = max(1, math.ceil(len(terms) * self._weights.least_share))
        scored = [
            (number, self._score(number, terms))
            for number, counts in enumerate(self._counts)
            if terms and sum(term in counts for term in terms) >= least
        ]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))

    def _score(self, number: int, terms: Sequence[str]) -> float:
        k1, b = self._weights.k1, self._weights.b
        counts, size = self._counts[number], len(self._counts)
        length = k1 * (1 - b + b * self._lengths[number] / self._mean_length)
        score = 0.0
        for term in terms:
            frequency = counts[term]
            if frequency:
                known = self._frequency[term]
                idf = math.log(1 + (size - known + 0.5) / (known + 0.5))
                score += idf * frequency * (k1 + 1) / (frequency + length)
        return score
