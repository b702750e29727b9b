"""What a sentence says, part by part: without who says so, and clause by clause, each with what it speaks of.

A page may say in several sentences what a text says in one. Each clause is compared with the sentence that says it.
"""

from functools import lru_cache

from lyra.report.check.elsewhere import words_of
from lyra.report.check.opposite_words import sentences_of
from lyra.report.check.vocabulary import pattern
from lyra.text import is_japanese

_REMEMBERED = 4096
# Content words that a part must have to be looked for by itself.
_LEAST_WORDS = 3


@lru_cache(_REMEMBERED)
def without_attribution(sentence: str) -> str:
    """A sentence without "according to the Courier" or 市によると: what is said is compared, not who says it."""
    bare = pattern("citing", "said_by").sub("", sentence)
    reported = pattern("citing", "reported").fullmatch(bare)
    statement = next((value for value in reported.groups() if value), "") if reported else bare
    end = "。" if reported and is_japanese(sentence) else ""
    found = f"{statement[:1].upper()}{statement[1:]}{end}".strip()
    return found if len(words_of(found)) >= _LEAST_WORDS else sentence


@lru_cache(_REMEMBERED)
def parts_of(text: str) -> tuple[str, ...]:
    """The statements of a text that say enough by themselves: its sentences, and their clauses; none where it is one.

    A clause that says too little goes with the one before it; a Japanese one without a topic has that of the first.
    """
    found = tuple(part for sentence in sentences_of(text) for part in _clauses(sentence))
    return found if len(found) > 1 else ()


def _clauses(sentence: str) -> list[str]:
    found: list[str] = []
    for clause in filter(None, pattern("parts", "between").split(sentence)):
        if found and (_says_too_little(clause) or _says_too_little(found[-1])):
            found[-1] = sentence[sentence.index(found[-1]) : sentence.index(clause) + len(clause)]
        else:
            found.append(clause)
    topic = pattern("parts", "topic").match(found[0]) if found else None
    lead = topic[0] if topic else ""
    return [*found[:1], *(one if _has_topic(one) else f"{lead}{one}" for one in found[1:])]


def _says_too_little(clause: str) -> bool:
    """Whether a clause has few words, or goes on with the subject of the one before it."""
    return len(words_of(clause)) < _LEAST_WORDS or pattern("parts", "goes_on").match(clause) is not None


def _has_topic(clause: str) -> bool:
    return pattern("parts", "own_topic").search(clause) is not None
