"""Figures of a text as the claim writes them: equal ones alike, others in the claim's way, both languages."""

import pytest

from lyra.claims.notation import figures, in_one_notation


@pytest.mark.parametrize(
    ("text", "claim", "expected"),
    [
        ("補助金は5万1270円だった。", "補助金は51,270円だった。", "補助金は51,270円だった。"),
        ("補助金は５１，２７０円だった。", "補助金は51270円だった。", "補助金は51270円だった。"),
        ("補助金は五万一千二百七十円だった。", "補助金は5万1270円だった。", "補助金は5万1270円だった。"),
        ("事業費は1億2000万円。", "事業費は1.2億円である。", "事業費は1.2億円。"),
        ("4割が反対した。", "反対は40%だった。", "40%が反対した。"),
        ("5人に2人が反対した。", "反対は40%だった。", "40%が反対した。"),
        ("四割二分が残った。", "残ったのは42%だ。", "42%が残った。"),
        ("半数が残った。", "残ったのは50%だ。", "50%が残った。"),
        ("発表は2024/4/1。", "発表は2024年4月1日。", "発表は2024年4月1日。"),
        ("午後3時に始まる。", "15時に始まる。", "15時に始まる。"),
        ("1時間半かかる。", "90分かかる。", "90分かかる。"),
        ("第3四半期に増えた。", "第三四半期に増えた。", "第3四半期に増えた。"),
        ("Two in five residents said no.", "40% of residents said no.", "40% residents said no."),
        ("A third of them left.", "33 per cent left.", "33 per cent of them left."),
        ("It cost $1.2M.", "It cost 1,200,000 dollars.", "It cost $1,200,000."),
        ("It cost 1.2 million dollars.", "It cost $1,200,000.", "It cost 1,200,000 dollars."),
        ("Fifty-one thousand two hundred and seventy came.", "51,270 people came.", "51,270 came."),
        ("A dozen ships came.", "12 ships came.", "12 ships came."),
        ("It was signed on 1 April 2024.", "It was signed on April 1, 2024.", "It was signed on April 1, 2024."),
        ("It lasts a fortnight.", "It lasts 14 days.", "It lasts 14 days."),
        ("It took an hour and a half.", "It took 90 minutes.", "It took 90 minutes."),
        ("It weighs 5 lb.", "It weighs 2.27 kg.", "It weighs 2.27 kg."),
        ("Doors open at 3 p.m.", "Doors open at 15:00.", "Doors open at 15:00"),
        ("In Q3 sales rose.", "Sales rose in the third quarter.", "In third quarter sales rose."),
        ("Sales of FY2023 rose.", "Sales rose in fiscal year 2023.", "Sales of fiscal year 2023 rose."),
    ],
)
def test_equal_figure_is_written_as_in_the_claim(text: str, claim: str, expected: str) -> None:
    """What means the same looks the same to the reader."""
    assert in_one_notation(text, claim)[0] == expected


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("補助金は5万2170円だった。", "補助金は51,270円だった。"),
        ("Two in five said no.", "45% said no."),
        ("It took two hours.", "It took 90 minutes."),
        ("It was signed on 2 April 2024.", "It was signed on April 1, 2024."),
    ],
)
def test_other_value_stays_as_it_is_written(text: str, claim: str) -> None:
    """Only what is equal is made to look equal."""
    assert in_one_notation(text, claim) == (text, claim)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("令和5年度に始まった。", "2023年度に始まった。"),
        ("平成元年の条例", "1989年の条例"),
        ("昭和三十九年に完成", "1964年に完成"),
        ("R5年度の決算", "2023年度の決算"),
    ],
)
def test_years_of_eras_become_western_on_both_sides(text: str, expected: str) -> None:
    """Text and claim are in one calendar, whether or not the other side names a year."""
    assert in_one_notation(text, text) == (expected, expected)


@pytest.mark.parametrize(
    "text",
    [
        "三重県の病院は十分に広い。",
        "One of them is well known; nobody counted.",
        "The third man came second.",
        "値は" + "1" * 400 + "円",
    ],
)
def test_words_that_are_no_figures_stay(text: str) -> None:
    """Names, ordinals, pronouns and numbers beyond counting are left as they stand."""
    assert in_one_notation(text, "3県で10分かかり、13人が1番になった。 1,000")[0] == text


def test_same_style_stays_as_it_is_written() -> None:
    """Two numbers in digits need no change, whatever their values."""
    told = in_one_notation("It rose from 1,200 to 1500 in 2024.", "It rose to 1,600.")

    assert told == ("It rose from 1,200 to 1500 in 2024.", "It rose to 1,600.")


def test_figures_do_not_overlap() -> None:
    """The number in a date, a share or a measure is no number of its own."""
    found = figures("On April 1, 2024 40% took 90 minutes for 1,200 forms.")

    assert [(one.kind, one.value) for one in found] == [
        ("date", (2024.0, 4.0, 1.0)),
        ("share", (40.0,)),
        ("measure", (2.0, 5400.0)),
        ("number", (1200.0,)),
    ]
