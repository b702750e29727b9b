"""Checkable statements of a fragment, by rules. None is a valid result: nothing is made up to have one."""

from collections.abc import Iterator
from dataclasses import replace

from lyra.claims.announcements import describes_method
from lyra.claims.grammar import GRAMMARS, is_english
from lyra.claims.sentences import is_balanced, sentence_spans, without_marks
from lyra.model.claim import Statement
from lyra.model.page import Document, FragmentType
from lyra.text import is_japanese

CHECKWORTHY_FROM = 0.4
# A heading is no sentence, a table's row no prose, and code says nothing of the world.
NOT_PROSE = frozenset({FragmentType.HEADING, FragmentType.TABLE, FragmentType.CODE, FragmentType.FIGURE})
_LONGEST_QUOTE_CHARS = 1_200


def statements(fragment_text: str, language: str) -> list[Statement]:
    """The checkable declarative sentences, in reading order; `quote` is exactly `fragment_text[start:end]`.

    Japanese is told by its script, English by its words; `language` is the fragment's and settles the rest. Other
    languages give nothing.
    """
    return list(_found(fragment_text, language))


def has_statement(fragment_text: str, language: str) -> bool:
    """Whether there is any checkable statement; reads no further than the first."""
    return next(_found(fragment_text, language), None) is not None


def document_statements(document: Document) -> list[Statement]:
    """Every checkable statement in reading order, with its place in the document's text."""
    return [
        replace(found, start=passage.start + found.start, end=passage.start + found.end)
        for passage in document.passages
        if passage.type not in NOT_PROSE
        for found in statements(passage.text, document.language)
    ]


def inspect_claims(file: str, document: Document) -> dict[str, object]:
    """One line of `lyra inspect claims`: the file and its claims with their exact quotes."""
    return {
        "file": file,
        "claims": [
            {"text": one.text, "quote": one.quote, "start": one.start, "end": one.end, "language": one.language}
            for one in document_statements(document)
        ],
    }


def needs_previous(sentence: str) -> bool:
    """Whether a sentence needs the one before it: a pronoun, "the latter", a dropped Japanese subject."""
    grammar = GRAMMARS["ja" if is_japanese(sentence) else "en"]
    return grammar.needs_previous(grammar.without_opening(without_marks(sentence)))


def _found(fragment_text: str, language: str) -> Iterator[Statement]:
    found = (_statement(fragment_text, start, end, language) for start, end in sentence_spans(fragment_text))
    return (statement for statement in found if statement is not None)


def _statement(fragment_text: str, start: int, end: int, language: str) -> Statement | None:
    quote = fragment_text[start:end]
    if len(quote) > _LONGEST_QUOTE_CHARS:
        return None
    sentence = without_marks(quote)
    known = _language(sentence, language)
    if known is None:
        return None
    grammar = GRAMMARS[known]
    text = grammar.without_opening(sentence)
    if not is_balanced(sentence) or not grammar.is_checkable(sentence, text):
        return None
    score = round(grammar.checkworthiness(text), 3)
    if score < CHECKWORTHY_FROM or describes_method(sentence):
        return None
    return Statement(text, quote, start, end, known, score, grammar.is_hedged(text))


def _language(sentence: str, language: str) -> str | None:
    if is_japanese(sentence):
        return "ja"
    return "en" if language == "en" or is_english(sentence) else None
