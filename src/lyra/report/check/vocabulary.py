"""The words of a check, as data: every list holds those of both languages."""

import re

from lyra.word_lists import WordLists, word_lists


def lists(subject: str) -> WordLists:
    """The lists of a subject in `words/`, read once."""
    return word_lists("lyra.report.check", subject, "en", "ja")


def pattern(subject: str, name: str) -> re.Pattern[str]:
    """What one of its patterns matches."""
    return lists(subject).pattern(name)
