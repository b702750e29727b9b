"""Things and what is said of them, joined the other way round."""

import pytest

from lyra.report.check.swapped import swapped


@pytest.mark.parametrize(
    ("sentence", "quote", "expected"),
    [
        ("ただし、風は冬に強く、夏には弱かった。", "港の風は夏に強く、冬には弱かった。", True),
        ("風は夏に強く、冬には弱かった。", "港の風は夏に強く、冬には弱かった。", False),
        ("Catches were rich in bays, and poor in rivers.", "In rivers catches were rich, but in bays poor.", True),
        (
            "Catches were rich in bays, and poor in rivers.",
            "Rich catches came in bays, whereas rivers had poor ones.",
            False,
        ),
        ("Catches were rich.", "In rivers catches were rich, but in bays poor.", False),
    ],
    ids=["入れ替え", "同じ", "swapped", "kept", "one clause"],
)
def test_two_clauses_that_the_page_has_the_other_way_round(sentence: str, quote: str, expected: bool) -> None:
    """The words are the same; which stands with which is not."""
    assert swapped(sentence, quote) is expected
