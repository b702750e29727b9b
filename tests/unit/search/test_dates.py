"""Dates beside results."""

from datetime import date

import pytest

from lyra.search.dates import iso_day, split_leading


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("Nov 21, 2019", "2019-11-21"),
        ("21 Sept 2019", "2019-09-21"),
        ("2013-10-03T00:00:00.0000000", "2013-10-03"),
        ("2024年3月5日", "2024-03-05"),
        ("20.08.2025", "2025-08-20"),
        ("2024/3/5", "2024-03-05"),
        ("3 days ago", None),
        ("Feb 30, 2020", None),
        ("ſep 5, 2020", None),
        ("", None),
    ],
)
def test_absolute_dates_become_iso(shown: str, expected: str | None) -> None:
    """A date is only kept when it names a day; "3 days ago" depends on when the page was made."""
    assert iso_day(shown) == expected


@pytest.mark.parametrize(
    ("snippet", "expected"),
    [
        ("Oct 3, 2013 — Saxagliptin did not alter the rate", ("2013-10-03", "Saxagliptin did not alter the rate")),
        ("2016年4月5日 ... 添付文書改訂", ("2016-04-05", "添付文書改訂")),
        ("The trial of Oct 3, 2013 — a review", (None, "The trial of Oct 3, 2013 — a review")),
        ("No date here", (None, "No date here")),
    ],
    ids=["english", "japanese", "date-inside", "none"],
)
def test_a_leading_date_is_parted_from_the_snippet(snippet: str, expected: tuple[str | None, str]) -> None:
    """Engines print the date before a dash; a date inside a sentence belongs to the sentence."""
    assert split_leading(snippet) == expected


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("3 days ago", "2026-11-12"),
        ("2日前", "2026-11-13"),
        ("5 時間前", "2026-11-15"),
        ("1 か月前", "2026-10-16"),
        ("a week ago", "2026-11-08"),
        ("vor 2 Wochen", "2026-11-01"),
        ("il y a 3 jours", "2026-11-12"),
        ("há 7 dias", "2026-11-08"),
        ("hace 2 semanas", "2026-11-01"),
        ("há um mês", "2026-10-16"),
        ("昨日", "2026-11-14"),
        ("Yesterday", "2026-11-14"),
        ("hierarchy", None),
        ("2 cups of rice", None),
    ],
)
def test_relative_dates_count_from_the_day_of_reading(shown: str, expected: str | None) -> None:
    """Where it is known when the page was read, "2日前" is a day like any other."""
    assert iso_day(shown, date(2026, 11, 15)) == expected


def test_a_relative_date_before_a_snippet_is_parted_from_it() -> None:
    """The words remain, the day is kept; without a day to count from nothing is guessed."""
    snippet = "3 days ago — Saxagliptin label updated"

    assert split_leading(snippet, date(2026, 11, 15)) == ("2026-11-12", "Saxagliptin label updated")
    assert split_leading(snippet) == (None, snippet)


def test_a_word_that_only_looks_like_a_day_is_none() -> None:
    """A pattern that ignores case takes ſ for s; no table of words does."""
    assert iso_day("yeſterday", date(2024, 3, 5)) is None
