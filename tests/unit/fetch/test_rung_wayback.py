"""The archive's rung: a copy is told from the page, and the archive's troubles from the page's."""

from datetime import UTC, datetime
from typing import Any

from lyra.fetch.rung import Climb
from lyra.fetch.rung_wayback import WaybackRung
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult

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

    async def fetch(self, request: FetchRequest, climb: Climb) -> FetchResult:
        self.asked.append((request.url, climb.tried))
        return self._answers[request.url]


class Clock:
    def now(self) -> datetime:
        return datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


def answer(outcome: FetchOutcome, status_code: int, *headers: tuple[str, str]) -> FetchResult:
    return FetchResult(COPY, outcome, COPY, status_code, headers, b"<p>words</p>", reason="Status.")


async def fetched(archive: Archive) -> FetchResult:
    rung: Any = WaybackRung(archive, Clock())  # type: ignore[arg-type]
    result: FetchResult = await rung.fetch(FetchRequest(PAGE), Climb(tried=("http",)))
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
