"""Finite English verb forms, enough to tell a sentence from a heading."""

from functools import cache

from lyra.word_lists import WordLists, word_lists

_VOWELS = "aeiou"
_LONG_CHARS = 6


def is_finite(word: str) -> bool:
    """Whether a lower-case word may be the verb of a sentence; generous, since only headings must be told apart."""
    return word in _finite() or (len(word) >= _LONG_CHARS and word.endswith(_lists().words("endings")))


def is_base(word: str) -> bool:
    """Whether a lower-case word is a verb as it stands in an order."""
    return word in _bases()


def _lists() -> WordLists:
    return word_lists("lyra.claims", "verbs", "en")


@cache
def _finite() -> frozenset[str]:
    lists = _lists()
    irregular = (*lists.words("auxiliaries"), *lists.words("irregular_forms"), *lists.words("doubled_forms"))
    regular = lists.words("regular")
    return frozenset((*irregular, *regular, *(form for verb in regular for form in _forms(verb))))


@cache
def _bases() -> frozenset[str]:
    return frozenset((*_lists().words("regular"), *_lists().words("irregular_bases")))


def _forms(verb: str) -> tuple[str, str]:
    """Third person and past of a regular verb."""
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ies", verb[:-1] + "ied"
    third = verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    return third, verb + ("d" if verb.endswith("e") else "ed")
