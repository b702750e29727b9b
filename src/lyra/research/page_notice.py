"""What a page says of itself: retracted, reinstated, corrected, and on which day."""

from collections.abc import Iterable

from lyra.academic.fields import is_marked_retracted
from lyra.evidence.retractions import PageStatement, PageStatementKind, page_statements
from lyra.extract.dates import first_full_date
from lyra.model.page import PageNotice


def page_notice(title: str, text: str, *, updated: str | None, read_on: str, is_marked: bool = False) -> PageNotice:
    """The page's own word, from its title, its text and its metadata (`is_marked`); `read_on` is the day it was read.

    A retraction that was reinstated since is none, unless a later day says retracted again. A day is that of the
    statement, else the day on which the page says it was updated; one after the reading is not believed.
    """
    told: dict[PageStatementKind, list[PageStatement]] = {}
    for one in page_statements(text):
        told.setdefault(one.word, []).append(one)
    fallback = _believed(updated, read_on)
    retracted_on = _day(told.get(PageStatementKind.RETRACTED, ()), read_on)
    is_retracted = PageStatementKind.RETRACTED in told or is_marked or is_marked_retracted(title)
    is_reinstated = PageStatementKind.REINSTATED in told and not (
        is_retracted
        and retracted_on is not None
        and retracted_on > (_day(told[PageStatementKind.REINSTATED], read_on) or "9999")
    )
    is_standing = is_reinstated or not is_retracted
    return PageNotice(
        retraction="reinstated" if is_reinstated else "retracted" if is_retracted else "",
        retracted_on=None if is_standing else retracted_on or fallback,
        is_corrected=PageStatementKind.CORRECTED in told,
        corrected_on=(_day(told[PageStatementKind.CORRECTED], read_on) or fallback)
        if PageStatementKind.CORRECTED in told
        else None,
    )


def _day(told: Iterable[PageStatement], read_on: str) -> str | None:
    """The latest day that these statements name, in their sentence or the one after it."""
    days = [_believed(first_full_date(one.sentence) or first_full_date(one.context), read_on) for one in told]
    return max((day for day in days if day), default=None)


def _believed(day: str | None, read_on: str) -> str | None:
    return day if day and day <= read_on else None
