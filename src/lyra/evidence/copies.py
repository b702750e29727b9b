"""Who copied whom: near-duplicates and contained texts, each with the originals it repeats (SPEC §13).

The later text is the copy; where a date is missing, the longer one. A text that holds two others is a copy of both, and
joins them not: only it points to them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from lyra.evidence.containment import SentenceIndex
from lyra.evidence.duplicates import NEAR_DUPLICATE, DuplicateIndex

# A digest of more texts than this is told by the first of them.
_MOST_ORIGINALS = 8


@dataclass(frozen=True, slots=True)
class DatedText:
    """A text by its id, with the date of its page as the page tells it: a year, a month or a day."""

    id: str
    text: str
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Originals:
    """What a text repeats: the first of its near-duplicates, or those that it holds or was cut from, oldest first."""

    near: str | None = None
    contained: tuple[str, ...] = ()

    @property
    def first(self) -> str | None:
        """The text that this one goes by."""
        return self.contained[0] if self.contained else self.near


_NONE = Originals()


@dataclass(frozen=True, slots=True)
class _Age:
    """What decides which of two texts is the original; `place` is the order in which they became known."""

    date: str
    length: int
    place: int

    @property
    def rank(self) -> tuple[bool, str, int, int]:
        """Dated before undated among texts of nearly the same words."""
        return not self.date, self.date, self.length, self.place


class CopyIndex:
    """Texts as they become known, with the originals of each. CPU-bound: call it off the event loop."""

    def __init__(self, threshold: float = NEAR_DUPLICATE) -> None:
        self._near = DuplicateIndex(threshold)
        self._sentences = SentenceIndex()
        self._ages: dict[str, _Age] = {}
        # Near-duplicates by the first of them that became known, and what nearly stands in what among those.
        self._alike: dict[str, list[str]] = {}
        self._inside: dict[str, set[str]] = {}
        self._around: dict[str, set[str]] = {}
        self._originals: dict[str, Originals] = {}

    def add_all(self, texts: Iterable[DatedText]) -> dict[str, Originals]:
        """Every text whose originals are other ones than before, new and known; one that was taken for a copy and is
        none has none."""
        touched: set[str] = set()
        for one in texts:
            if one.id not in self._ages:
                touched |= self._add(one)
        changed: dict[str, Originals] = {}
        for group in sorted(touched, key=lambda group: self._ages[group].place):
            for text_id in self._alike[group]:
                originals = self._originals_of(text_id, group)
                if originals != self._originals.get(text_id, _NONE):
                    changed[text_id] = self._originals[text_id] = originals
        return changed

    def _add(self, one: DatedText) -> set[str]:
        """The groups of near-duplicates whose originals may have changed by a new text."""
        self._ages[one.id] = _Age(one.date or "", len(one.text), len(self._ages))
        group = self._near.add(one.id, one.text)
        self._alike.setdefault(group, []).append(one.id)
        if group == one.id:
            overlap = self._sentences.add(one.id, one.text)
            self._inside[group], self._around[group] = set(overlap.inside), set(overlap.around)
            for other in overlap.inside:
                self._around[other].add(group)
            for other in overlap.around:
                self._inside[other].add(group)
        return {group, *self._inside[group], *self._around[group]}

    def _originals_of(self, text_id: str, group: str) -> Originals:
        copied = [other for other in self._inside[group] | self._around[group] if self._is_copy(group, other)]
        if not copied:
            first = self._first(group)
            return _NONE if first == text_id else Originals(near=first)
        firsts = sorted((self._first(other) for other in copied), key=lambda one: self._ages[one].rank)
        return Originals(contained=tuple(firsts[:_MOST_ORIGINALS]))

    def _is_copy(self, group: str, other: str) -> bool:
        """Whether the first group's text is a copy of the other's, of which one nearly stands in the other."""
        own, others = self._ages[self._first(group)], self._ages[self._first(other)]
        told = min(len(own.date), len(others.date))
        if told and own.date[:told] != others.date[:told]:
            return own.date > others.date
        return (own.length, own.place) > (others.length, others.place)

    def _first(self, group: str) -> str:
        return min(self._alike[group], key=lambda one: self._ages[one].rank)
