"""What a page with few words is about: whether it only tests or refuses its visitor, by words of many languages. Pure.

The words are data (`words/walls.*.yaml`). No single one of them says much; pages that stand before others speak of
several subjects at once: the visitor, a check, a refusal, its cause, and the means.
"""

import re
from collections.abc import Mapping
from functools import cache

from lyra.word_lists import word_lists

CHECK, REFUSAL = "check", "refusal"
_SUBJECTS = ("visitor", CHECK, REFUSAL, "cause", "means")
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "fi", "sv", "pl", "ru", "ja", "zh", "ko")
_ANYWHERE = frozenset({"ja", "zh", "ko"})
_LEAST_SUBJECTS = 3
# An ordinary note of this length may touch three subjects in passing; a wall speaks of nothing else.
_WORDS_PER_HIT = 12


def subjects(text: str, words: int) -> frozenset[str]:
    """The subjects of a text in lower case, where these make it a wall: a check or a refusal, and two others.

    `words` is its length.
    """
    for patterns in _languages().values():
        hits = {subject: len(pattern.findall(text)) for subject, pattern in patterns.items()}
        found = frozenset(subject for subject, count in hits.items() if count)
        is_wall = len(found) >= _LEAST_SUBJECTS and bool(found & {CHECK, REFUSAL})
        if is_wall and sum(hits.values()) * _WORDS_PER_HIT >= words:
            return found
    return frozenset()


@cache
def _languages() -> Mapping[str, Mapping[str, re.Pattern[str]]]:
    return {language: {subject: _pattern(language, subject) for subject in _SUBJECTS} for language in _LANGUAGES}


def _pattern(language: str, subject: str) -> re.Pattern[str]:
    own, shared = (word_lists("lyra.fetch", "walls", one).words(subject) for one in (language, "any"))
    begun = "|".join(map(_escaped, own))
    parts = [rf"(?:{begun})" if language in _ANYWHERE else rf"\b(?:{begun})\w*"]
    if shared:
        parts.append(rf"\b(?:{'|'.join(map(_escaped, shared))})\b")
    return re.compile("|".join(parts))


def _escaped(word: str) -> str:
    return re.escape(word).replace("_", " ")
