"""Texts that tell of the retraction or correction of a work, and what a page says of itself. Word lists are data.

A notice is evidence about the work, not for or against what the work claimed (SPEC §13, who may vote).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from lyra.evidence.word_lists import read_lists
from lyra.text import is_japanese, nfkc, sentences

_LONGEST_SENTENCE = 1_000
_PART = re.compile(r"\{([a-z_]+)\}")
_CLUE = re.compile(
    r"retract|withdr[ae]w|correct|clarif|amend|errat|corrigend|concern|version of|reinstat|restored|regret|apologi|"
    r"撤回|取り?下げ|取りさげ|訂正|正誤|初版|旧版|の版|再掲載|復活|復帰|復元|[わ詫]び|再",
    re.IGNORECASE,
)


class OwnWord(StrEnum):
    """What a page may say of itself."""

    RETRACTED = "retracted"
    REINSTATED = "reinstated"
    CORRECTED = "corrected"


@dataclass(frozen=True, slots=True)
class OwnStatement:
    """What a page says of itself; `context` is the sentence and the one after it, where its day may stand."""

    word: OwnWord
    sentence: str
    context: str


@dataclass(frozen=True, slots=True)
class _Patterns:
    notice: re.Pattern[str]
    follow_up: re.Pattern[str]
    own: Mapping[OwnWord, re.Pattern[str]]


def is_notice(text: str) -> bool:
    """Whether a text tells of a work's retraction or correction and of nothing else.

    It opens with such a sentence, and what follows is about the work, its authors, editors or errors as well.
    """
    if not _CLUE.search(text):
        return False
    patterns = _patterns("ja" if is_japanese(text) else "en")
    first, *rest = _sentences(text)
    return _is_told(patterns.notice, first) and all(
        _is_told(patterns.notice, one) or patterns.follow_up.search(one) is not None for one in rest
    )


def own_statements(text: str) -> Iterator[OwnStatement]:
    """What a page says of its own retraction, reinstatement or correction, in the order of its text."""
    for paragraph in text.splitlines():
        if not _CLUE.search(paragraph):
            continue
        patterns = _patterns("ja" if is_japanese(paragraph) else "en")
        told = _sentences(paragraph)
        for at, sentence in enumerate(told):
            word = next((word for word, pattern in patterns.own.items() if pattern.search(sentence)), None)
            if word is not None:
                yield OwnStatement(word, sentence, " ".join(told[at : at + 2]))


def _sentences(text: str) -> list[str]:
    plain = nfkc(text)
    return [plain[start:end][:_LONGEST_SENTENCE] for start, end in sentences(plain)] or [plain[:_LONGEST_SENTENCE]]


def _is_told(pattern: re.Pattern[str], sentence: str) -> bool:
    return pattern.search(sentence) is not None


@cache
def _patterns(language: str) -> _Patterns:
    lists = read_lists("notices", language)
    parts: dict[str, str] = {}
    for name, lines in lists["parts"].items():
        parts[name] = _filled("".join(lines), parts)

    def compiled(name: str) -> re.Pattern[str]:
        return re.compile("|".join(_filled(one, parts) for one in lists[name]), re.IGNORECASE)

    # "The retraction was itself retracted" must not be read as a retraction: the later word is looked for first.
    own = {
        OwnWord.REINSTATED: compiled("own_reinstatement"),
        OwnWord.RETRACTED: compiled("own_retraction"),
        OwnWord.CORRECTED: compiled("own_correction"),
    }
    return _Patterns(compiled("notice"), compiled("follow_up"), own)


def _filled(pattern: str, parts: Mapping[str, str]) -> str:
    return _PART.sub(lambda found: parts[found[1]], pattern)
