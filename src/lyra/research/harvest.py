"""When a search has found enough, and how much it found: the pure rules of SPEC §3."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from lyra.evidence.independence import sources_of
from lyra.model.edge import EvidenceRow
from lyra.model.search import SearchStatus

_SATISFIED_SCORE = 0.8
_ENOUGH_SOURCES = 3


@dataclass(frozen=True, slots=True)
class Heard:
    """Who gave a search something useful: independent sources, and whether some of them are primary and some not."""

    sources: int
    has_primary: bool
    has_secondary: bool


def heard_from(rows: Sequence[EvidenceRow], joined_pages: Iterable[Collection[str]] = ()) -> Heard:
    """The independent sources behind a search's useful fragments; a copy of a primary source is no secondary one."""
    is_primary: dict[str, bool] = {}
    for row, source in zip(rows, sources_of(rows, joined_pages), strict=True):
        is_primary[source.group] = is_primary.get(source.group, False) or row.source_trust_level.is_high
    return Heard(len(is_primary), any(is_primary.values()), not all(is_primary.values()))


def satisfaction(independent_sources: int, *, has_primary: bool) -> float:
    """`min(1, sources/3·0.7 + (0.3 if primary))`."""
    return min(1.0, independent_sources / _ENOUGH_SOURCES * 0.7 + (0.3 if has_primary else 0.0))


def final_status(independent_sources: int, *, has_primary: bool, has_secondary: bool) -> SearchStatus:
    """Satisfied by score, by three sources, or by a primary with a secondary; partial with one or two."""
    score = satisfaction(independent_sources, has_primary=has_primary)
    if score >= _SATISFIED_SCORE or independent_sources >= _ENOUGH_SOURCES or (has_primary and has_secondary):
        return SearchStatus.SATISFIED
    return SearchStatus.PARTIAL if independent_sources else SearchStatus.EXHAUSTED


def harvest_rate(useful_fragments: int, pages_read: int) -> float:
    """Useful fragments a page read, be it fetched or taken from the store; nothing read harvests nothing."""
    return useful_fragments / pages_read if pages_read else 0.0


@dataclass(frozen=True, slots=True)
class Novelty:
    """Share of new useful fragments among the last `window` of a search's whole life; stale after two poor cycles
    running.

    `history` holds one flag per fragment read: whether it was useful and not a near-duplicate. `earlier` are those from
    before a person opened more of its pages: they have had their say in stopping, and these pages shall be read.
    """

    window: int
    cycle: int
    floor: float
    history: tuple[bool, ...] = ()
    earlier: tuple[bool, ...] = ()

    def after(self, flags: tuple[bool, ...]) -> "Novelty":
        """The record with the flags of newly read fragments added."""
        return replace(self, history=self.history + flags)

    def score(self, pages_read: int) -> float | None:
        """Unknown before the first page was read; 0 where pages were read and held nothing new."""
        recent = (self.earlier + self.history)[-self.window :]
        if recent:
            return sum(recent) / len(recent)
        return 0.0 if pages_read else None

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
