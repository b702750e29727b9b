"""Answers of several engines and queries as one list: reciprocal rank over canonical addresses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lyra.ids import derived_id
from lyra.model.search import Candidate, EngineAnswer, SerpItem
from lyra.urls import canonical

# Cormack, Clarke, Büttcher (2009): k = 60 is robust over collections.
_K = 60


@dataclass(frozen=True, slots=True)
class Fused:
    """One address with all who found it; title and snippet are those of its best place."""

    url: str
    title: str
    snippet: str
    engine: str
    rank: int
    score: float
    engines: tuple[str, ...]
    query: str
    referer: str | None = None
    date: str | None = None

    def candidate(self, search_id: str) -> Candidate:
        """The address as a search's candidate; the same address gives the same id again."""
        return Candidate(
            id=derived_id("r", search_id, self.url),
            search_id=search_id,
            url=self.url,
            title=self.title,
            snippet=self.snippet,
            engine=self.engine,
            rank=self.rank,
            score=self.score,
            referer=self.referer,
            derived_query=self.query,
            date=self.date,
        )


def fuse(
    answers: Iterable[EngineAnswer], weights: Mapping[str, float], referers: Mapping[tuple[str, str], str]
) -> tuple[Fused, ...]:
    """Every address once, best first: the sum over its places of weight / (60 + rank)."""
    places: dict[str, list[tuple[float, SerpItem, str]]] = {}
    for answer in answers:
        for item in answer.items:
            share = weights.get(answer.engine, 1.0) / (_K + item.rank)
            places.setdefault(canonical(item.url), []).append((share, item, answer.query))
    fused = (_fused(url, found, referers) for url, found in places.items())
    return tuple(sorted(fused, key=lambda one: (-one.score, one.url)))


def _fused(url: str, found: list[tuple[float, SerpItem, str]], referers: Mapping[tuple[str, str], str]) -> Fused:
    _, best, query = max(found, key=lambda place: place[0])
    snippet = best.snippet or max((item.snippet for _, item, _ in found), key=len)
    return Fused(
        url=url,
        title=best.title,
        snippet=snippet,
        engine=best.engine,
        rank=best.rank,
        score=sum(share for share, _, _ in found),
        engines=tuple(sorted({item.engine for _, item, _ in found})),
        query=query,
        referer=referers.get((best.engine, query)),
        date=best.date or next((item.date for _, item, _ in found if item.date), None),
    )
