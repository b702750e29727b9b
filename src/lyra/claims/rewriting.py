"""Whether a statement said anew, with what its pronouns stand for, is still the same statement. Pure.

Whoever wrote it may have taken words from around the sentence and from nowhere else.
"""

from lyra.claims.grammar import GRAMMARS
from lyra.claims.statements import statements
from lyra.claims.words import content_words, directions, negations, numbers, same_key
from lyra.model.claim import Statement
from lyra.text import is_japanese
from lyra.word_lists import word_lists

_LONGEST_GROWTH_CHARS = 160


def points_back(statement: Statement) -> bool:
    """Whether it holds words that stand for something named before."""
    lists = word_lists("lyra.claims", "statements", statement.language)
    return lists.pattern("points_back").search(statement.text) is not None


def rewriting_fault(statement: Statement, said: str, around: str) -> str | None:
    """Why a rewriting is not the same statement; None where these rules find nothing.

    `around` is all that the writer was shown beside the sentence.
    """
    if same_key(said) == same_key(statement.text):
        return "nothing changed"
    if len(said) > len(statement.text) + _LONGEST_GROWTH_CHARS:
        return "too long"
    if is_japanese(said) != (statement.language == "ja"):
        return "another language"
    found = statements(said, statement.language)
    if len(found) != 1 or same_key(found[0].text) != same_key(said):
        return "no single statement"
    if points_back(found[0]):
        return "still points back"
    return _changed_sense(statement, said, around)


def _changed_sense(statement: Statement, said: str, around: str) -> str | None:
    old, given = statement.text, f"{statement.quote}\n{around}"
    if not numbers(old) <= numbers(said) or not numbers(said) <= numbers(given):
        return "other numbers"
    if negations(said) != negations(old):
        return "another negation"
    if directions(said) != directions(old):
        return "another direction"
    grammar = GRAMMARS[statement.language]
    if grammar.is_hedged(said) != statement.is_hedged:
        return "another certainty"
    if not content_words(said) <= content_words(given):
        return "words from elsewhere"
    pointing = word_lists("lyra.claims", "statements", statement.language).pattern("points_back")
    if content_words(pointing.sub(" ", old)) - content_words(said):
        return "words lost"
    return None
