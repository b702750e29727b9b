"""Two things compared: a page that compares them the other way round, in words or by figures."""

import pytest

from lyra.report.check.comparisons import Comparison, comparison, other_way_round

FERRY = "The ferry used 12 percent more fuel than the bridge."


def test_what_is_compared_with_what() -> None:
    """The words that only one of the two has, the axis and the sign."""
    found = comparison("The ferry used more fuel than the bridge.")

    assert found == Comparison("amount", 1, frozenset({"ferry", "used", "fuel"}), frozenset({"bridg"}))


@pytest.mark.parametrize(
    ("sentence", "quote", "expected"),
    [
        (FERRY, "The bridge used 12 percent more fuel than the ferry in winter.", True),
        (FERRY, "The ferry needed 12 percent more fuel than the bridge.", False),
        (FERRY, "The bridge used less fuel than the ferry.", False),
        (FERRY, "The bridge opened in 1990.", None),
        ("Barley yielded more grain than oats.", "Oats gave 41 tonnes and barley 29 tonnes.", True),
        ("Barley yielded less grain than oats.", "Oats gave 41 tonnes and barley 29 tonnes.", False),
        ("The train is faster than the bus.", "The bus needs 48 minutes and the train 31 minutes.", False),
        ("The bus is faster than the train.", "The bus needs 48 minutes and the train 31 minutes.", True),
        ("Visitors outnumbered residents.", "Residents outnumbered visitors.", True),
        ("北の区は南の区を上回った。", "南の区は北の区を上回った。", True),
        ("北の区は南の区を下回った。", "南の区は北の区を上回った。", False),
        ("小麦の収量は大麦より多い。", "大麦の収量は小麦より多かった。", True),
        ("残高は去年より6億円少ない。", "残高は31億円の見込みで、去年から6億円減る。", None),
    ],
    ids=[
        *("swapped", "kept", "swapped with the other word", "other matter", "by figures", "figures agree"),
        *("faster is shorter", "slower is longer", "verb", "上回る", "下回る", "より", "差"),
    ],
)
def test_whether_a_quote_compares_the_other_way_round(sentence: str, quote: str, expected: bool | None) -> None:
    """None where it does not compare the same things."""
    assert other_way_round(sentence, quote) is expected


@pytest.mark.parametrize(
    "sentence",
    ["The ferry did not use more fuel than the bridge.", "The ferry sails daily.", "More than 40 boats left."],
    ids=["denied", "no comparison", "a limit"],
)
def test_what_is_no_comparison(sentence: str) -> None:
    """A denial leaves open which is more; a limit compares nothing."""
    assert comparison(sentence) is None
