"""The world on an earlier day."""

from datetime import date

import pytest

from simweb.markdown import parse
from simweb.model import Page, Paper, Site, Topic
from simweb.timeline import as_of, version_at

SITE = Site("www.x.org", "X", "news", "en", "news")


def version(text: str, changed: date, first: date = date(2021, 1, 1), **more: object) -> Page:
    updated = None if changed == first else changed
    return Page(SITE, "/a", "A", parse(text), text, first, updated, **more)  # type: ignore[arg-type]


OLD = version("Three out of ten.", date(2021, 1, 1))
MIDDLE = version("Three per cent.", date(2022, 6, 1))
NEW = version(
    "Withdrawn.",
    date(2024, 1, 1),
    earlier=(OLD, MIDDLE),
    archived=(date(2021, 2, 1), date(2022, 7, 1), date(2024, 2, 1)),
)


@pytest.mark.parametrize(
    ("day", "text"),
    [
        pytest.param(date(2021, 1, 1), "Three out of ten.", id="first day"),
        pytest.param(date(2022, 5, 31), "Three out of ten.", id="day before the change"),
        pytest.param(date(2022, 6, 1), "Three per cent.", id="day of the change"),
        pytest.param(date(2026, 1, 1), "Withdrawn.", id="later"),
    ],
)
def test_a_page_says_what_it_said_on_that_day(day: date, text: str) -> None:
    """A version stands from the day of its change until the next one."""
    standing = version_at(NEW, day)

    assert standing is not None
    assert standing.text == text


def test_before_its_first_day_there_is_no_page() -> None:
    """A page cannot be read before it was written."""
    assert version_at(NEW, date(2020, 12, 31)) is None


def test_an_updated_page_without_earlier_versions_stands_since_it_was_published() -> None:
    """A page whose older words were not kept is shown with its present ones."""
    page = version("Now.", date(2023, 1, 1))

    assert version_at(page, date(2021, 6, 1)) == page


def test_the_archive_of_an_earlier_day_holds_no_later_snapshot() -> None:
    """On that day, later snapshots had not been taken, nor later versions written."""
    standing = version_at(NEW, date(2022, 12, 31))

    assert standing is not None
    assert (standing.archived, standing.earlier) == ((date(2021, 2, 1), date(2022, 7, 1)), (OLD,))


@pytest.mark.parametrize(
    ("day", "papers"),
    [
        pytest.param(date(2019, 1, 1), [], id="before it was out"),
        pytest.param(date(2021, 1, 1), [("p", False)], id="before the retraction"),
        pytest.param(date(2023, 1, 1), [("p", True)], id="after the retraction"),
        pytest.param(None, [("p", True)], id="now"),
    ],
)
def test_a_retraction_happens_on_its_day(day: date | None, papers: list[tuple[str, bool]]) -> None:
    """Indexes learn of a paper when it is out and of its retraction when it is retracted."""
    paper = Paper("p", "On p", ("A B",), date(2020, 1, 1), "V", is_retracted=True, retracted_on=date(2022, 1, 1))

    standing = as_of(Topic("t", "T", (SITE,), (), (paper,)), day)

    assert [(one.id, one.is_retracted) for one in standing.papers] == papers
