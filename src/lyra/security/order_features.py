"""A sentence as hashed n-grams: what the recogniser of orders looks at, when it is fitted and when it is used.

Beside the words themselves stand their kinds ("modify", "enhance": `change`; "reply", "answer": `reply`), so that an
order is known in words that no fitted sentence had.
"""

import re
import zlib
from collections.abc import Mapping
from functools import cache

from lyra.text import normalise
from lyra.word_lists import word_lists

BUCKETS = 1 << 16
_MAX_CHARS = 600
_URL = re.compile(
    r"(?:https?|ftp)://\S+|\bwww\.\S+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|io|xyz|jp|de|info|example)\b\S*"
)
_EMAIL = re.compile(r"\b[\w.+-]+@[\w.-]+\w")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+|[:!?*#\[\]<>{}|`]")
_JAPANESE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff々ー]+")
_JAPANESE_SIZES = (2, 3, 4)
_MOST_KINDS = 14


@cache
def _kinds() -> dict[str, str]:
    """The kind of each English word that has one."""
    return {word: kind for kind, words in _list("en").items() for word in words}


@cache
def _japanese_kinds() -> tuple[re.Pattern[str], dict[str, str]]:
    kinds = {word.lower(): kind for kind, words in _list("ja").items() for word in words}
    longest_first = sorted(kinds, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))), kinds


def _list(language: str) -> Mapping[str, tuple[str, ...]]:
    return word_lists("lyra.security", "order_classes", language).groups("kinds")


def has_japanese(sentence: str) -> bool:
    return _JAPANESE.search(sentence) is not None


def word_count(sentence: str) -> int:
    """The words outside of addresses; two characters of Japanese count as one."""
    bare = _EMAIL.sub(" ", _URL.sub(" ", sentence[:_MAX_CHARS]))
    japanese = sum(map(len, _JAPANESE.findall(bare)))
    return len(_TOKEN.findall(_JAPANESE.sub(" ", bare))) + japanese // 2


def features(sentence: str) -> list[int]:
    """The buckets of a sentence's n-grams, each once, in order."""
    folded = normalise(sentence[: 2 * _MAX_CHARS]).strip()[:_MAX_CHARS].lower()
    folded = _EMAIL.sub(" emailaddress ", _URL.sub(" webaddress ", folded))
    grams: dict[str, None] = {}
    words = ["^", *(_digits(token) for token in _TOKEN.findall(_JAPANESE.sub(" j ", folded))), "$"]
    _add_ngrams(grams, words)
    kinds = _kinds()
    _add_ngrams(grams, [f"#{kinds[word]}" if word in kinds else word for word in words])
    _add_pairs(grams, [kinds[word] for word in words if word in kinds], "#")
    if _JAPANESE.search(folded):
        _add_japanese(grams, folded)
    return [zlib.crc32(gram.encode()) % BUCKETS for gram in grams]


def _digits(token: str) -> str:
    return "0" if token.isdigit() else token


def _add_ngrams(grams: dict[str, None], words: list[str]) -> None:
    for at, word in enumerate(words):
        grams[word] = None
        if at + 1 < len(words):
            grams[f"{word} {words[at + 1]}"] = None
        if at + 2 < len(words):
            grams[f"{word} {words[at + 1]} {words[at + 2]}"] = None
            grams[f"{word} _ {words[at + 2]}"] = None


def _add_pairs(grams: dict[str, None], kinds: list[str], mark: str) -> None:
    """Which kind of word comes before which, however far apart."""
    for at, kind in enumerate(kinds[:_MOST_KINDS]):
        for later in kinds[at + 1 : _MOST_KINDS]:
            grams[f"{mark}{kind}>{later}"] = None


def _add_japanese(grams: dict[str, None], folded: str) -> None:
    pattern, kinds = _japanese_kinds()
    found = [kinds[one] for one in pattern.findall(folded)]
    for kind in found:
        grams[f"*{kind}"] = None
    _add_pairs(grams, found, "*")
    if found:
        grams[f"*{found[-1]}$"] = None
        grams[f"*{'+'.join(sorted(set(found)))}"] = None
    for run in _JAPANESE.findall(folded):
        marked = f"{run}。"
        for size in _JAPANESE_SIZES:
            for start in range(len(marked) - size + 1):
                grams[marked[start : start + size]] = None
