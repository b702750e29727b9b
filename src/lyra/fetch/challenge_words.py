"""What challenges, log-ins and block pages say, in many languages. The words are data (`words/challenges.yaml`)."""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml


@dataclass(frozen=True, slots=True)
class ChallengeWords:
    """Patterns on lower-case text with single spaces; those of titles and of waiting are for the whole of it."""

    captcha_titles: re.Pattern[str]
    consent_titles: re.Pattern[str]
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
    file = resources.files("lyra.fetch").joinpath("words/challenges.yaml")
    lists = dict(yaml.safe_load(file.read_text("utf-8")))
    parts = {name: "|".join(words) for name, words in lists.pop("parts").items()}
    return ChallengeWords(**{name: _pattern(by_language, parts) for name, by_language in lists.items()})


def _pattern(by_language: dict[str, list[str]], parts: dict[str, str]) -> re.Pattern[str]:
    text = "|".join(one for words in by_language.values() for one in words)
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", part)
    return re.compile(text)
