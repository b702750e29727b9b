"""Checkable statements of a fragment, by rules. None is a valid result: nothing is made up to have one."""

from collections.abc import Iterator
from typing import Protocol

from lyra.claims import english, japanese
from lyra.claims.announcements import tells_method
from lyra.claims.sentences import is_balanced, located, without_marks
from lyra.model.claim import Statement
from lyra.text import is_japanese

CHECKWORTHY_FROM = 0.4
_LONGEST_QUOTE = 3 * english.MAX_CHARS


class Grammar(Protocol):
    """The rules of one language; the modules `english` and `japanese` are such."""

    def standing(self, text: str) -> str:
        """The sentence without what ties it to the one before."""

    def rejection(self, sentence: str, text: str) -> str | None:
        """Why it is no checkable statement, or none."""

    def hangs(self, text: str) -> bool:
        """Whether it needs the sentence before it to be understood."""

    def is_hedged(self, text: str) -> bool:
        """Whether the author holds back."""

    def worth(self, text: str) -> float:
        """How far it is worth checking, 0 to 1."""


def statements(fragment_text: str, language: str) -> list[Statement]:
    """The checkable declarative sentences, in reading order; `quote` is exactly `fragment_text[start:end]`.

    Japanese is told by its script, English by its words; `language` is the fragment's and settles the rest. Other
    languages give nothing.
    """
    return list(_found(fragment_text, language))


def states(fragment_text: str, language: str) -> bool:
    """Whether there is any checkable statement; reads no further than the first."""
    return next(_found(fragment_text, language), None) is not None


def hangs(sentence: str) -> bool:
    """Whether a sentence needs the one before it: a pronoun, "the latter", a dropped Japanese subject."""
    grammar: Grammar = _GRAMMARS["ja" if is_japanese(sentence) else "en"]
    return grammar.hangs(grammar.standing(without_marks(sentence)))


def _found(fragment_text: str, language: str) -> Iterator[Statement]:
    found = (_statement(fragment_text, start, end, language) for start, end in located(fragment_text))
    return (statement for statement in found if statement is not None)


def _statement(fragment_text: str, start: int, end: int, language: str) -> Statement | None:
    quote = fragment_text[start:end]
    if len(quote) > _LONGEST_QUOTE:
        return None
    sentence = without_marks(quote)
    known = _language(sentence, language)
    if known is None:
        return None
    grammar: Grammar = _GRAMMARS[known]
    text = grammar.standing(sentence)
    if not is_balanced(sentence) or grammar.rejection(sentence, text) is not None:
        return None
    score = round(grammar.worth(text), 3)
    if score < CHECKWORTHY_FROM or tells_method(sentence):
        return None
    return Statement(text, quote, start, end, known, score, grammar.is_hedged(text))


def _language(sentence: str, language: str) -> str | None:
    if is_japanese(sentence):
        return "ja"
    return "en" if language == "en" or english.is_english(sentence) else None


_GRAMMARS: dict[str, Grammar] = {"en": english, "ja": japanese}
