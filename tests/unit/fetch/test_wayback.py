"""Addresses and links of the web archive."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from lyra.fetch.ladder import FetchContext
from lyra.fetch.wayback import (
    MementoLink,
    WaybackRung,
    is_of_error,
    latest_address,
    parse_links,
    previous,
    raw_address,
    taken_at,
)
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult

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


def test_an_address_with_a_secret_has_no_place_in_the_archive() -> None:
    """A signature or a token would be a stranger's to use."""
    signed = "https://www.who.int/a?expires=1893456000&sig=0a9f8e7d6c5b4a39281706f5e4d3c2b1"

    assert latest_address(signed, datetime(2026, 1, 31, 9, 30, tzinfo=UTC)) is None


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
    assert found[2] == MementoLink(
        "https://web.archive.org/web/20240101120000/https://www.who.int/a",
        ("prev", "memento"),
        datetime(2024, 1, 1, 12, tzinfo=UTC),
    )


def test_copy_of_a_refusal_is_told_from_the_archives_own() -> None:
    """The archive answers with the status it archived; only its date header says that this is a copy."""
    refusal = FetchResult("https://www.who.int/a", FetchOutcome.BLOCKED, status_code=429)
    archived = replace(refusal, headers=(("memento-datetime", "Tue, 31 Dec 2024 12:00:00 GMT"),))

    assert (is_of_error(refusal), is_of_error(archived)) == (False, True)


PAGE = "https://www.who.int/a"
COPY = "https://web.archive.org/web/20250101120000id_/https://www.who.int/a"
BEFORE = "https://web.archive.org/web/20240101120000id_/https://www.who.int/a"
# The archive leads from any moment to the newest copy before it.
NEWEST = "https://web.archive.org/web/20260131093000id_/https://www.who.int/a"
DATED = ("memento-datetime", "Wed, 01 Jan 2025 12:00:00 GMT")


class Archive:
    """Has an answer to the question for the newest copy, and others by address; it is asked nothing else, and over no
    rung that was tried on the page itself."""

    def __init__(self, newest: FetchResult, **others: FetchResult) -> None:
        self._answers = {NEWEST: newest, **others}
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def fetch(self, request: FetchRequest, context: FetchContext) -> FetchResult:
        self.asked.append((request.url, context.tried))
        return self._answers[request.url]


class Clock:
    def now(self) -> datetime:
        return datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


def answer(outcome: FetchOutcome, status_code: int, *headers: tuple[str, str]) -> FetchResult:
    return FetchResult(COPY, outcome, COPY, status_code, headers, b"<p>words</p>", reason="Status.")


async def fetched(archive: Archive) -> FetchResult:
    rung: Any = WaybackRung(archive, Clock())  # type: ignore[arg-type]
    result: FetchResult = await rung.fetch(FetchRequest(PAGE), FetchContext(tried=("http",)))
    return result


async def test_copy_keeps_the_pages_address_and_no_validators() -> None:
    """What the archive says of its own answer must not be taken for the page's."""
    archive = Archive(answer(FetchOutcome.OK, 200, DATED, ("ETag", '"x"'), ("Content-Type", "text/html")))

    result = await fetched(archive)

    assert (result.url, result.final_url, result.memento_url) == (PAGE, PAGE, COPY)
    assert result.headers == (DATED, ("Content-Type", "text/html"))
    assert result.reason == "A copy of 2025-01-01 from the Internet Archive."


async def test_copy_of_an_error_leads_to_the_one_before() -> None:
    """A page that refused the archive too may have been served the time before."""
    link = ("link", f'<{BEFORE.replace("id_", "")}>; rel="prev memento"')
    archive = Archive(answer(FetchOutcome.BLOCKED, 429, DATED, link), **{BEFORE: answer(FetchOutcome.OK, 200, DATED)})

    result = await fetched(archive)

    assert (result.outcome, archive.asked) == (FetchOutcome.OK, [(NEWEST, ()), (BEFORE, ())])


async def test_only_copies_of_errors_are_no_copy() -> None:
    """An archived refusal is neither the page nor a refusal by the archive."""
    result = await fetched(Archive(answer(FetchOutcome.BLOCKED, 429, DATED)))

    assert (result.outcome, result.reason) == (
        FetchOutcome.NOT_FOUND,
        "The Internet Archive has only a copy of an error page.",
    )


async def test_archives_own_refusal_is_said_to_be_that() -> None:
    """A 429 of the archive itself counts against the archive, not the page."""
    result = await fetched(Archive(answer(FetchOutcome.BLOCKED, 429)))

    assert (result.outcome, result.reason, result.body) == (
        FetchOutcome.BLOCKED,
        "The Internet Archive: Status.",
        b"",
    )
