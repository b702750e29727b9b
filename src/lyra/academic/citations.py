"""Which cited and citing papers are worth reading (SPEC §3.5): two stages, and the limits a search keeps to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.model.work import CitationLink, Work

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STAGE_ONE_KEPT = 30
# What the second judge is shown of an abstract, and what an answer that cannot be read counts.
ABSTRACT_CHARS = 500
UNREAD_RELEVANCE = 0.5


@dataclass(frozen=True, slots=True)
class ScoredLink:
    """A link, the paper on its other side, and how promising it is."""

    link: CitationLink
    other: Work
    score: float


def related(work: Work, links: Sequence[CitationLink]) -> tuple[tuple[CitationLink, Work], ...]:
    """The paper on the other side of each link, where it has an abstract to judge it by."""
    pairs = ((link, link.cited if link.citing.id == work.id else link.citing) for link in links)
    return tuple((link, other) for link, other in pairs if other.abstract)


def stage_one(
    pairs: Sequence[tuple[CitationLink, Work]],
    source: "NDArray[np.float32]",
    vectors: "NDArray[np.float32]",
    kept: int = STAGE_ONE_KEPT,
) -> tuple[ScoredLink, ...]:
    """`0.5·influential + 0.5·cosine` between the abstracts of the paper and of each pair, best first."""
    similarities = _cosines(source, vectors)
    scored = [
        ScoredLink(link, other, 0.5 * link.is_influential + 0.5 * similarity)
        for (link, other), similarity in zip(pairs, similarities, strict=True)
    ]
    return tuple(sorted(scored, key=lambda one: (-one.score, one.other.id))[:kept])


def stage_two(scored: Sequence[ScoredLink], relevances: Sequence[float | None]) -> tuple[ScoredLink, ...]:
    """`0.5·relevance + 0.3·stage 1 + 0.2·influential`, best first; relevance in [0, 1], None where it is unknown."""
    judged = [
        ScoredLink(one.link, one.other, 0.5 * _known(relevance) + 0.3 * one.score + 0.2 * one.link.is_influential)
        for one, relevance in zip(scored, relevances, strict=True)
    ]
    return tuple(sorted(judged, key=lambda one: (-one.score, one.other.id)))


def _known(relevance: float | None) -> float:
    return UNREAD_RELEVANCE if relevance is None else relevance


def keep(by_paper: Sequence[Sequence[ScoredLink]], per_paper: int = 10, per_search: int = 40) -> tuple[ScoredLink, ...]:
    """The best of each paper, then of all; a work reached from two papers takes one place and keeps both links."""
    chosen = [one for scored in by_paper for one in scored[:per_paper]]
    places: dict[str, None] = {}
    for one in sorted(chosen, key=lambda one: (-one.score, one.other.id)):
        if len(places) < per_search:
            places[one.other.id] = None
    return tuple(sorted((one for one in chosen if one.other.id in places), key=lambda one: (-one.score, one.other.id)))


def _cosines(source: "NDArray[np.float32]", vectors: "NDArray[np.float32]") -> list[float]:
    import numpy as np  # lazy: the server starts without it

    if not len(vectors):
        return []
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(source)
    products = vectors @ source
    return [float(value) for value in np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)]
