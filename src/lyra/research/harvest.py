"""When a search has found enough, and how much it found: the pure rules of SPEC §3."""

from dataclasses import dataclass

from lyra.model.search import SearchStatus

_SATISFIED_SCORE = 0.8
_ENOUGH_SOURCES = 3


def satisfaction(independent_sources: int, *, has_primary: bool) -> float:
    """`min(1, sources/3·0.7 + (0.3 if primary))`."""
    return min(1.0, independent_sources / _ENOUGH_SOURCES * 0.7 + (0.3 if has_primary else 0.0))


def final_status(independent_sources: int, *, has_primary: bool, has_secondary: bool) -> SearchStatus:
    """Satisfied by score, by three sources, or by a primary with a secondary; partial with one or two."""
    score = satisfaction(independent_sources, has_primary=has_primary)
    if score >= _SATISFIED_SCORE or independent_sources >= _ENOUGH_SOURCES or (has_primary and has_secondary):
        return SearchStatus.SATISFIED
    return SearchStatus.PARTIAL if independent_sources else SearchStatus.EXHAUSTED


def harvest_rate(useful_fragments: int, pages_fetched: int) -> float:
    """Useful fragments a page; nothing fetched harvests nothing."""
    return useful_fragments / pages_fetched if pages_fetched else 0.0


@dataclass(frozen=True, slots=True)
class Novelty:
    """Share of new useful fragments among the last `window`; stale after two poor cycles running.

    `history` holds one flag per fragment read: whether it was useful and not a near-duplicate.
    """

    window: int
    cycle: int
    floor: float
    history: tuple[bool, ...] = ()

    def after(self, flags: tuple[bool, ...]) -> "Novelty":
        """The record with the flags of newly read fragments added."""
        return Novelty(self.window, self.cycle, self.floor, self.history + flags)

    @property
    def score(self) -> float:
        recent = self.history[-self.window :]
        return sum(recent) / len(recent) if recent else 1.0

    @property
    def is_stale(self) -> bool:
        """Two whole cycles in a row below the floor."""
        whole = len(self.history) // self.cycle
        if whole < 2:
            return False
        last, before = (self._cycle_score(whole - offset) for offset in (1, 2))
        return last < self.floor and before < self.floor

    def _cycle_score(self, index: int) -> float:
        flags = self.history[index * self.cycle : (index + 1) * self.cycle]
        return sum(flags) / self.cycle
