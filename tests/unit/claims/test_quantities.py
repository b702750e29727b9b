"""Amounts with units, in English and Japanese."""

import pytest

from lyra.claims.quantities import Amount, amounts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("lowered it by 0.54 percentage points", (Amount(0.54, 0.54, "point"),), id="points"),
        pytest.param("falls by 0.4 to 0.7 percentage points", (Amount(0.4, 0.7, "point"),), id="a range"),
        pytest.param("27 percent of patients", (Amount(27, 27, "%"),), id="percent in words"),
        pytest.param("人口が3割増えた。", (Amount(30, 30, "%"),), id="a tenth is ten percent"),
        pytest.param("人口は30％増加しました。", (Amount(30, 30, "%"),), id="full-width percent"),
        pytest.param("年間約5万円の負担", (Amount(50_000, 50_000, "yen"),), id="ten thousands"),
        pytest.param("年間5万8千円", (Amount(58_000, 58_000, "yen"),), id="ten thousands and thousands"),
        pytest.param("年間51,700円", (Amount(51_700, 51_700, "yen"),), id="thousands with a comma"),
        pytest.param("1.5 million people", (Amount(1_500_000, 1_500_000, "person"),), id="millions"),
        pytest.param("to about two thirds", (Amount(200 / 3, 200 / 3, "%"),), id="a fraction is a share"),
        pytest.param("one in five households", (Amount(20, 20, "%"),), id="one in five"),
        pytest.param("5軒に1軒は出ていく", (Amount(20, 20, "%"),), id="one in five, in Japanese"),
        pytest.param("a third study", (), id="an ordinal is no share"),
        pytest.param("at least 80 percent", (Amount(80, 80, "%", 1),), id="a lower bound"),
        pytest.param("no more than 10 milliwatts", (Amount(10, 10, "milliwatt", -1),), id="an upper bound"),
        pytest.param("5万円以上が浮く", (Amount(50_000, 50_000, "yen", 1),), id="a lower bound in Japanese"),
        pytest.param("three times as many", (Amount(3, 3, "times"),), id="a number in words"),
        pytest.param("HbA1c fell in CARDIAN-53 by 0.6", (), id="numbers without a unit"),
    ],
)
def test_amounts_have_one_form_in_both_languages(text: str, expected: tuple[Amount, ...]) -> None:
    """What is compared is the amount, not its spelling."""
    assert amounts(text) == expected


def test_how_sure_a_figure_is_is_no_amount() -> None:
    """Nearly every trial has a 95 % confidence interval; sharing it says nothing."""
    found = amounts("reduced HbA1c by 0.54 percentage points (95% confidence interval 0.44 to 0.65)")

    assert found == (Amount(0.54, 0.54, "point"),)


@pytest.mark.timeout(5)
def test_a_number_without_end_is_read_in_linear_time() -> None:
    """A passage of pi's digits took minutes, for every claim it was laid beside."""
    assert amounts("3" * 100_000) == ()


def test_words_with_letters_that_only_look_alike_are_read() -> None:
    """A pattern that ignores case takes the Turkish ı for an i; the table of words must too."""
    assert amounts("sıx people, one in sİx") == (Amount(6, 6, "person"), Amount(100 / 6, 100 / 6, "%"))
