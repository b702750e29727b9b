"""The words of a statement that carry its meaning, and those that turn it round: numbers, negations, directions."""

import re
from collections import Counter
from functools import cache, lru_cache

from lyra.text import nfkc, tokens
from lyra.word_lists import WordLists, word_lists

_NUMBER = re.compile(r"(?<![A-Za-z\d.,])(?<![A-Za-z][-–])[-−+]?\d[\d,]*(?:\.\d+)?")
_LETTERS = re.compile("[a-z]+")


def _lists() -> WordLists:
    return word_lists("lyra.claims", "content_words", "en", "ja")


def content_words(text: str) -> frozenset[str]:
    """The meaningful words in a light stem: no stop words, no plural or tense of regular English."""
    return frozenset(map(_content, tokens(text))) - {""}


def matching_words(text: str) -> frozenset[str]:
    """What a lexical search matches: content words, and numbers however they are written ("five" is "5")."""
    return content_words(text) | frozenset(f"#{one}" for one in numbers(text) | _named("spelled", text.lower()))


def core_words(text: str) -> frozenset[str]:
    """The content words that two wordings of one statement share: light words fall, directions are one word each."""
    return frozenset(_direction(word) or word for word in content_words(text) if word not in _light_words())


def numbers(text: str) -> frozenset[str]:
    """Every number as a plain decimal, wherever it stands alone."""
    folded = nfkc(text)
    return frozenset(_plain(match.group()) for match in _NUMBER.finditer(folded)) | _named("factors", folded.lower())


def _named(table: str, text: str) -> frozenset[str]:
    """The numbers of a table that a text gives in words, as plain decimals."""
    known = _lists().numbers(table)
    return frozenset(f"{known[word]:g}" for word in known.keys() & set(_LETTERS.findall(text)))


def negations(text: str) -> int:
    """How often the text says no."""
    return len(_lists().pattern("negation").findall(text.lower()))


def directions(text: str) -> Counter[str]:
    """How often the text says up and down."""
    return Counter(found for word in tokens(text) if (found := _direction(_stem(word))) is not None)


def same_key(text: str) -> str:
    """Equal for texts that differ only in case, width, spacing and punctuation."""
    folded = nfkc(text).casefold()
    return re.sub(r"[^\w%.]+|\.(?!\d)", " ", folded).strip()


@lru_cache(8192)
def _direction(word: str) -> str | None:
    starts = [(start, sign) for sign, name in (("↑", "up"), ("↓", "down")) for start in _lists().words(name)]
    exact = dict(starts).get(word)
    return exact or next((sign for start, sign in starts if len(start) > 4 and word.startswith(start)), None)


@lru_cache(8192)
def _content(word: str) -> str:
    """The stem of a word that carries meaning, or nothing; texts of one topic have few words, each many times."""
    return "" if word in _stop_words() or _is_number(word) else _stem(word)


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(_lists().words("stop_words"))


@cache
def _light_words() -> frozenset[str]:
    """Stems of words that say nothing a merged claim would miss."""
    return frozenset(map(_stem, _lists().words("light_words")))


@lru_cache(8192)
def _stem(word: str) -> str:
    """Plural, -ed and -ing off; both spellings of -ise; enough to match wordings, no dictionary."""
    if not word.isascii() or len(word) <= 4 or any(char.isdigit() for char in word):
        return word
    for ending, instead in _endings():
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: len(word) - len(ending)] + instead
    return word


@cache
def _endings() -> tuple[tuple[str, str], ...]:
    """Endings, the longest first, with what stands in a stem instead."""
    known = _lists().groups("endings").items()
    return tuple(sorted(((one, instead) for instead, own in known for one in own), key=lambda pair: -len(pair[0])))


def _is_number(word: str) -> bool:
    return word.replace(".", "").replace(",", "").isdigit()


def _plain(number: str) -> str:
    bare = number.replace(",", "").replace("−", "-").lstrip("+")
    whole, _, decimals = bare.partition(".")
    return f"{whole}.{decimals.rstrip('0')}" if decimals.strip("0") else whole
