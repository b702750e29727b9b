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
        ("３・４％上昇した。", "3.4%上昇した。"),
        ("3・4月の会議", "3・4月の会議"),
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
    """The number in a date, a share or a measure is not a number of its own."""
    found = figures("On April 1, 2024 40% took 90 minutes for 1,200 forms.")

    assert [(one.kind, one.value) for one in found] == [
        ("date", (2024.0, 4.0, 1.0)),
        ("share", (40.0,)),
        ("measure", (2.0, 5400.0)),
        ("number", (1200.0,)),
    ]


@pytest.mark.parametrize(
    ("text", "claim", "expected"),
    [
        ("転出は29％だった。", "転出は約3割である。", "転出は約3割だった。"),
        ("転出は29.8%だった。", "転出は3割程度である。", "転出は3割程度だった。"),
        ("転出は31%だった。", "転出は30%前後である。", "転出は30%前後だった。"),
        (
            "転出は19.6%(95%信頼区間18.9~20.4%)だった。",
            "転出は約2割である。",
            "転出は約2割(95%信頼区間18.9~20.4%)だった。",
        ),
        ("Visits fell by 19.6 percent.", "Visits fell by roughly a fifth.", "Visits fell by a fifth."),
        ("29.8% left.", "About 30 per cent left.", "about 30 per cent left."),
        ("31% left.", "30 percent or so left.", "30 percent or so left."),
        ("Some 65% passed.", "Nearly two thirds passed.", "Some two thirds passed."),
    ],
)
def test_rounded_share_is_written_as_an_approximate_claim_writes_it(text: str, claim: str, expected: str) -> None:
    """What the claim calls about 30 % is 30 % to the reader, from 28 to 32."""
    assert in_one_notation(text, claim)[0] == expected


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("転出は29%だった。", "転出は3割である。"),
        ("転出は29%だった。", "転出は3割以上である。"),
        ("転出は26%だった。", "転出は約3割である。"),
        ("転出は18.5%だった。", "転出は約2割である。"),
        ("転出は14%だった。", "転出は約15%である。"),
        ("転出は29%から31%に増えた。", "転出は約3割である。"),
        ("転出は28~31%だった。", "転出は約3割である。"),
        ("高かった(95%信頼区間29%から45%)。", "転出は約3割である。"),
        ("転出は31%だった。", "転出は3割近い。"),
        ("転出は31%だった。", "転出は3割近くである。"),
        ("29% left.", "30% left."),
        ("31% left.", "Nearly 30% left."),
        ("29% left.", "At least 30% left."),
        ("26% left.", "About 30% left."),
        ("It rose from 29% to 31%.", "About 30% left."),
        ("It was high (95% CI 29% to 45%).", "About 30% left."),
        ("29 people left.", "About 30% left."),
    ],
)
def test_share_that_does_not_round_to_the_claim_stays(text: str, claim: str) -> None:
    """Exact claims, other values, intervals, and two values that both would become the claim's are left."""
    assert in_one_notation(text, claim)[0] == text


def test_equal_figure_goes_before_a_rounded_one() -> None:
    """A share that the claim itself names is not taken for its approximate one."""
    told = in_one_notation("男性は29%だった。", "全体は約3割、男性は29パーセントである。")

    assert told[0] == "男性は29パーセントだった。"


def test_rounded_share_stays_beside_an_equal_one() -> None:
    """Where the text has the claim's figure another one near it is another figure."""
    told = in_one_notation("全体は3割、男性は29%だった。", "全体は約30%である。")

    assert told[0] == "全体は30%、男性は29%だった。"


