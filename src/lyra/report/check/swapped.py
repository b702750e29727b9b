"""Whether a sentence joins things and what is said of them the other way round than a page does, clause by clause.

"Large in winter, none in summer" has the words of "large in summer, none in winter", and the opposite sense.
"""

from functools import lru_cache
from itertools import pairwise

from lyra.report.check.opposite_words import stated_words
from lyra.report.check.vocabulary import pattern

_REMEMBERED = 8192


def swapped(sentence: str, quote: str) -> bool:
    """Whether two clauses have two words each that the page has the other way round, and no pair that it has alike."""
    mine, theirs = _clauses(sentence), _clauses(quote)
    return len(theirs) > 1 and any(_is_crossed(one, other, theirs) for one, other in pairwise(mine))


def clauses(text: str) -> list[str]:
    """The clauses of a sentence, as they stand."""
    return [part for part in pattern("swapped", "between").split(text) if part]


def nearest_clause(sentence: str, quote: str) -> str:
    """The clause of a quote that has most of a sentence's words."""
    mine = {one.stem for one in stated_words(sentence)}
    return max(clauses(quote), key=lambda one: len(mine & {each.stem for each in stated_words(one)}), default=quote)


def _is_crossed(one: frozenset[str], other: frozenset[str], theirs: tuple[frozenset[str], ...]) -> bool:
    first, second = one - other, other - one
    mixed = [(clause & first, clause & second) for clause in theirs if clause & first and clause & second]
    return len(mixed) == 2 and not mixed[0][0] & mixed[1][0] and not mixed[0][1] & mixed[1][1]


@lru_cache(_REMEMBERED)
def _clauses(text: str) -> tuple[frozenset[str], ...]:
    """The words of each clause; a word that every clause has is left out."""
    words = [frozenset(one.stem for one in stated_words(part)) for part in clauses(text)]
    found = [one for one in words if one]
    return tuple(one - frozenset.intersection(*found) for one in found) if len(found) > 1 else tuple(found)
