"""Dated copies in the Internet Archive, by its public addresses and Memento links (RFC 7089). Pure."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape

from lyra.clock import parse_http_date
from lyra.model.page import FetchOutcome, FetchResult

ARCHIVE = "https://web.archive.org"
# `id_` asks for the bytes as they were archived, without the archive's bar and rewritten links.
_ADDRESS = re.compile(r"https?://web\.archive\.org(?::\d+)?/web/(\d{4,14})(?:[a-z]{2}_)?/(.+)", re.DOTALL)
_LINK = re.compile(r"<([^<>]*)>((?:\s*;\s*[\w-]+\s*=\s*(?:\"[^\"]*\"|[^\",;\s]+))*)")
_PARAMETER = re.compile(r";\s*([\w-]+)\s*=\s*(?:\"([^\"]*)\"|([^\",;\s]+))")


@dataclass(frozen=True, slots=True)
class Link:
    """An entry of a Link header or of a timemap in link-format."""

    url: str
    relations: tuple[str, ...]
    moment: datetime | None = None


def latest_address(url: str, now: datetime) -> str:
    """Where the archive shows its newest copy, untouched: it leads from the moment asked for to the nearest copy."""
    return f"{ARCHIVE}/web/{now.astimezone(UTC):%Y%m%d%H%M%S}id_/{url}"


def raw_address(memento: str) -> str | None:
    """The untouched form of a copy's address; None where the address is none of the archive's."""
    found = _ADDRESS.fullmatch(memento)
    return None if found is None else f"{ARCHIVE}/web/{found.group(1)}id_/{found.group(2)}"


def parse_links(text: str) -> tuple[Link, ...]:
    """The entries of a Link header or timemap, as far as they can be read."""
    return tuple(_link(found.group(1), found.group(2)) for found in _LINK.finditer(text))


def taken_at(result: FetchResult) -> datetime | None:
    """When the archive took the copy; None where the answer is no copy."""
    told = parse_http_date(result.header("memento-datetime") or "")
    if told is not None:
        return told
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


def _link(url: str, parameters: str) -> Link:
    values = {
        found.group(1).lower(): found.group(2) or found.group(3) or "" for found in _PARAMETER.finditer(parameters)
    }
    return Link(url.strip(), tuple(values.get("rel", "").lower().split()), parse_http_date(values.get("datetime", "")))


def _moment_of_stamp(stamp: str) -> datetime | None:
    try:
        return datetime.strptime(stamp.ljust(14, "0"), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
