"""The product's ranking: BM25 over everything, the embedding over its pool, one fused order, one cut."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.ml.protocols import Embedder
from lyra.rank.bm25 import Bm25
from lyra.rank.fusion import fuse, query_language, weights_for
from lyra.rank.kneedle import cut
from lyra.settings import Ranking
from lyra.text import tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document's place in the given sequence and its scores: BM25 over the pool's maximum, cosine in [0, 1]."""

    index: int
    score: float
    bm25: float
    cosine: float


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents read and indexed once, to be ranked for many queries."""

    documents: Sequence[str]
    index: Bm25


class Ranker:
    """Ranks texts for a query. `fusion` is the embedder's own word on weights by language (its card)."""

    def __init__(
        self, embedder: Embedder, settings: Ranking, fusion: Mapping[str, Mapping[str, float]] | None = None
    ) -> None:
        self._embedder = embedder
        self._settings = settings
        self._fusion = fusion or {}

    async def rank(self, query: str, documents: Sequence[str]) -> list[Ranked]:
        """The pool in falling order of score, before the cut; equal scores keep the given order."""
        return await self.rank_in(await read(documents), query)

    def cut(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """The head of a ranking up to its knee."""
        kept = cut(
            [each.score for each in ranked],
            minimum=self._settings.min_results,
            maximum=self._settings.max_results,
            sensitivity=self._settings.kneedle_sensitivity,
        )
        return list(ranked[:kept])

    async def rank_in(self, corpus: Corpus, query: str) -> list[Ranked]:
        """`rank` over documents already read."""
        import numpy as np

        if not corpus.documents:
            return []
        weights = weights_for(query_language(query), self._settings, self._fusion)
        lexical = await lexical_scores(corpus, query)
        if weights.embedding > 0:
            pool, cosine = await self._semantic_pool(corpus, query, lexical)
        else:
            pool = np.argsort(-lexical, kind="stable")[: self._settings.bm25_pool]
            cosine = np.zeros(len(pool))
        score, bm25, clipped = fuse(lexical[pool], cosine, weights)
        order = np.lexsort((pool, -score))
        return [Ranked(int(pool[i]), float(score[i]), float(bm25[i]), float(clipped[i])) for i in order]

    async def _semantic_pool(
        self, corpus: Corpus, query: str, lexical: "NDArray[np.float64]"
    ) -> "tuple[NDArray[np.intp], NDArray[np.float64]]":
        """The documents that go on and their cosines: BM25's best; where words match too few, meaning fills up."""
        import numpy as np

        size = self._settings.bm25_pool
        by_words = np.argsort(-lexical, kind="stable")
        matching = int((lexical > 0).sum())
        asked = by_words[:size] if matching >= size else by_words
        vectors = await self._embedder.embed([query, *(corpus.documents[place] for place in asked)])
        cosine = (vectors[1:] @ vectors[0]).astype(np.float64)
        if len(asked) > size:
            kept = np.lexsort((-cosine, np.arange(len(asked)) >= matching))[:size]
            asked, cosine = asked[kept], cosine[kept]
        return asked, cosine


async def read(documents: Sequence[str]) -> Corpus:
    """Split documents into words and index them, off the event loop."""

    def index() -> Bm25:
        return Bm25([tokens(document) for document in documents])

    return Corpus(documents, await asyncio.to_thread(index))


async def lexical_scores(corpus: Corpus, query: str) -> "NDArray[np.float64]":
    """BM25 of every document, off the event loop (Japanese words need a dictionary)."""
    return await asyncio.to_thread(lambda: corpus.index.scores(tokens(query)))
