"""Which way the figures of a page go."""

import pytest

from lyra.model.check import Source, TextFragment
from lyra.report.check.trends import goes_against_verb, goes_other_way_in_table

ROW = "搬送（件） | 598 | 551 | 544"


def table(head: str) -> Source:
    """A page with one table of one row."""
    return Source("p_1", "https://a.example/", "年報", "p_1", fragments=(TextFragment("f_1", f"{head}\n\n{ROW}"),))


@pytest.mark.parametrize(
    ("head", "sentence", "expected"),
    [
        ("区分 | 令和3年 | 令和5年 | 令和6年", "搬送は544件から598件に増えた。", True),
        ("区分 | 令和3年 | 令和5年 | 令和6年", "搬送は598件から544件に減った。", False),
        ("区分 | 令和6年 | 令和5年 | 令和3年", "搬送は544件から598件に増えた。", False),
        ("区分 | 北 | 中 | 南", "搬送は544件から598件に増えた。", False),
    ],
    ids=["reversed", "in order", "columns backwards", "no years"],
)
def test_a_row_goes_as_the_years_of_its_columns(head: str, sentence: str, expected: bool) -> None:
    """Without years above the columns a row has no direction."""
    assert goes_other_way_in_table(sentence, ROW, table(head)) is expected


@pytest.mark.parametrize(
    ("sentence", "expected"), [("70人から118人に増えた。", True), ("118人から70人に減った。", False)]
)
def test_the_verb_behind_two_figures_tells_their_direction(sentence: str, expected: bool) -> None:
    """70, where it was 118 before, fell short of it."""
    assert goes_against_verb(sentence, "検出された方は70人で、令和2年度（118人）を四割ほど下回りました。") is expected
