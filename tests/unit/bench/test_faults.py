"""What the bench calls lost and doubled."""

from lyra_bench.measure.faults import Faults, compare

WHOLE = {"pages": [("a", 1), ("b", 2)], "claims": [("c",), ("c",)]}


def test_an_equal_graph_passes() -> None:
    """Rows that are there as often as in the undisturbed run, in whatever order."""
    figures = Faults()

    compare(WHOLE, {"pages": [("b", 2), ("a", 1)], "claims": [("c",), ("c",)]}, figures)

    assert (figures.lost, figures.doubled, figures.changed, figures.is_passed) == (0, 0, [], True)


def test_a_missing_row_is_lost_and_a_second_one_doubled() -> None:
    """Counted one by one, and named by kind."""
    figures = Faults()

    compare(WHOLE, {"pages": [("a", 1), ("a", 1)], "claims": [("c",), ("c",), ("c",)]}, figures)

    assert (figures.lost, figures.doubled, figures.is_passed) == (1, 2, False)
    assert figures.changed == ["pages: 1 lost, 1 doubled, 0 others", "claims: 0 lost, 1 doubled, 0 others"]


def test_a_row_of_its_own_is_neither_lost_nor_doubled() -> None:
    """It is told all the same, and the measure is not passed: the two graphs must be equal."""
    figures = Faults()

    compare(WHOLE, {"pages": [*WHOLE["pages"], ("z", 9)], "claims": WHOLE["claims"]}, figures)

    assert (figures.lost, figures.doubled, figures.differing, figures.is_passed) == (0, 0, 1, False)
    assert figures.changed == ["pages: 0 lost, 0 doubled, 1 others"]


def test_a_broken_file_fails() -> None:
    """Even where every row is there."""
    assert Faults(broken=["not in the archive: https://x.org/"]).is_passed is False
