"""Texts that nearly stand in other texts: four fifths of their sentences, each but for a word (SPEC §13, containment).

Sentences are found again by the hashes of their beginnings and ends: two that differ in one place have at least half of
what they share at one end. So the time grows with the texts and what they share, not with all × all.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from lyra.text import is_japanese, nfkc, sentences

CONTAINED_FROM = 0.8
_LEAST_SENTENCES = 2
# What is shorter says nothing that two people would not both write: "Read more." Words, or characters in Japanese.
_LEAST_UNITS = 3
_LEAST_UNITS_JA = 6
# Japanese has no spaces between words; a word is hardly longer than this.
_WORD_JA = 6
# A sentence that stands in more texts, or a beginning that more sentences have, is furniture.
_MOST_ALIKE = 200


@dataclass(frozen=True, slots=True)
class Overlap:
    """Texts known before that stand in a text, and those that it stands in."""

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
        """How the text and those added before stand in one another; each text is added once."""
        numbers = {self._number(units, change) for units, change in _units(text)}
        here: Counter[str] = Counter()
        there: Counter[str] = Counter()
        for number in numbers:
            here.update({known for alike in self._alike(number) for known in self._sentences[alike].texts})
        for alike in {alike for number in numbers for alike in self._alike(number)}:
            there.update(self._sentences[alike].texts)
        for number in numbers:
            self._sentences[number].texts.append(text_id)
        self._sizes[text_id] = len(numbers)
        return Overlap(
            inside=frozenset(one for one, shared in there.items() if self._is_enough(shared, self._sizes[one])),
            around=frozenset(one for one, shared in here.items() if self._is_enough(shared, len(numbers))),
        )

    def _is_enough(self, shared: int, whole: int) -> bool:
        return whole >= _LEAST_SENTENCES and shared >= self._share * whole

    def _alike(self, number: int) -> Iterator[int]:
        """The sentences that are this one but for a word, itself included; none that stands everywhere."""
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
