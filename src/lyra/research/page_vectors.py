"""The vectors of sentences and fragments; what is stored is not asked of the model again."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lyra.claims.sentences import sentence_spans
from lyra.ml.protocols import Embedder
from lyra.storage import sentence_vectors
from lyra.storage.database import Database

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


async def sentence_vectors_of(
    db: Database, embedder: Embedder, texts: Mapping[str, str]
) -> "dict[str, NDArray[np.float32]]":
    """A row for every sentence of each text, by the text's hash; what is stored is not asked of the model again."""
    kept = await db.read(sentence_vectors.get_many, texts, embedder.model_id)
    sentences = await asyncio.to_thread(_sentences, {key: text for key, text in texts.items() if key not in kept})
    vectors = await embedder.embed([one for found in sentences.values() for one in found])
    start = 0
    for key, found in sentences.items():
        kept[key] = vectors[start : start + len(found)]
        start += len(found)
    return kept


def mean_vector(vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """The mean of a fragment's sentence vectors, of length 1 again."""
    import numpy as np

    found: NDArray[np.float32] = vectors.mean(axis=0)
    length = float(np.linalg.norm(found))
    return found / np.float32(length) if length else found


def _sentences(texts: Mapping[str, str]) -> dict[str, list[str]]:
    return {key: [text[a:b] for a, b in sentence_spans(text) or [(0, len(text))]] for key, text in texts.items()}