@pytest.mark.parametrize(
    ("text", "claim", "expected"),
    [
        ("見込みの1.29倍であった。", "台数は約3割増えた。", "見込みより約3割多い水準であった。"),
        ("見込みの1.3倍であった。", "台数は3割多い。", "見込みより3割多い水準であった。"),
        ("見込みの約1.3倍であった。", "台数は3割多い。", "見込みより約3割多い水準であった。"),
        ("見込みの0.70倍であった。", "残りは約3割減った。", "見込みより約3割少ない水準であった。"),
        ("見込みの0.69倍であった。", "残りは3割ほど少ない。", "見込みより3割ほど少ない水準であった。"),
        (
            "They were 1.29 times the number expected.",
            "Arrivals rose by about 30 percent.",
            "They were 1.29 times (about 30 percent more) the number expected.",
        ),
        ("It was 1.3 times as high.", "Prices are 30% higher.", "It was 1.3 times (30% more) as high."),
        (
            "Waste was 0.7 times that of 2021.",
            "Free lunches reduced waste in schools by 30 percent.",
            "Waste was 0.7 times (30 percent less) that of 2021.",
        ),
        (
            "Waste was 0.79 times that of 2021.",
            "There was a fall of roughly a fifth.",
            "Waste was 0.79 times (roughly a fifth less) that of 2021.",
        ),
    ],
)
def test_multiple_is_said_as_the_rise_or_fall_of_the_claim(text: str, claim: str, expected: str) -> None:
    """1.29 times is a rise by about 30 %, 0.7 times a fall by 30 %."""
    assert in_one_notation(text, claim)[0] == expected


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("見込みの1.29倍であった。", "台数は3割増えた。"),
        ("見込みの1.3倍であった。", "台数は3割減った。"),
        ("見込みの0.7倍であった。", "台数は3割増えた。"),
        ("見込みの1.3倍であった。", "台数の3割は夜である。"),
        ("見込みの1.24倍であった。", "台数は約3割増えた。"),
        ("見込みの1.2倍(95%信頼区間1.1~1.3倍)であった。", "台数は3割増えた。"),
        ("その1.3倍であった。", "台数は3割増えた。"),
        ("1.3倍であった。", "台数は3割増えた。"),
        ("東の1.29倍、西の1.31倍であった。", "台数は約3割増えた。"),
        ("It was 1.29 times the number expected.", "Arrivals rose by 30 percent."),
        ("It was 1.3 times the number expected.", "Arrivals fell by 30 percent."),
        ("It was 1.3 times the number expected.", "Arrivals rose to 30 percent."),
        ("They looked 1.3 times a day.", "Arrivals rose by 30 percent."),
        ("It was high (95% CI 1.1 to 1.3 times the number).", "Arrivals rose by 30 percent."),
    ],
)
def test_multiple_of_another_change_stays(text: str, claim: str) -> None:
    """Another size, the other direction, a share that is no change, an interval and a count are left."""
    assert in_one_notation(text, claim)[0] == text


@pytest.mark.parametrize(
    ("text", "claim", "written"),
    [
        (
            "It fell by 0.65 percentage points.",
            "It falls by 0.5 to 0.8 percentage points.",
            "by 0.5 to 0.8 percentage points.",
        ),
        (
            "It fell by 0.65 percentage points.",
            "It falls by 0.7 to 0.8 percentage points.",
            "by 0.65 percentage points.",
        ),
        ("It fell by 12 % in May.", "It falls by between 10 and 15 percent.", "by 10 and 15 percent in May."),
        ("It fell by 12 % in May.", "They are 10 and 15 percent of all.", "by 12 % in May."),
        ("It fell by 12 % and 14 %.", "It falls by 10 to 15 percent.", "by 12 % and 14 %."),
        ("It has 12 dogs.", "It has 10 to 15 cats.", "has 12 dogs."),
        ("費用は年間9億6千万円だった。", "費用は年間8億円から12億円である。", "年間8億円から12億円だった。"),
        ("費用は年間3億円だった。", "費用は年間8億円から12億円である。", "年間3億円だった。"),
    ],
)
def test_figure_within_a_range_of_the_claim_is_written_as_that(text: str, claim: str, written: str) -> None:
    """In the claim's unit, and where the text has one such value alone; other figures stay."""
    assert in_one_notation(text, claim)[0].endswith(written)
