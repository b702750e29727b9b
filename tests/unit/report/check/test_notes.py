"""Notes that point to other notes."""

import pytest

from lyra.report.check.notes import with_pointed_notes
from lyra.report.check.references import Reference

FIRST = "Port Authority, ‘The old bridge: a report’ (2 May 2024) <https://a.example/1>."
SECOND = "Mill Council, ‘Minutes’ <https://a.example/2>."


@pytest.mark.parametrize(
    ("note", "pointed"),
    [
        pytest.param("Ibid.", (SECOND,), id="ibid"),
        pytest.param("ibid, para 4.", (SECOND,), id="ibid with a place"),
        pytest.param("同上、4頁。", (SECOND,), id="Japanese ibid"),
        pytest.param("Port Authority (n 1) 12.", (FIRST,), id="n"),
        pytest.param("Authority, above n 1.", (FIRST,), id="above n"),
        pytest.param("Supra note 1, at 5.", (FIRST,), id="supra"),
        pytest.param("前掲注1、5頁。", (FIRST,), id="Japanese supra"),
        pytest.param("Port Authority, ‘The old bridge’.", (FIRST,), id="short form"),
        pytest.param("The Port Authority was not asked about its tolls.", (), id="words"),
        pytest.param("Ibid, and https://a.example/3.", (), id="own address"),
    ],
)
def test_a_note_stands_for_the_note_that_it_points_to(note: str, pointed: tuple[str, ...]) -> None:
    """By ibid., by number, or by a name that an earlier note has; an address speaks for itself."""
    notes = [Reference("^1", FIRST, 0, 1), Reference("^2", SECOND, 2, 3), Reference("^3", note, 4, 5)]

    assert with_pointed_notes(notes)[2].stands_for == pointed


def test_ibid_behind_ibid_is_the_same_note() -> None:
    """However many follow."""
    notes = [Reference("^1", FIRST, 0, 1), Reference("^2", "Ibid.", 2, 3), Reference("^3", "Ibid.", 4, 5)]

    assert [one.stands_for for one in with_pointed_notes(notes)] == [(), (FIRST,), (FIRST,)]
