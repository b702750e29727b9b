"""The language of a document: its script, then its commonest words, then what it declares, then a statistical guess."""

import re

from lyra.text import is_japanese, language_of

_ENGLISH = frozenset("the of and to in a is that for with was on are as by be this it from at or have not".split())
_SAMPLE_CHARS = 4_000
_ENOUGH_LETTERS = 60


def document_language(text: str, declared: str | None = None) -> str:
    """ISO 639-1 where it can be told, `und` where nothing tells."""
    sample = text[:_SAMPLE_CHARS]
    letters = sum(map(str.isalpha, sample))
    if is_japanese(sample):
        return "ja"
    if letters < _ENOUGH_LETTERS:
        return declared or "und"
    if _is_english(sample):
        return "en"
    # A template's lang="en" around another language is common; any other declaration is somebody's choice.
    return declared if declared not in (None, "en", "ja") else language_of(sample)


def _is_english(sample: str) -> bool:
    words = re.findall(r"[^\W\d_]+", sample.lower())
    return sum(word in _ENGLISH for word in words) >= 0.2 * len(words)
