"""Whether a page says the opposite of a sentence: amid the same words, a word denied on one side only, or its opposite.

Each word of the sentence is looked for in every sentence of the page, itself and its opposite. The place whose
neighbouring words fit best decides; where one that agrees fits as well, the page is no contradiction. Of 1,845 pairs of
a claim and a page that supports it, on the simulated web, 8 were called opposites: most of these pages give both sides.
"""

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, lru_cache

from lyra.claims.sentences import sentence_spans
from lyra.claims.subjects import other_subject
from lyra.claims.words import content_words, matching_words
from lyra.model.check import Source, TextFragment
from lyra.report.check.vocabulary import lists, pattern
from lyra.text import is_japanese, located_tokens

# Content words on either side that make a neighbourhood; the page may say more in between. Tuned on benchmarks/check.
_NEAR, _NEAR_ON_PAGE = 4, 8
_BESIDE = 3
_LEAST_PREFIXED = 4
_LEAST_SHARED = 3
_LEAST_SHARE = 0.6
_REMEMBERED = 32_768
_OTHER_SIGN = {"+": "-", "-": "+"}


@dataclass(frozen=True, slots=True)
class Word:
    """A content word as it stands in a sentence, in which clause, and whether the sentence says no of it."""

    stem: str
    is_denied: bool
    clause: int = 0


@dataclass(frozen=True, slots=True)
class OppositeSentence:
    """The sentence of a page that says the opposite."""

    source: Source
    fragment: TextFragment
    quote: str


def opposite_sentence(sentence: str, sources: Sequence[Source]) -> OppositeSentence | None:
    """The sentence of these sources that says the opposite amid the same words."""
    mine = stated_words(sentence)
    wanted = _stems(sentence)
    places = [
        (source, fragment, quote)
        for source in sources
        for fragment in source.fragments
        for quote in sentences_of(fragment.text)
        if len(wanted & _stems(quote)) >= _LEAST_SHARED
    ]
    for at, word in enumerate(mine):
        near = _around(mine, at, _NEAR)
        if word.stem.startswith("#") or len(near) < _LEAST_SHARED:
            continue
        fits = [(fit, place) for place in places if (fit := _fit(mine, at, near, place[2])) is not None]
        best, place = max(fits, key=lambda one: one[0], default=(None, None))
        if best is not None and place is not None and best.is_opposite:
            source, fragment, quote = place
            if other_subject(sentence, quote, quote) is None:
                return OppositeSentence(source, fragment, quote)
    return None


@dataclass(frozen=True, slots=True, order=True)
class _Fit:
    """How much of a word's neighbourhood a place has; of equal ones that which agrees is the greater."""

    share: float
    agrees: bool

    @property
    def is_opposite(self) -> bool:
        return not self.agrees


def _fit(mine: Sequence[Word], at: int, near: frozenset[str], quote: str) -> _Fit | None:
    """The best place for a word in a sentence of the page; one that agrees counts before any that does not."""
    word, theirs = mine[at], stated_words(quote)
    places = [there for there, one in enumerate(theirs) if one.stem == word.stem or are_opposites(one.stem, word.stem)]
    if word.stem[-1] in _OTHER_SIGN:
        subject, things = _subject(mine, at), {one.stem for one in _things(mine)}
        of_subject = [there for there in places if subject in _beside(theirs, there)]
        places = of_subject or (places if len(near & things) >= _LEAST_SHARED else [])
    found: list[tuple[bool, int]] = []
    for there, other in ((there, theirs[there]) for there in places):
        denials = _denial(mine, at, _NEAR), _denial(theirs, there, _NEAR_ON_PAGE)
        agrees = not _disagree(*denials, is_same_side=other.stem == word.stem)
        found.append((agrees, len(near & _around(theirs, there, _NEAR_ON_PAGE))))
    agrees, shared = max(found, default=(True, 0))
    return _Fit(shared / len(near), agrees) if shared >= max(_LEAST_SHARED, _LEAST_SHARE * len(near)) else None


def _subject(words: Sequence[Word], at: int) -> str:
    """The word before one that has an opposite, figures and their units left out: what rose or fell."""
    return next((one.stem for one in reversed(_things(words[:at]))), "")


def _beside(words: Sequence[Word], at: int) -> frozenset[str]:
    """The words before one that has an opposite, up to the next of its kind; figures are not counted."""
    found: list[str] = []
    for one in reversed(_things(words[:at])):
        if one.stem[-1] in _OTHER_SIGN or len(found) == _BESIDE:
            break
        found.append(one.stem)
    return frozenset(found)


def _things(words: Sequence[Word]) -> list[Word]:
    """Words that are neither figures nor units, which stand behind a figure."""
    before = ("", *(one.stem for one in words))
    return [one for one, last in zip(words, before, strict=False) if not (one.stem[0] == "#" or last.startswith("#"))]


