"""What challenges, log-ins and block pages say, in many languages. The words are data (`words/challenges.*.yaml`)."""

import re
from dataclasses import dataclass, fields
from functools import cache

from lyra.word_lists import word_lists

_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja", "ko", "any")


@dataclass(frozen=True, slots=True)
class ChallengeWords:
    """Patterns on lower-case text with single spaces; those of titles and of waiting are for the whole of it."""

    captcha_titles: re.Pattern[str]
    consent_titles: re.Pattern[str]
    age_words: re.Pattern[str]
    notices: re.Pattern[str]
    waiting: re.Pattern[str]
    wants_both: re.Pattern[str]
    refusal_parts: re.Pattern[str]
    refusals: re.Pattern[str]
    refusal_titles: re.Pattern[str]
    login_titles: re.Pattern[str]
    login_words: re.Pattern[str]


@cache
def challenge_words() -> ChallengeWords:
    """The patterns of all languages together: whatever a site speaks, its guard may speak English."""
    lists = word_lists("lyra.fetch", "challenges", *_LANGUAGES)
    return ChallengeWords(**{field.name: lists.pattern(field.name) for field in fields(ChallengeWords)})
