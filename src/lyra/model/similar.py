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
    hits: tuple[SimilarHit, ...]
    total_searched: int
