"""How the rate of several workers is taken from their reports."""

import pytest

from lyra.bulk.worker import PieceReport
from lyra_bench.measure.bulk import rate


def piece(worker: str, began: float, seconds: float, read: int) -> PieceReport:
    return PieceReport(read=read, began=began, seconds=seconds, worker=worker)


def test_starting_and_waiting_for_the_last_one_are_left_out() -> None:
    """Both are at work from 4 to 10: one reads 3 pages then, the other 3 and half of its last 2."""
    reports = [
        piece("a", 0, 2, 1),
        piece("a", 2, 2, 1),
        piece("a", 4, 6, 3),
        piece("b", 1, 3, 1),
        piece("b", 4, 4, 3),
        piece("b", 8, 4, 2),
    ]

    assert rate(reports) == pytest.approx((3 + 3 + 1) / 6)


def test_one_worker_is_measured_after_its_first_piece() -> None:
    """The first piece loads the models."""
    assert rate([piece("a", 0, 9, 1), piece("a", 9, 2, 4)]) == pytest.approx(2.0)
