"""The last rung: the newest copy of a page in the Internet Archive, found by Memento links (RFC 7089)."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import unescape

from lyra.clock import Clock, parse_http_date
from lyra.fetch.ladder import ARCHIVE, FetchContext
from lyra.fetch.rung_http import HttpRung
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult
from lyra.redact.redactor import public_url

_ORIGIN = "https://web.archive.org"
# `id_` asks for the bytes as they were archived, without the archive's bar and rewritten links.
_ADDRESS = re.compile(r"https?://web\.archive\.org(?::\d+)?/web/(\d{4,14})(?:[a-z]{2}_)?/(.+)", re.DOTALL)
_LINK = re.compile(r"<([^<>]*)>((?:\s*;\s*[\w-]+\s*=\s*(?:\"[^\"]*\"|[^\",;\s]+))*)")
_PARAMETER = re.compile(r";\s*([\w-]+)\s*=\s*(?:\"([^\"]*)\"|([^\",;\s]+))")
_SECRET = "The address holds a secret, which the Internet Archive is not told."
# What the archive says of its own answer; the page's validators must not be taken from it.
_ARCHIVE_HEADERS = frozenset({"etag", "last-modified", "cache-control", "expires", "set-cookie"})


@dataclass(frozen=True, slots=True)
class MementoLink:
    """An entry of a Link header or of a timemap in link-format."""

    url: str
    relations: tuple[str, ...]
    moment: datetime | None = None


def latest_address(url: str, now: datetime) -> str | None:
    """Where the archive shows its newest copy, untouched: it leads from the moment asked for to the nearest copy.

    None where the address holds a secret (a signature, a token): what opens a page is not told to somebody else.
    """
    if public_url(url) != url:
        return None
    return f"{_ORIGIN}/web/{now.astimezone(UTC):%Y%m%d%H%M%S}id_/{url}"


def raw_address(memento: str) -> str | None:
    """The untouched form of a copy's address; None where the address is none of the archive's."""
    found = _ADDRESS.fullmatch(memento)
    return None if found is None else f"{_ORIGIN}/web/{found.group(1)}id_/{found.group(2)}"


def parse_links(text: str) -> tuple[MementoLink, ...]:
    """The entries of a Link header or timemap, as far as they can be read."""
    return tuple(_link(found.group(1), found.group(2)) for found in _LINK.finditer(text))


def taken_at(result: FetchResult) -> datetime | None:
    """When the archive took the copy; None where the answer is no copy."""
    dated = parse_http_date(result.header("memento-datetime") or "")
    if dated is not None:
        return dated
    found = _ADDRESS.fullmatch(result.final_url)
    return _moment_of_stamp(found.group(1)) if found else None


def is_of_error(result: FetchResult) -> bool:
    """Whether a copy is there, but of an error or refusal that the page answered with then."""
    return result.header("memento-datetime") is not None and result.outcome is not FetchOutcome.OK


def previous(result: FetchResult) -> str | None:
    """The untouched address of the copy before this one, by its Link header."""
    for link in parse_links(result.header("link") or ""):
        if "prev" in link.relations:
            return raw_address(unescape(link.url))
    return None


def _link(url: str, parameters: str) -> MementoLink:
    values = {
        found.group(1).lower(): found.group(2) or found.group(3) or "" for found in _PARAMETER.finditer(parameters)
    }
    return MementoLink(
        url.strip(), tuple(values.get("rel", "").lower().split()), parse_http_date(values.get("datetime", ""))
    )


def _moment_of_stamp(stamp: str) -> datetime | None:
    try:
        return datetime.strptime(stamp.ljust(14, "0"), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


class WaybackRung:
    """Asks the archive's public address once; a copy has its date in `snapshot_at` and leaves `final_url` alone."""

    name = ARCHIVE

    def __init__(self, http: HttpRung, clock: Clock) -> None:
        self._http = http
        self._clock = clock

    async def fetch(self, request: FetchRequest, context: FetchContext) -> FetchResult:
        """The newest copy, or the one before it where that is of an error; otherwise the archive's own answer."""
        address = latest_address(request.url, self._clock.now())
        if address is None:
            return FetchResult(
                request.url, FetchOutcome.UNAVAILABLE, rung=self.name, reason=_SECRET, fetched_at=self._clock.now(),
                was_sent=False,
            )  # fmt: skip
        found = await self._ask(address, request, context)
        before = previous(found) if is_of_error(found) else None
        if before is not None:
            found = await self._ask(before, request, context)
        return _as_archive_result(found, request)

    async def _ask(self, address: str, request: FetchRequest, context: FetchContext) -> FetchResult:
        """The archive is another site: its own rest and rules hold, whatever was tried on the page's."""
        return await self._http.fetch(
            FetchRequest(address, cause_id=request.cause_id), FetchContext(context.get_robots)
        )

    async def close(self) -> None:
        """Nothing of its own: its connections belong to the HTTP rung."""


def _as_archive_result(found: FetchResult, request: FetchRequest) -> FetchResult:
    snapshot_at = taken_at(found) if found.outcome is FetchOutcome.OK else None
    result = replace(found, url=request.url, final_url=request.url, rung=WaybackRung.name, memento_url=found.final_url)
    if snapshot_at is not None:
        headers = tuple(pair for pair in found.headers if pair[0].lower() not in _ARCHIVE_HEADERS)
        reason = f"A copy of {snapshot_at:%Y-%m-%d} from the Internet Archive."
        return replace(result, snapshot_at=snapshot_at, headers=headers, reason=reason)
    if is_of_error(found):
        reason = "The Internet Archive has only a copy of an error page."
        return replace(result, outcome=FetchOutcome.NOT_FOUND, body=b"", challenge=None, reason=reason)
    if found.outcome in (FetchOutcome.OK, FetchOutcome.NOT_FOUND):
        return replace(result, outcome=FetchOutcome.NOT_FOUND, body=b"", reason="The Internet Archive has no copy.")
    return replace(result, body=b"", challenge=None, reason=f"The Internet Archive: {found.reason}")
