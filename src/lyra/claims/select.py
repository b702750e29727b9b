"""Which statements become claims: those that bear on the question or a hypothesis, and do not merely repeat it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.claims.words import content_words, same_key
from lyra.ml.protocols import Embedder
from lyra.model.claim import Statement
from lyra.text import shingles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ECHO_FROM = 0.8
# Half of a query's words, and at least two of them, in one sentence is no accident.
STRONG_OVERLAP = 0.5
_LEAST_SHARED = 2


@dataclass(frozen=True, slots=True)
class Selected:
    """A statement that is to be a claim. `index` is its place among those given; `relevance` from 0 to 1."""

    index: int
    statement: Statement
    relevance: float
    vector: "NDArray[np.float32]"


class ClaimSelector:
    """Chooses a page's claims by similarity and shared words.

    Give it an embedder that remembers: the queries come again with every page.
    """

    def __init__(self, embedder: Embedder, *, relevance_floor: float, claims_per_page: int) -> None:
        self._embedder = embedder
        self._relevance_floor = relevance_floor
        self._claims_per_page = claims_per_page

    async def select(
        self, statements: Sequence[Statement], queries: Sequence[str], hypotheses: Sequence[str] = ()
    ) -> list[Selected]:
        """The page's claims in reading order, at most as many as a page may give.

        `queries` are the question and the searches, which no claim may merely repeat; `hypotheses` may be repeated:
        a source that says the very words of a hypothesis is what is looked for.
        """
        wanted = [text for text in dict.fromkeys((*queries, *hypotheses)) if text.strip()]
        fresh = await asyncio.to_thread(_without_echoes, statements, queries)
        if not fresh or not wanted:
            return []
        embedded = await self._embedder.embed([*wanted, *(found.text for _, found in fresh)])
        vectors = embedded[len(wanted) :]
        similarities = (vectors @ embedded[: len(wanted)].T).max(axis=1)
        return await asyncio.to_thread(self._best, fresh, vectors, similarities, wanted)

    def _best(
        self,
        fresh: Sequence[tuple[int, Statement]],
        vectors: "NDArray[np.float32]",
        similarities: "NDArray[np.float32]",
        wanted: Sequence[str],
    ) -> list[Selected]:
        words = [content_words(text) for text in wanted]
        selected = []
        for (index, found), vector, similarity in zip(fresh, vectors, similarities, strict=True):
            own = content_words(found.text)
            overlap = _overlap(own, words)
            is_near = similarity >= self._relevance_floor and (found.language == "en" or _shares_a_word(own, words))
            if is_near or overlap >= STRONG_OVERLAP:
                selected.append(Selected(index, found, max(float(similarity), overlap), vector))
        best = sorted(selected, key=_rank)[: self._claims_per_page]
        return sorted(best, key=lambda one: one.index)


def _without_echoes(statements: Sequence[Statement], queries: Sequence[str]) -> list[tuple[int, Statement]]:
    return [(index, found) for index, found in enumerate(statements) if not is_echo(found.text, queries)]


def _rank(one: Selected) -> tuple[float, int]:
    return -(one.relevance + one.statement.score), one.index


def is_echo(text: str, queries: Sequence[str]) -> bool:
    """Whether a statement is one of the queries again, up to case, punctuation and a word or two."""
    key = same_key(text)
    return any(key == same_key(query) or _resemblance(key, same_key(query)) >= ECHO_FROM for query in queries)


def _resemblance(one: str, other: str) -> float:
    first, second = shingles(one, 3), shingles(other, 3)
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


def _shares_a_word(words: frozenset[str], wanted: Sequence[frozenset[str]]) -> bool:
    """The bundled embedder finds any two Japanese sentences alike (0.5 measured): they need a word in common too."""
    return any(words & query for query in wanted)


def _overlap(words: frozenset[str], wanted: Sequence[frozenset[str]]) -> float:
    """The largest share of any query's words that the statement has; one shared word alone is none."""
    shares = [
        len(words & query) / len(query) for query in wanted if len(words & query) >= min(_LEAST_SHARED, len(query)) > 0
    ]
    return max(shares, default=0.0)
