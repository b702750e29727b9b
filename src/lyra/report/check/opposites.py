"""Sentences that say the opposite of a sentence. Where a reader prefers one of them, the sentence is likely wrong."""

import re
from functools import cache, lru_cache

from lyra.report.check.vocabulary import lists, pattern
from lyra.text import is_japanese

_REMEMBERED = 4096


@cache
def _opposites() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for pair in lists("opposites").words("opposites"):
        one, other = pair.split("~")
        found[one] = (*found.get(one, ()), other)
        found[other] = (*found.get(other, ()), one)
    return found


@cache
def _pattern(*, is_japanese: bool) -> re.Pattern[str]:
    words = sorted((one for one in _opposites() if one.isascii() != is_japanese), key=len, reverse=True)
    joined = "|".join(map(re.escape, words))
    return re.compile(joined if is_japanese else rf"\b(?:{joined})\b", re.IGNORECASE)


@lru_cache(_REMEMBERED)
def opposites(sentence: str) -> tuple[str, ...]:
    """Sentences that say the opposite, one for each word that can be replaced by its opposite."""
    is_ja = is_japanese(sentence)
    found: dict[str, None] = {}
    for match in _pattern(is_japanese=is_ja).finditer(sentence):
        for other in _opposites()[match[0] if is_ja else match[0].lower()]:
            found[sentence[: match.start()] + other + sentence[match.end() :]] = None
    if not is_ja:
        found.update(dict.fromkeys(_by_negation(sentence)))
    found.pop(sentence, None)
    return tuple(found)


def _by_negation(sentence: str) -> list[str]:
    found = [
        re.sub(r"\s{2,}", " ", sentence[: match.start()] + sentence[match.end() :])
        for match in pattern("opposites", "dropped_no").finditer(sentence)
    ]
    found += [
        f"{sentence[: match.start()]}{'A' if match[0][0].isupper() else 'a'}{sentence[match.end() :]}"
        for match in pattern("opposites", "no_noun").finditer(sentence)
    ]
    if not found:
        found += [
            f"{sentence[: match.end()]} not{sentence[match.end() :]}"
            for match in list(pattern("opposites", "auxiliary").finditer(sentence))[:1]
        ]
    return found
