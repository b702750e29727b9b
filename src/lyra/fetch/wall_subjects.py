"""What a page with few words is about: whether it only tests or refuses its visitor, by words of many languages. Pure.

The words are data (`words/walls.yaml`). No single one of them says much; pages that stand before others speak of
several subjects at once: the visitor, a check, a refusal, its cause, and the means.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml

CHECK, REFUSAL = "check", "refusal"
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
    file = resources.files("lyra.fetch").joinpath("words/walls.yaml")
    lists = dict(yaml.safe_load(file.read_text("utf-8")))
    shared = lists.pop("any")
    return {
        language: {
            subject: _pattern(own.split(), shared.get(subject, "").split(), is_anywhere=language in _ANYWHERE)
            for subject, own in of_language.items()
        }
        for language, of_language in lists.items()
    }


def _pattern(own: list[str], shared: list[str], *, is_anywhere: bool) -> re.Pattern[str]:
    begun = "|".join(map(_escaped, own))
    parts = [rf"(?:{begun})" if is_anywhere else rf"\b(?:{begun})\w*"]
    if shared:
        parts.append(rf"\b(?:{'|'.join(map(_escaped, shared))})\b")
    return re.compile("|".join(parts))


def _escaped(word: str) -> str:
    return re.escape(word).replace("_", " ")
