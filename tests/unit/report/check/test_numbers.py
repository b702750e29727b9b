"""Figures of a sentence against those of a source."""

import pytest

from lyra.report.check.numbers import changes, different_figures, has_figure, is_coarse, is_same, reverses_order, stated


@pytest.mark.parametrize(
    ("told", "source"),
    [
        ("51,270 yen", "5万1270円だった。"),
        ("2023年度", "令和5年度の実績"),
        ("about 40 percent", "39 percent more energy"),
        ("3.8 million pounds", "3,812,440 pounds"),
        ("22 of 24", "22 of the 24 chargers"),
        ("80", "the 80 percent that is asked for"),
        ("26 percent", "from 46 in 2022 to 34 in 2024"),
        ("３分の１", "3分の1を下回った"),
    ],
)
def test_the_same_figure_in_another_form(told: str, source: str) -> None:
    """Notation, rounding, "about", and the change between two figures."""
    (figure,) = stated(told)

    assert has_figure(figure, source) is True


@pytest.mark.parametrize(
    ("told", "source"),
    [
        ("87 percent", "81 percent on average, and 22 of 24 met the 80 percent"),
        ("about 15%", "by about 50% (risk ratio 1.52, 95% confidence interval 1.29 to 1.80)"),
        ("38 million", "3.8 million pounds"),
        ("74件", "212件から47件"),
        ("2021", "in 2022"),
        ("1億3千万円", "3億1千万円"),
        ("48.3％", "全体の43.8％です。限る場合を含めると、半数を超えます。"),
    ],
)
def test_another_figure(told: str, source: str) -> None:
    """Nothing is calculated of figures between which nothing changed."""
    (figure,) = stated(told)

    assert has_figure(figure, source) is False


def test_figures_in_names_count_nothing() -> None:
    """DPP-4, HbA1c and edition 2.1 are names."""
    assert [one.text for one in stated("DPP-4 and HbA1c of edition 2.1 in 14 phones")] == ["14"]


@pytest.mark.parametrize(
    ("sentence", "source", "expected"),
    [
        ("from 34 to 46", "went from 46 in 2022 to 34 in 2024", True),
        ("from 46 to 34", "went from 46 in 2022 to 34 in 2024", False),
        ("131個から48個に減った", "48個から131個に達した", True),
        ("48個から131個に増えた", "48個から131個に達した", False),
        ("20件から50件に増えた", "苦情は20件と、橋が架かる前の50件から減った", True),
        ("50件から20件に減った", "苦情は20件と、橋が架かる前の50件から減った", False),
        ("the ride went from 35 to 52 minutes", "the ride took 52 minutes in the old days and 35 this time", True),
        ("the ride went from 52 to 35 minutes", "the ride took 52 minutes in the old days and 35 this time", False),
        ("it rose from 31 to 44 boats", "there were 31 boats, where there had been 44", True),
    ],
)
def test_from_a_to_b_is_not_from_b_to_a(sentence: str, source: str, expected: bool) -> None:
    """The order of a change counts."""
    assert reverses_order(sentence, source) is expected


@pytest.mark.parametrize(
    ("told", "source", "expected"),
    [
        ("3.1 percent", "Of every 1,000 boats 31 leaked", True),
        ("3.7 percent", "Of every 1,000 boats 31 leaked", False),
        ("41 percent", "a rate ratio of 1.41", True),
        ("14 percent", "a rate ratio of 1.41", False),
        ("三割", "9,860人から6,790人に減った", True),
        ("四割", "9,860人から6,790人に減った", False),
        ("3割", "31％", True),
        ("7 boats", "Of 640 boats 633 came back.", True),
        ("9 boats", "Of 640 boats 633 came back.", False),
        ("30％", "31％", False),
        ("9700万円", "| 科目（百万円） | 平成28年度 | | 線路保守費 | 97 | 66 |", True),
        ("9500万円", "| 科目（百万円） | 平成28年度 | | 線路保守費 | 97 | 66 |", False),
    ],
)
def test_a_figure_may_be_told_otherwise(told: str, source: str, expected: bool) -> None:
    """Per thousand, as a ratio, in tenths, in a table's unit, as a difference; digits leave no more room."""
    (figure,) = stated(told)

    assert has_figure(figure, source) is expected


def test_figures_are_shown_as_the_text_has_them() -> None:
    """Years of eras, wide signs and a minus sign stay; a dash between two figures is no minus sign."""
    text = "令和７年度は43.8％、差は−1.1％、-2 (11–12)"

    assert [(one.shown, text[slice(*one.span)]) for one in stated(text)] == [
        ("令和７年度", "令和７年度"),
        ("43.8％", "43.8％"),
        ("−1.1％", "1.1％"),
        ("-2", "2"),
        ("11", "11"),
        ("12", "12"),
    ]


@pytest.mark.parametrize(
    ("told", "source", "expected"),
    [
        ("2.0％", "推定値0.2％、95％信頼区間−1.1％から1.5％", ["0.2％", "−1.1％", "1.5％"]),
        ("32%", "by 22% (95% confidence interval 12% to 31%)", ["22%", "12%", "31%"]),
    ],
)
def test_how_sure_an_interval_is_is_no_other_figure(told: str, source: str, expected: list[str]) -> None:
    """95 % says nothing of what was measured."""
    (figure,) = stated(told)

    assert [one.shown for one in different_figures(figure, [source])] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seven", True),
        ("7", False),
        ("forty", False),
        ("seven percent", False),
        ("two years", True),
        ("twelve days", False),
    ],
)
def test_a_plain_number_in_words_may_be_the_authors_count(text: str, expected: bool) -> None:
    """Digits, large numbers and shares are looked for."""
    (figure,) = stated(text)

    assert figure.is_counted_word is expected


@pytest.mark.parametrize(
    ("told", "known", "expected"),
    [
        ("December 2013", "5 December 2013", True),
        ("2023年6月", "令和5年6月12日", True),
        ("2 May 2019", "2 May", True),
        ("5 December 2013", "December 2013", False),
        ("May 2019", "2 May 2020", False),
        ("6月", "2023年6月12日", True),
        ("6回", "6月", False),
    ],
)
def test_a_date_may_say_less_than_the_source(told: str, known: str, expected: bool) -> None:
    """A month of a day, a day with its year; a count is no month."""
    assert is_same(stated(told)[0], stated(known)[0]) is expected


@pytest.mark.parametrize(
    ("text", "expected"), [("38 per cent", False), ("38 percent", False), ("38%", False), ("two fifths", True)]
)
def test_a_share_in_percent_leaves_no_room(text: str, expected: bool) -> None:
    """However percent is written; a fraction in words does."""
    (figure,) = stated(text)

    assert is_coarse(figure) is expected


def test_an_interval_is_no_change() -> None:
    """It only goes from its lower to its upper bound."""
    assert changes("It fell by 7.4% (95% confidence interval from 4.1% to 10.6%).") == []
