"""The product's ranking: BM25 over everything, the embedding over its pool, one fused order, one cut at the knee."""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from lyra.ml.protocols import Embedder
from lyra.settings.research import Ranking
from lyra.text import tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.2
B = 0.75
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f]")


class Bm25:
    """An index of documents that scores all of them for a query (Robertson and Zaragoza, 2009; k1 and b as in Lucene).

    Inverse document frequency never goes below 0.
    """

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


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """What each part counts for."""

    bm25: float
    embedding: float


def ranking_language(query: str) -> str:
    """`ja` or `en` by script. A Japanese query is often kanji alone, so kana is not asked for."""
    return "ja" if _CJK.search(query) else "en"


def weights_for(language: str, settings: Ranking, card: Mapping[str, Mapping[str, float]]) -> FusionWeights:
    """The user's weights where he set any; else what the embedder's card says of the language, or of all."""
    if settings.model_fields_set & {"bm25_weight", "embedding_weight"}:
        return FusionWeights(settings.bm25_weight, settings.embedding_weight)
    chosen = card.get(language) or card.get("default")
    if chosen is None:
        return FusionWeights(settings.bm25_weight, settings.embedding_weight)
    return FusionWeights(chosen["bm25"], chosen["embedding"])


def fuse_scores(
    bm25: "NDArray[np.float64]", cosine: "NDArray[np.floating]", weights: FusionWeights
) -> "tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]":
    """The fused score (SPEC §13, Fusion), BM25 divided by the pool's maximum, and the cosine clipped to [0, 1]."""
    import numpy as np

    highest = bm25.max(initial=0.0)
    lexical = bm25 / highest if highest > 0 else np.zeros_like(bm25)
    semantic = np.clip(cosine.astype(np.float64), 0.0, 1.0)
    return weights.bm25 * lexical + weights.embedding * semantic, lexical, semantic


def find_knee(scores: Sequence[float], sensitivity: float = 1.0) -> int | None:
    """The place of the knee of a convex, falling curve, or none where it does not bend (Satopää et al., 2011).

    Written out because the `kneed` package costs the server 0.75 s and 77 MB on first use. It finds the same knees, but
    for one: `kneed` takes the first point for a peak wherever good results form a plateau before the cliff, and would
    cut nothing there; the paper's peaks have neighbours on both sides.
    """
    count = len(scores)
    if count < 2 or scores[0] == scores[-1]:
        return None
    low, high = min(scores), max(scores)
    step = 1 / (count - 1)
    above = [1 - (score - low) / (high - low) - place * step for place, score in enumerate(scores)]
    peak: int | None = None
    for place in range(1, count - 1):
        if _is_peak(above, place):
            peak = place
        if _is_valley(above, place):
            peak = None
        if peak is not None and above[place + 1] < above[peak] - sensitivity * step:
            return peak
    return None


def count_before_knee(scores: Sequence[float], *, minimum: int, maximum: int, sensitivity: float) -> int:
    """How many of the best to keep: those before the knee of the first `maximum`, at least `minimum`.

    Without a knee all of them (EX §4.3.2).
    """
    considered = scores[:maximum]
    bend = find_knee(considered, sensitivity)
    return len(considered) if bend is None else min(max(bend, minimum), len(considered))


def _is_peak(values: Sequence[float], place: int) -> bool:
    return values[place] >= values[place - 1] and values[place] >= values[place + 1]


def _is_valley(values: Sequence[float], place: int) -> bool:
    return values[place] <= values[place - 1] and values[place] <= values[place + 1]


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document's place in the given sequence and its scores: BM25 over the pool's maximum, cosine in [0, 1]."""

    index: int
    score: float
    bm25: float
    cosine: float


@dataclass(frozen=True, slots=True)
class IndexedDocuments:
    """Documents read and indexed once, to be ranked for many queries."""

    documents: Sequence[str]
    index: Bm25


class Ranker:
    """Ranks texts for a query. `fusion` is the embedder's weights by language (from its card)."""

    def __init__(
        self, embedder: Embedder, settings: Ranking, fusion: Mapping[str, Mapping[str, float]] | None = None
    ) -> None:
        self._embedder = embedder
        self._settings = settings
        self._fusion = fusion or {}

    async def rank(self, query: str, documents: Sequence[str]) -> list[RankedDocument]:
        """The pool in falling order of score, before the cut; equal scores keep the given order."""
        return await self.rank_in(await index_documents(documents), query)

    def cut(self, ranked: Sequence[RankedDocument]) -> list[RankedDocument]:
        """The head of a ranking up to its knee."""
        kept = count_before_knee(
            [each.score for each in ranked],
            minimum=self._settings.min_results,
            maximum=self._settings.max_results,
            sensitivity=self._settings.kneedle_sensitivity,
        )
        return list(ranked[:kept])

    async def rank_in(self, corpus: IndexedDocuments, query: str) -> list[RankedDocument]:
        """`rank` over documents already read."""
        import numpy as np

        if not corpus.documents:
            return []
        weights = weights_for(ranking_language(query), self._settings, self._fusion)
        lexical = await lexical_scores(corpus, query)
        if weights.embedding > 0:
            pool, cosine = await self._semantic_pool(corpus, query, lexical)
        else:
            pool = np.argsort(-lexical, kind="stable")[: self._settings.bm25_pool]
            cosine = np.zeros(len(pool))
        score, bm25, clipped = fuse_scores(lexical[pool], cosine, weights)
        order = np.lexsort((pool, -score))
        return [RankedDocument(int(pool[i]), float(score[i]), float(bm25[i]), float(clipped[i])) for i in order]

    async def _semantic_pool(
        self, corpus: IndexedDocuments, query: str, lexical: "NDArray[np.float64]"
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


async def index_documents(documents: Sequence[str]) -> IndexedDocuments:
    """Split documents into words and index them, off the event loop."""

    def index() -> Bm25:
        return Bm25([tokens(document) for document in documents])

    return IndexedDocuments(documents, await asyncio.to_thread(index))


async def lexical_scores(corpus: IndexedDocuments, query: str) -> "NDArray[np.float64]":
    """BM25 of every document, off the event loop (Japanese words need a dictionary)."""
    return await asyncio.to_thread(lambda: corpus.index.scores(tokens(query)))
