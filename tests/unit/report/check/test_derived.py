"""Figures that follow from those of a sentence."""

import pytest

from lyra.report.check.derived import follows, is_converted, is_miscalculated
from lyra.report.check.numbers import stated


@pytest.mark.parametrize(
    ("sentence", "quote", "expected"),
    [
        pytest.param("They came 92 times.", "They came 29, 33 and 30 times.", True, id="sum of a list"),
        pytest.param("合わせて68検体を調べた。", "保存食48検体と布20検体。", True, id="sum of like counts"),
        pytest.param("It spared 107 homes.", "It would have entered 118 homes, and entered 11.", True, id="difference"),
        pytest.param("6.7ポイント下がった。", "31.5％で、前の38.2％から落ちた。", True, id="points"),
        pytest.param("8割に備わっていた。", "87か所のうち71か所に備わっていた。", True, id="tenths"),
        pytest.param("It lost a fifth.", "It had 150 boats and lost 30.", True, id="fraction in words"),
        pytest.param("It is 2.3 times as much.", "It rose from 60 to 138.", True, id="times"),
        pytest.param("They came 95 times.", "They came 29, 33 and 30 times.", False, id="another sum"),
        pytest.param("It was 87 percent.", "It was 81 percent; 22 of 24 met 80 percent.", False, id="of shares"),
        pytest.param("It was 2.7 percent.", "Of 1,000 people 31 were hit, against 22.", False, id="near a share"),
    ],
)
def test_a_figure_follows_from_one_sentence(sentence: str, quote: str, expected: bool) -> None:
    """Sums, differences, parts and multiples; a share in percent must be exact to its last digit."""
    (one,) = stated(sentence)

    assert follows(one, sentence[one.span[1] :], quote) is expected


@pytest.mark.parametrize(
    ("sentence", "expected"), [("1.64 km² of marsh", True), ("1.46 km² of marsh", False), ("1.64 m of marsh", False)]
)
def test_an_area_may_be_told_in_another_unit(sentence: str, expected: bool) -> None:
    """164 hectares are 1.64 square kilometres."""
    one = stated(sentence)[0]

    assert is_converted(one, sentence[one.span[1] :], "over 164 hectares of young marsh") is expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The grant rose from 5 million to 12 million crowns, 3.4 times as much.", [False, False, True]),
        ("The grant rose from 5 million to 12 million crowns, 2.4 times as much.", [False, False, False]),
        ("Boats rose from 20 to 30, 4 an hour.", [False, False, False]),
        ("補助金は6億1千万円から13億4千万円へと約3.2倍になった。", [False, False, True]),
        ("補助金は6億1千万円から13億4千万円へと約2.2倍になった。", [False, False, False]),
    ],
    ids=["wrong", "right", "a rate", "誤り", "正しい"],
)
def test_a_multiple_must_follow_from_the_change_that_it_tells(sentence: str, expected: list[bool]) -> None:
    """From A to B is B by A times as much, whatever other figures the page has."""
    assert [is_miscalculated(one, sentence) for one in stated(sentence)] == expected
