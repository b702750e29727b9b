"""Figures that follow from several places of a page."""

import pytest

from lyra.model.check import Source, TextFragment
from lyra.report.check.numbers import stated
from lyra.report.check.page_figures import follows_from_page, is_table_unread


def page(*texts: str) -> Source:
    fragments = tuple(TextFragment(f"f_{at}", text) for at, text in enumerate(texts))
    return Source("p_1", "https://a.example/1", "", "p_1", fragments=fragments)


PAGE = page(
    "All 34 harbour schools were asked.",
    "Twenty-seven say that it is better.",
    "The two years came to 1.34 million crowns, and only 960,000 had been provided.",
    "Year | Town | Country\n\n2022 | 5.42 | 5.44\n\n2024 | 5.48 | 5.50\n\nAll | 1,760 | 1,520",
    "署名は一万八千六百四十筆でした。工費の見込みは86億4千万円です。精算は97億2千万円です。",
)


@pytest.mark.parametrize(
    ("sentence", "figure"),
    [
        ("It is better at 27 of 34 schools.", "27 of 34"),
        ("It is better at 27 of 34, or 79 percent.", "79 percent"),
        ("Provided: 0.96m crowns.", "0.96m"),
        ("Cost per school: just under 40,000 crowns.", "40,000"),
        ("The town is 0.02 behind.", "0.02"),
        ("署名は1万8,640筆だった。", "1万8,640"),
        ("工費は10億8千万円増えた。", "10億8千万"),
        ("There were 240 fewer.", "240"),
        ("It fell by 14 per cent.", "14 per cent"),
    ],
    ids=["part", "percent", "millions", "for each", "row", "kanji", "difference", "cells", "change"],
)
def test_a_figure_that_can_be_worked_out_follows(sentence: str, figure: str) -> None:
    """From two places, a table, or the sentence's own parts."""
    one = next(each for each in stated(sentence) if each.shown == figure)

    assert follows_from_page(one, sentence, [PAGE]) is True


@pytest.mark.parametrize(
    ("sentence", "figure"),
    [
        ("It is better at 29 of 34 schools.", "29 of 34"),
        ("It is better at 27 of 34, or 89 percent.", "89 percent"),
        ("Provided: 0.69m crowns.", "0.69m"),
        ("Cost per school: just under 50,000 crowns.", "50,000"),
        ("The town is 0.07 behind.", "0.07"),
        ("署名は1万8,460筆だった。", "1万8,460"),
        ("There were 250 fewer.", "250"),
        ("It fell by 34 per cent.", "34 per cent"),
    ],
    ids=["part", "percent", "millions", "for each", "row", "kanji", "difference", "change"],
)
def test_another_figure_does_not_follow(sentence: str, figure: str) -> None:
    """The same sentences with a wrong figure."""
    one = next(each for each in stated(sentence) if each.shown == figure)

    assert follows_from_page(one, sentence, [PAGE]) is False


@pytest.mark.parametrize(
    ("text", "is_unread"),
    [("Year | Town | Country", True), ("Year | Town\n\n2022 | 5.42 | 1", False), ("No table", False)],
)
def test_a_table_without_rows_was_not_read(text: str, is_unread: bool) -> None:
    """A page may have lost the rows of which it has the head."""
    assert is_table_unread([page(text)]) is is_unread
