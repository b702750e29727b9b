"""How the figures of a page go: from cell to cell of a table with years as columns, or by the verb of two figures."""

import re
from itertools import combinations

from lyra.model.check import Source
from lyra.report.check.numbers import Stated, changes, is_same, stated
from lyra.report.check.opposite_words import amount_sides
from lyra.text import is_japanese

_LEAST_YEARS = 2
_OTHER_SIDE = {"+": "-", "-": "+"}
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")


def goes_other_way_in_table(sentence: str, row: str, source: Source) -> bool:
    """Whether a sentence goes from one figure of a row to another that the table gives for an earlier year."""
    mine = changes(sentence)
    if "|" not in row or not mine:
        return False
    pairs = _row_pairs(row, source)
    is_reversed = any(is_same(a, d) and is_same(b, c) and not is_same(a, b) for a, b in mine for c, d in pairs)
    return is_reversed and not any(is_same(a, c) and is_same(b, d) for a, b in mine for c, d in pairs)


def goes_against_verb(sentence: str, quote: str) -> bool:
    """Whether a sentence goes up from A to B where the page has both and only says "fell", or the other way."""
    known = stated(quote)
    end = max((one.span[1] for one in known), default=0)
    theirs = amount_sides(quote[end:] if is_japanese(quote) else quote)
    if len(theirs) != 1 or changes(quote):
        return False
    for a, b in changes(sentence):
        first, second = a.figure.value[-1], b.figure.value[-1]
        is_there = all(any(is_same(one, other) for other in known) for one in (a, b))
        if is_there and first is not None and second is not None and first != second:
            return _OTHER_SIDE["+" if second > first else "-"] in theirs
    return False


def _row_pairs(row: str, source: Source) -> list[tuple[Stated, Stated]]:
    """Any two figures of a row, the earlier first; none where the columns are no years in order."""
    head = _years_above(row, source)
    cells = [[one for one in stated(cell) if not one.is_year] for cell in row.split("|")[1:]]
    figures = [own[0] for own in cells if own]
    if len(head) < _LEAST_YEARS or len(figures) != len(cells) or len(head) != len(cells):
        return []
    if head != sorted(head):
        figures = figures[::-1] if head == sorted(head, reverse=True) else []
    return list(combinations(figures, 2))


def _years_above(row: str, source: Source) -> list[int]:
    """The years of the columns, by the last row above that has them."""
    lines = [line for fragment in source.fragments for line in fragment.text.split("\n") if "|" in line]
    above = lines[: lines.index(row)] if row in lines else []
    years = [[_year(cell) for cell in line.split("|")[1:]] for line in above]
    whole = [[one for one in own if one is not None] for own in years if own and None not in own]
    return whole[-1] if whole else []


def _year(cell: str) -> int | None:
    years = [one for one in stated(cell) if one.is_year or one.figure.kind == "date"]
    value = years[0].figure.value[0] if years else None
    match = _YEAR.search(cell)
    return int(value) if value is not None else int(match[0]) if match else None
