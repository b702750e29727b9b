"""Addresses and links of the web archive."""

from dataclasses import replace
from datetime import UTC, datetime

from lyra.fetch.mementos import Link, is_of_error, latest_address, parse_links, previous, raw_address, taken_at
from lyra.model.page import FetchOutcome, FetchResult

LINK = (
    '<https://www.who.int/a>; rel="original", '
    '<https://web.archive.org/web/timemap/link/https://www.who.int/a>; rel="timemap"; type="application/link-format", '
    '<https://web.archive.org/web/20240101120000/https://www.who.int/a>; rel="prev memento"; '
    'datetime="Mon, 01 Jan 2024 12:00:00 GMT", '
    '<https://web.archive.org/web/20250101120000/https://www.who.int/a>; rel="last memento"; '
    'datetime="Wed, 01 Jan 2025 12:00:00 GMT"'
)


def copy(**headers: str) -> FetchResult:
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    final = "https://web.archive.org/web/20250101120000id_/https://www.who.int/a"
    return FetchResult("https://www.who.int/a", FetchOutcome.OK, final_url=final, headers=pairs)


def test_newest_copy_is_asked_for_untouched() -> None:
    """`id_` leaves out the archive's bar; the moment asked for leads to the nearest copy."""
    address = latest_address("https://www.who.int/a?b=1", datetime(2026, 1, 31, 9, 30, tzinfo=UTC))

    assert address == "https://web.archive.org/web/20260131093000id_/https://www.who.int/a?b=1"


def test_link_header_leads_to_the_copy_before() -> None:
    """RFC 7089: the previous memento, in its untouched form."""
    assert previous(copy(link=LINK)) == "https://web.archive.org/web/20240101120000id_/https://www.who.int/a"


def test_first_copy_has_none_before() -> None:
    """Without a previous memento the walk ends."""
    assert previous(copy(link='<https://www.who.int/a>; rel="original"')) is None


def test_moment_of_a_copy_is_its_header_or_its_address() -> None:
    """Memento-Datetime says it; where it is missing the address does."""
    told = taken_at(copy(memento_datetime="Tue, 31 Dec 2024 12:00:00 GMT"))

    assert (told, taken_at(copy())) == (
        datetime(2024, 12, 31, 12, tzinfo=UTC),
        datetime(2025, 1, 1, 12, tzinfo=UTC),
    )


def test_foreign_address_has_no_raw_form() -> None:
    """Only the archive's own addresses are followed."""
    assert raw_address("https://evil.example/web/20240101120000/https://www.who.int/a") is None


def test_links_are_read_as_far_as_they_can_be() -> None:
    """Commas inside quoted dates do not part entries; nonsense is passed over."""
    found = parse_links(LINK + ", nonsense, <unclosed")

    assert [link.relations for link in found] == [("original",), ("timemap",), ("prev", "memento"), ("last", "memento")]
    assert found[2] == Link(
        "https://web.archive.org/web/20240101120000/https://www.who.int/a",
        ("prev", "memento"),
        datetime(2024, 1, 1, 12, tzinfo=UTC),
    )


def test_copy_of_a_refusal_is_told_from_the_archives_own() -> None:
    """The archive answers with the status it archived; only its date header says that this is a copy."""
    refusal = FetchResult("https://www.who.int/a", FetchOutcome.BLOCKED, status_code=429)
    archived = replace(refusal, headers=(("memento-datetime", "Tue, 31 Dec 2024 12:00:00 GMT"),))

    assert (is_of_error(refusal), is_of_error(archived)) == (False, True)
