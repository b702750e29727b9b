"""Dates as people write them become ISO dates."""

import pytest

from lyra.extract.dates import first_date, first_full_date, leading_date, parse_date


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("2024年3月5日", "2024-03-05"),
        ("２０２４年３月５日", "2024-03-05"),
        ("令和6年3月5日", "2024-03-05"),
        ("令和元年5月1日", "2019-05-01"),
        ("平成31年4月30日", "2019-04-30"),
        ("昭和64年1月7日", "1989-01-07"),
        ("R6.3.5", "2024-03-05"),
        ("2024/3/5", "2024-03-05"),
        ("2024.03.05", "2024-03-05"),
        ("2024-03-05T23:30:00+09:00", "2024-03-05"),
        ("March 5, 2024", "2024-03-05"),
        ("5th of", None),
        ("ſep 5, 2024", None),
        ("5 aprıl 2024", None),
        ("5 Mar 2024", "2024-03-05"),
        ("05-Mar-2024", "2024-03-05"),
        ("Tue, 05 Mar 2024 10:00:00 GMT", "2024-03-05"),
        ("20240305", "2024-03-05"),
        ("2024/03", "2024-03"),
        ("2024年3月", "2024-03"),
        ("2024", "2024"),
        ("2024-02-30", None),
        ("令和6年13月5日", None),
        ("soon", None),
        ("", None),
    ],
)
def test_metadata_values(written: str, iso: str | None) -> None:
    """No more is said than the value says, and an impossible date is no date."""
    assert parse_date(written) == iso


def test_the_first_date_in_a_text_wins() -> None:
    """The date line stands before the text that tells of other dates."""
    assert first_date("Published 5 March 2024, about a trial that ended 2019-12-31.") == "2024-03-05"


def test_a_whole_date_is_preferred_to_an_earlier_year() -> None:
    """A year beside a heading is often the copyright line."""
    assert first_full_date("2009年創業 オンライン版 2019年4月3日 掲載") == "2019-04-03"


def test_long_numbers_are_no_dates() -> None:
    """Registry numbers contain digit runs that look like dates."""
    assert first_date("UMIN000120240305 and 12024/03/051") is None


@pytest.mark.parametrize(
    ("after_label", "iso"),
    [
        ("：2024年3月5日", "2024-03-05"),
        (": Tuesday, March 5, 2024", "2024-03-05"),
        (" 2024年3月", "2024-03"),
        ("について 令和6年3月5日", None),
        ("d in 2024", None),
        (" by the agency on 5 March 2024", None),
    ],
)
def test_a_label_counts_only_right_before_the_date(after_label: str, iso: str | None) -> None:
    """`改訂について` is a heading about a revision, not its date."""
    assert leading_date(after_label) == iso
