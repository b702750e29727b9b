"""What is nearest in meaning to a text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SimilarHit:
    """A claim or fragment with its cosine similarity and the beginning of its words."""

    id: str
    similarity: float
    text_preview: str


@dataclass(frozen=True, slots=True)
class SimilarAnswer:
    """`not_yet_embedded` counts texts in scope that have only vectors of another model, and were not searched."""

    hits: tuple[SimilarHit, ...]
    total_searched: int
    not_yet_embedded: int = 0
