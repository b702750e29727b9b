"""Who copied whom: near-duplicates and contained texts, each with the originals it repeats (SPEC §13).

A text is contained in another where that has four fifths of its sentences, each but for a word. Sentences are found by
the hashes of their beginnings and ends: two that differ in one place share at least half at one end. So the time grows
with the texts and what they share, not with all × all. The later text is the copy; where a date is missing, the longer
one. A text that holds two others is a copy of both, and does not join them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lyra.evidence.duplicates import NEAR_DUPLICATE, DuplicateIndex
from lyra.text import is_japanese, nfkc, sentences

CONTAINED_FROM = 0.8
_LEAST_SENTENCES = 2
# What is shorter says nothing that two people would not both write: "Read more." Words, or characters in Japanese.
_LEAST_UNITS = 3
_LEAST_UNITS_JA = 6
# Japanese has no spaces between words; a word is hardly longer than this.
_WORD_JA = 6
# A sentence in more texts than this, or a beginning of more sentences, is boilerplate.
_MOST_ALIKE = 200


@dataclass(frozen=True, slots=True)
class Overlap:
    """Earlier texts that a text contains, and those that contain it."""

    inside: frozenset[str]
    around: frozenset[str]


@dataclass(slots=True)
class _Sentence:
    units: tuple[str, ...] | str
    change: int
    texts: list[str] = field(default_factory=list)
    alike: list[int] = field(default_factory=list)


class SentenceIndex:
    """Texts by their sentences. CPU-bound: call it off the event loop."""

    def __init__(self, share: float = CONTAINED_FROM) -> None:
        self._share = share
        self._sentences: list[_Sentence] = []
        self._numbers: dict[tuple[str, ...] | str, int] = {}
        self._ends: dict[int, list[int]] = {}
        self._sizes: dict[str, int] = {}

    def add(self, text_id: str, text: str) -> Overlap:
        """Which earlier texts contain this one or are contained in it; each text is added once."""
        numbers = {self._number(units, change) for units, change in _units(text)}
        own_found: Counter[str] = Counter()
        theirs_found: Counter[str] = Counter()
        for number in numbers:
            own_found.update({known for alike in self._alike(number) for known in self._sentences[alike].texts})
        for alike in {alike for number in numbers for alike in self._alike(number)}:
            theirs_found.update(self._sentences[alike].texts)
        for number in numbers:
            self._sentences[number].texts.append(text_id)
        self._sizes[text_id] = len(numbers)
        return Overlap(
            inside=frozenset(one for one, shared in theirs_found.items() if self._is_enough(shared, self._sizes[one])),
            around=frozenset(one for one, shared in own_found.items() if self._is_enough(shared, len(numbers))),
        )

    def _is_enough(self, shared: int, whole: int) -> bool:
        return whole >= _LEAST_SENTENCES and shared >= self._share * whole

    def _alike(self, number: int) -> Iterator[int]:
        """The sentences that are this one but for a word, itself included; none that is everywhere."""
        for one in (number, *self._sentences[number].alike):
            if len(self._sentences[one].texts) <= _MOST_ALIKE:
                yield one

    def _number(self, units: tuple[str, ...] | str, change: int) -> int:
        """The number of a sentence; a new one meets those that are like it."""
        if (known := self._numbers.get(units)) is not None:
            return known
        number = len(self._sentences)
        own = _Sentence(units, change)
        for other in self._candidates(units, change):
            if _differ_in_a_word(units, self._sentences[other].units, max(change, self._sentences[other].change)):
                own.alike.append(other)
                self._sentences[other].alike.append(number)
        self._sentences.append(own)
        self._numbers[units] = number
        for end in _ends(units, len(units), change):
            found = self._ends.setdefault(end, [])
            if len(found) < _MOST_ALIKE:
                found.append(number)
        return number

    def _candidates(self, units: tuple[str, ...] | str, change: int) -> list[int]:
        lengths = range(max(1, len(units) - change), len(units) + change + 1)
        ends = {end for length in lengths for end in _ends(units, length, change)}
        return sorted({number for end in ends for number in self._ends.get(end, ())})


def _units(text: str) -> Iterator[tuple[tuple[str, ...] | str, int]]:
    """The sentences that say something, as words or characters, and how many of these may be other ones."""
    plain = nfkc(text)
    japanese = is_japanese(plain)
    for start, end in sentences(plain):
        sentence = plain[start:end].lower()
        if japanese:
            letters = re.sub(r"[\W_]", "", sentence)
            if len(letters) >= _LEAST_UNITS_JA:
                yield letters, min(_WORD_JA, len(letters) // 3)
        else:
            words = tuple(re.findall(r"\w+", sentence))
            if len(words) >= _LEAST_UNITS:
                yield words, 1


def _ends(units: tuple[str, ...] | str, length: int, change: int) -> tuple[int, int]:
    """Hashes of the beginning and the end that a sentence of this length keeps when it is changed in one place."""
    kept = max(1, (length - change) // 2)
    return hash(("first", units[:kept])), hash(("last", units[-kept:]))


def _differ_in_a_word(one: tuple[str, ...] | str, other: tuple[str, ...] | str, change: int) -> bool:
    shorter = min(len(one), len(other))
    first = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    last = next((at for at in range(shorter - first) if one[-1 - at] != other[-1 - at]), shorter - first)
    return max(len(one), len(other)) - first - last <= change


# Of a digest of more texts than this only the first are named.
_MOST_ORIGINALS = 8


@dataclass(frozen=True, slots=True)
class DatedText:
    """A text by its id, with the date of its page as the page gives it: a year, a month or a day."""

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
        """The text as whose copy this one counts."""
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
        # Near-duplicates by the first of them that became known, and which of those nearly contain which.
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
        """Whether the first group's text is a copy of the other's, one of which nearly contains the other."""
        own, others = self._ages[self._first(group)], self._ages[self._first(other)]
        known = min(len(own.date), len(others.date))
        if known and own.date[:known] != others.date[:known]:
            return own.date > others.date
        return (own.length, own.place) > (others.length, others.place)

    def _first(self, group: str) -> str:
        return min(self._alike[group], key=lambda one: self._ages[one].rank)
