"""Which part of a whole a sentence speaks of, and whether a page gives another: "a minority" where it says 22 of 24."""

from functools import lru_cache

from lyra.report.check.numbers import stated
from lyra.report.check.vocabulary import pattern

# Percent that each word leaves room for; the edges are soft, for people round.
_RANGES = {
    "none": (0.0, 3.0),
    "few": (0.0, 48.0),
    "most": (50.0, 100.0),
    "nearly_all": (75.0, 100.0),
    "all": (97.0, 100.0),
}
_REMEMBERED = 8192


@lru_cache(_REMEMBERED)
def quantifiers(text: str) -> frozenset[str]:
    """Names of the parts that a text speaks of in words."""
    return frozenset(name for name in _RANGES if pattern("quantifiers", name).search(text))


def other_part(sentence: str, quote: str) -> bool:
    """Whether a sentence that names one part in words has no place for any part that the quote names or counts."""
    own, named, counted = quantifiers(sentence), _shares(sentence), _shares(quote)
    if len(own) != 1 or named - counted or own & quantifiers(quote):
        return False
    low, high = _RANGES[next(iter(own))]
    counted -= named
    if counted:
        return not any(low <= one <= high for one in counted)
    theirs = [_RANGES[name] for name in quantifiers(quote)]
    return bool(theirs) and all(low > end or high < start for start, end in theirs)


def _shares(text: str) -> frozenset[float]:
    """In percent."""
    values = (one.figure.value[-1] for one in stated(text) if one.figure.kind == "share")
    return frozenset(value for value in values if value is not None)
