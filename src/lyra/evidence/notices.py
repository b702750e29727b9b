"""Texts that tell of the retraction or correction of a work, and what a page says of itself. Word lists are data.

A notice is evidence about the work, not for or against what the work claimed (SPEC §13, who may vote).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from lyra.text import is_japanese, nfkc, sentences
from lyra.word_lists import WordLists, word_lists

_LONGEST_SENTENCE = 1_000


class PageStatementKind(StrEnum):
    """What a page may say of itself."""

    RETRACTED = "retracted"
    REINSTATED = "reinstated"
    CORRECTED = "corrected"


@dataclass(frozen=True, slots=True)
class PageStatement:
    """What a page says of itself; `context` is the sentence and the one after it, where its day may stand."""

    word: PageStatementKind
    sentence: str
    context: str


# "The retraction was itself retracted" must not be read as a retraction: the later word is looked for first.
_OWN = {
    PageStatementKind.REINSTATED: "own_reinstatement",
    PageStatementKind.RETRACTED: "own_retraction",
    PageStatementKind.CORRECTED: "own_correction",
}


def is_notice(text: str) -> bool:
    """Whether a text tells of a work's retraction or correction and of nothing else.

    It opens with such a sentence, and what follows is about the work, its authors, editors or errors as well.
    """
    if not _has_clue(text):
        return False
    notice, follow_up = _lists(text).pattern("notice"), _lists(text).pattern("follow_up")
    first, *rest = _sentences(text)
    return notice.search(first) is not None and all(notice.search(one) or follow_up.search(one) for one in rest)


def page_statements(text: str) -> Iterator[PageStatement]:
    """What a page says of its own retraction, reinstatement or correction, in the order of its text."""
    for paragraph in text.splitlines():
        if not _has_clue(paragraph):
            continue
        lists = _lists(paragraph)
        told = _sentences(paragraph)
        for at, sentence in enumerate(told):
            word = next((word for word, name in _OWN.items() if lists.pattern(name).search(sentence)), None)
            if word is not None:
                yield PageStatement(word, sentence, " ".join(told[at : at + 2]))


def _sentences(text: str) -> list[str]:
    plain = nfkc(text)
    return [plain[start:end][:_LONGEST_SENTENCE] for start, end in sentences(plain)] or [plain[:_LONGEST_SENTENCE]]


def _has_clue(text: str) -> bool:
    """Whether a word stands there without which nothing is a notice; much quicker than the patterns."""
    return word_lists("lyra.evidence", "notices", "en", "ja").pattern("clue").search(text) is not None


def _lists(text: str) -> WordLists:
    return word_lists("lyra.evidence", "notices", "ja" if is_japanese(text) else "en")
