"""Whether a figure follows from several places of a page: a part of a whole, so much for each, or a table's cells."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from lyra.model.check import Source
from lyra.report.check.numbers import Stated, is_rounding, is_same, stated
from lyra.report.check.vocabulary import pattern

# What "about" leaves room for where a figure was calculated.
_INEXACT = 0.05
_ROUNDED = 0.5
_EXACT = 1e-6
_MOST_CELLS = 60
_LEAST_DIGITS = 2
_LEAST_DIFFERENCE = 3
_KANJI = re.compile(r"[〇一二三四五六七八九十百千万億]{4,}")
_COUNTED_WITHIN = 30
_IN_SHORT = re.compile(r"(\d+(?:\.\d+)?)\s?(m|mn|bn|k)", re.IGNORECASE)


def follows_from_page(one: Stated, sentence: str, sources: Sequence[Source]) -> bool:
    """Whether a figure of a sentence can be calculated from what its sources say in different places."""
    texts = [fragment.text for source in sources for fragment in source.fragments]
    return (
        _is_part_of_two(one, texts)
        or _repeats_counts(one, sentence)
        or _is_short_for(one, texts)
        or _is_for_each(one, sentence, texts)
        or any(_is_in_kanji(one, text) or _is_difference(one, text) for text in texts)
        or any(_is_of_table(one, text) for text in texts if "|" in text)
    )


def is_table_unread(sources: Sequence[Source]) -> bool:
    """Whether a page has the head of a table whose rows were not read."""
    return any(is_bare_head(fragment.text) for source in sources for fragment in source.fragments)


def is_bare_head(text: str) -> bool:
    """Whether a text is one row of a table alone."""
    return text.count(" | ") > 1 and "\n" not in text.strip()


def _is_part_of_two(one: Stated, texts: Sequence[str]) -> bool:
    """27 of 34, where one place says 27 and another 34."""
    if one.figure.kind != "share" or len(one.parts) != 2:
        return False
    known = {part for text in texts for other in stated(text) for part in (*other.parts, *_plain(other))}
    return one.parts <= known


def _plain(one: Stated) -> tuple[str, ...]:
    value = one.figure.value[0]
    return (f"{value:g}",) if one.figure.kind == "number" and value is not None else ()


def _repeats_counts(one: Stated, sentence: str) -> bool:
    """Whether a share repeats two counts of the sentence: 79 percent beside "27 of 34", which is checked by itself."""
    others = [other for other in stated(sentence) if other.span != one.span and other.figure.kind == "share"]
    if one.figure.kind != "share" or len(one.parts) > 1:
        return False
    pairs = ((one.figure.value[-1], other.figure.value[-1]) for other in others if len(other.parts) > 1)
    return any(a is not None and b is not None and abs(a - b) <= _ROUNDED for a, b in pairs)


def _is_short_for(one: Stated, texts: Sequence[str]) -> bool:
    """0.96m for 960,000."""
    match = _IN_SHORT.fullmatch(one.text.strip())
    if match is None:
        return False
    value = float(match[1]) * {"m": 1e6, "mn": 1e6, "bn": 1e9, "k": 1e3}[match[2].casefold()]
    return any(value == each or is_rounding(value, each, one) for text in texts for each in _values(text))


def _is_for_each(one: Stated, sentence: str, texts: Sequence[str]) -> bool:
    """So many crowns per school: what the page says in all, by how many schools it or the sentence has."""
    value = one.figure.value[-1]
    match = pattern("figures", "for_each").search(sentence)
    if match is None or value is None or not value or one.figure.kind not in ("number", "measure"):
        return False
    noun = next((each for each in match.groups() if each), "").casefold()
    counts = {count for text in (sentence, *texts) for count in _counts(text, noun)} - {value}
    wholes = {each for text in texts for each in _values(text)}
    return any(_is_near(value, whole / count, one) for whole in wholes for count in counts if count > 1)


def _counts(text: str, noun: str) -> Iterator[float]:
    """Figures behind which the noun stands; without a noun all of them."""
    for one in stated(text):
        behind = text[one.span[1] : one.span[1] + _COUNTED_WITHIN].casefold()
        value = one.figure.value[-1]
        is_counted = not noun or noun in re.split(r"[.;:。、]", behind)[0]
        if value is not None and one.figure.kind in ("number", "measure") and not one.is_year and is_counted:
            yield value


def _is_in_kanji(one: Stated, text: str) -> bool:
    """18,640 for 一万八千六百四十, whatever is counted."""
    return any(is_same(one, other) for number in _KANJI.findall(text) for other in stated(f"{number}人"))


def _is_difference(one: Stated, text: str) -> bool:
    """Exactly what two figures of a passage differ by; short figures would be met by chance."""
    value = one.figure.value[-1]
    is_plain = one.figure.kind in ("number", "measure") and not one.is_year and not one.is_inexact
    if value is None or not is_plain or len(re.sub(r"\D", "", one.text)) < _LEAST_DIFFERENCE:
        return False
    pairs = combinations(_values(text)[:_MOST_CELLS], 2)
    return any(abs(abs(a - b) - value) <= _EXACT * max(1.0, value) for a, b in pairs)


def _is_of_table(one: Stated, text: str) -> bool:
    """The difference of two cells in a row or a column, or what one of them changed by in percent."""
    value = one.figure.value[-1]
    if value is None or one.figure.kind == "date" or one.is_year or len(re.sub(r"\D", "", one.text)) < _LEAST_DIGITS:
        return False
    rows = [[_cell(cell) for cell in line.split("|")[1:]] for line in text.split("\n") if "|" in line]
    columns = [[row[at] for row in rows if at < len(row)] for at in range(max(map(len, rows), default=0))]
    lines = [[cell for cell in line[:_MOST_CELLS] if cell is not None] for line in (*rows, *columns)]
    pairs = [pair for line in lines for pair in combinations(line, 2)]
    if one.figure.kind == "share" and any(a and abs(100 * abs(b - a) / a - value) <= _ROUNDED for a, b in pairs):
        return True
    return any(abs(abs(a - b) - value) < _EXACT for a, b in pairs)


def _cell(text: str) -> float | None:
    match = re.fullmatch(r"\s*-?(\d[\d,]*(?:\.\d+)?)\s*", text)
    return float(match[1].replace(",", "")) if match else None


def _values(text: str) -> list[float]:
    known = (one for one in stated(text) if one.figure.kind in ("number", "measure") and not one.is_year)
    return [value for one in known if (value := one.figure.value[-1]) is not None]


def _is_near(value: float, known: float, one: Stated) -> bool:
    return abs(value - known) <= _INEXACT * value if one.is_inexact else is_rounding(value, known, one)
