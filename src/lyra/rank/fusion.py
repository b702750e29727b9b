"""How BM25 and the embedding become one score (SPEC §13, Fusion). Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.settings import Ranking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f]")


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part counts for."""

    bm25: float
    embedding: float


def query_language(query: str) -> str:
    """`ja` or `en` by script. A Japanese query is often kanji alone, so kana is not asked for."""
    return "ja" if _CJK.search(query) else "en"


def weights_for(language: str, settings: Ranking, card: Mapping[str, Mapping[str, float]]) -> Weights:
    """The user's weights where he set any; else what the embedder's card says of the language, or of all."""
    if settings.model_fields_set & {"bm25_weight", "embedding_weight"}:
        return Weights(settings.bm25_weight, settings.embedding_weight)
    chosen = card.get(language) or card.get("default")
    if chosen is None:
        return Weights(settings.bm25_weight, settings.embedding_weight)
    return Weights(chosen["bm25"], chosen["embedding"])


def fuse(
    bm25: "NDArray[np.float64]", cosine: "NDArray[np.floating]", weights: Weights
) -> "tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]":
    """The fused score, BM25 divided by the pool's maximum, and the cosine clipped to [0, 1]."""
    import numpy as np

    highest = bm25.max(initial=0.0)
    lexical = bm25 / highest if highest > 0 else np.zeros_like(bm25)
    semantic = np.clip(cosine.astype(np.float64), 0.0, 1.0)
    return weights.bm25 * lexical + weights.embedding * semantic, lexical, semantic