class _Denial(Enum):
    """Whether a place says no: of the word itself, of something near it, which may mean the word, or not at all."""

    ITSELF = auto()
    NEAR = auto()
    NONE = auto()


def _denial(words: Sequence[Word], at: int, most: int) -> _Denial:
    if words[at].is_denied:
        return _Denial.ITSELF
    return _Denial.NEAR if any(one.is_denied for one in words[max(0, at - most) : at + 1 + most]) else _Denial.NONE


def _disagree(mine: _Denial, theirs: _Denial, *, is_same_side: bool) -> bool:
    """Whether two places disagree; what is denied nearby settles nothing."""
    if _Denial.NEAR in {mine, theirs}:
        return False
    return (mine is theirs) != is_same_side


def amount_sides(sentence: str) -> frozenset[str]:
    """The directions, + and -, that a sentence gives to amounts; none where it denies one."""
    words = [one for one in stated_words(sentence) if one.stem[:-1] == "amount"]
    return frozenset() if any(one.is_denied for one in words) else frozenset(one.stem[-1] for one in words)


def _around(words: Sequence[Word], at: int, most: int) -> frozenset[str]:
    """The words near one, of its clause."""
    near = (*words[max(0, at - most) : at], *words[at + 1 : at + 1 + most])
    return frozenset(one.stem for one in near if one.clause == words[at].clause) - {words[at].stem}


@lru_cache(_REMEMBERED)
def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text, in order."""
    return tuple(text[slice(*span)] for span in sentence_spans(text))


@lru_cache(_REMEMBERED)
def _stems(sentence: str) -> frozenset[str]:
    return frozenset(one.stem for one in stated_words(sentence))


@lru_cache(_REMEMBERED)
def stated_words(sentence: str) -> tuple[Word, ...]:
    """The content words and numbers of a sentence in order, each with whether it is denied."""
    located = [(start, end, stem) for start, end, word in located_tokens(sentence) if (stem := _stem(word))]
    breaks = [match.start() for match in pattern("opposite_words", "clause").finditer(sentence)]
    deny = _denied_after if is_japanese(sentence) else _denied_before
    return tuple(
        Word(stem, deny(sentence, located, at), bisect(breaks, start)) for at, (start, _, stem) in enumerate(located)
    )


def _denied_before(sentence: str, located: Sequence[tuple[int, int, str]], at: int) -> bool:
    """English denies what follows: "did not increase", "no net loss"; at its end what stands before: "paid nowhere"."""
    before = sentence[located[at - 1][1] if at else 0 : located[at][0]]
    behind = sentence[located[at][1] :] if at + 1 == len(located) else ""
    return _says_no(before) != _says_no(behind)


def _denied_after(sentence: str, located: Sequence[tuple[int, int, str]], at: int) -> bool:
    """Japanese denies what stands before: 認められなかった, 変化がない; 刈らない畑 only says which fields."""
    is_last = at + 1 == len(located)
    after = sentence[located[at][1] : len(sentence) if is_last else located[at + 1][0]]
    is_denied = _says_no(after) and (is_last or pattern("opposite_words", "which").search(after) is None)
    return is_denied != (pattern("opposite_words", "no_before").search(sentence, 0, located[at][0]) is not None)


def _says_no(gap: str) -> bool:
    return len(pattern("opposite_words", "no").findall(pattern("opposite_words", "no_denial").sub(" ", gap))) % 2 == 1


@lru_cache(_REMEMBERED)
def _stem(word: str) -> str:
    if pattern("opposite_words", "no_word").fullmatch(word):
        return ""
    if re.fullmatch(r"[\d.,]+", word):
        return next(iter(sorted(matching_words(word))), "")
    if word in _sides():
        return _sides()[word]
    return next(iter(content_words(word)), "")


@cache
def _sides() -> dict[str, str]:
    """The normal form of every word that has an opposite, with the name of its side."""
    known = lists("opposite_words").groups("sides").items()
    located = [(list(located_tokens(word)), side) for side, words in known for word in words]
    return {tokens[0][2]: side for tokens, side in located if len(tokens) == 1}


def are_opposites(one: str, other: str) -> bool:
    """Whether two stems are two sides of an axis, or one is the other with a syllable that says no: clear, unclear."""
    if one[-1] in _OTHER_SIGN:
        return other == one[:-1] + _OTHER_SIGN[one[-1]]
    short, long = sorted((one, other), key=len)
    if not long.endswith(short) or len(short) < _LEAST_PREFIXED:
        return False
    return pattern("opposite_words", "no_prefix").fullmatch(long.removesuffix(short)) is not None
