"""What an answer means: status, headers and the beginning of the body become one outcome with its reason.

Blocked (a refusal), failed (nothing usable came) and not found are never confused with each other or with a page.
"""

import mimetypes
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lyra.charset import media_type_of
from lyra.clock import parse_http_date
from lyra.errors import InvalidParams
from lyra.fetch import challenge
from lyra.fetch.page_state import StateFinding, detect_state
from lyra.media import MediaKind, binary_format, declared_kind, sniff, with_article
from lyra.model.archive import Exchange
from lyra.model.page import FetchLane, FetchOutcome, FetchResult, PageState
from lyra.urls import joined

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NOT_FOUND = frozenset({404, 410})
_REFUSALS = {
    401: "wants a sign-in",
    402: "wants a payment",
    403: "refuses access",
    429: "has had too many requests",
    451: "is not allowed to show this for legal reasons",
    999: "refuses access",
}
_EMPTY = frozenset({204, 205})
# A year; added to now, what a server may write (the year 9999) would lie beyond all dates.
_LONGEST_PAUSE_S = 31_536_000.0
# When a saved answer came is not known; only headers that it lacks would be counted from it.
_UNKNOWN = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class PageClass:
    """Outcome, one sentence why, the pause the server asked for, and the challenge in place of the content.

    `page_state` says what the body is where it is not simply the page.
    """

    outcome: FetchOutcome
    reason: str | None = None
    retry_after_s: float | None = None
    challenge: str | None = None
    page_state: PageState | None = None


def classify(exchange: Exchange, lane: FetchLane, *, has_validators: bool = False) -> PageClass:
    """Judge an exchange that is not a redirect to follow."""
    status = exchange.status_code
    retry_after_s = retry_after(exchange)
    if exchange.failure is not None or status is None:
        return PageClass(exchange.failure or FetchOutcome.FAILED, exchange.reason or "No answer came.", retry_after_s)
    seen = _page_state(exchange, status)
    if seen.challenge is not None and not challenge.is_refusal(seen.challenge.name):
        reason = f"Status {status}: {seen.challenge.name} blocks the page ({seen.challenge.sign})."
        return PageClass(FetchOutcome.CHALLENGE, reason, retry_after_s, seen.challenge.name)
    if status >= 300:
        return _without_page(status, has_validators, retry_after_s)
    if seen.challenge is not None:
        reason = f"Status {status}, but the page refuses access ({seen.challenge.sign})."
        return PageClass(FetchOutcome.BLOCKED, reason, retry_after_s, seen.challenge.name)
    if seen.state is PageState.SOFT_404 and lane is FetchLane.PAGE:
        reason = f"Status {status}, but the page says that it does not exist ({seen.evidence})."
        return PageClass(FetchOutcome.NOT_FOUND, reason, page_state=seen.state)
    page_class = _with_page(exchange, status, lane)
    is_plain = page_class.outcome is not FetchOutcome.OK or seen.state is PageState.CONTENT
    return page_class if is_plain else replace(page_class, page_state=seen.state)


def redirect_target(exchange: Exchange) -> str | None:
    """The absolute address a redirect leads to; None where the answer is not a redirect to follow."""
    location = exchange.header("location")
    if exchange.failure is not None or exchange.status_code not in REDIRECTS or not location:
        return None
    return joined(exchange.url, location) or location


def retry_after(exchange: Exchange) -> float | None:
    """Seconds of `Retry-After`, given in seconds or as a date; None where it is absent or nonsense."""
    text = (exchange.header("retry-after") or "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:9]), _LONGEST_PAUSE_S)
    moment = parse_http_date(text)
    if moment is None:
        return None
    return min(max(0.0, (moment - _server_time(exchange)).total_seconds()), _LONGEST_PAUSE_S)


def _server_time(exchange: Exchange) -> datetime:
    """The server's own clock where it shows one, so that a wrong one on either side does not matter."""
    return parse_http_date(exchange.header("date") or "") or exchange.started_at


def _page_state(exchange: Exchange, status: int) -> StateFinding:
    """The state of the page; only HTML, whatever its declared type, can be anything but content."""
    headers = {name.lower(): value for name, value in exchange.headers}
    says = declared_kind(exchange.header("content-type"))
    if status in _NOT_FOUND or status == 304 or sniff(exchange.body) is MediaKind.PDF:
        return StateFinding(PageState.CONTENT)
    if sniff(exchange.body) is not MediaKind.HTML and says not in (MediaKind.HTML, MediaKind.PDF):
        announced = challenge.by_headers(headers)
        return StateFinding(PageState.CHALLENGE if announced else PageState.CONTENT, challenge=announced)
    return detect_state(status, headers, exchange.body)


def _without_page(status: int, has_validators: bool, retry_after_s: float | None) -> PageClass:
    if status == 304 and has_validators:
        return PageClass(FetchOutcome.NOT_MODIFIED)
    if status in _NOT_FOUND:
        return PageClass(FetchOutcome.NOT_FOUND, f"Status {status}: there is no such page.")
    if status in _REFUSALS:
        wants = "login" if status == 401 else None
        reason = f"Status {status}: the server {_REFUSALS[status]}."
        return PageClass(FetchOutcome.BLOCKED, reason, retry_after_s, wants)
    if status == 304:
        return PageClass(FetchOutcome.FAILED, "Status 304: the server says 'not modified' without having been asked.")
    if status < 400:
        return PageClass(FetchOutcome.FAILED, f"Status {status}: a redirect that leads nowhere.")
    kind = "the server rejects the request" if status < 500 else "the server has an error"
    return PageClass(FetchOutcome.FAILED, f"Status {status}: {kind}.", retry_after_s)


def _with_page(exchange: Exchange, status: int, lane: FetchLane) -> PageClass:
    if exchange.method == "HEAD":
        return PageClass(FetchOutcome.OK)
    if status in _EMPTY or not exchange.body.strip():
        return PageClass(FetchOutcome.FAILED, f"Status {status}: the server sent an empty body.")
    if status == 206:
        return PageClass(FetchOutcome.FAILED, "Status 206: the server sent only a part that was not asked for.")
    return _judge_media(exchange, lane)


def _judge_media(exchange: Exchange, lane: FetchLane) -> PageClass:
    says = declared_kind(exchange.header("content-type"))
    name = media_type_of(exchange.header("content-type")) or "nothing"
    found = sniff(exchange.body)
    binary = binary_format(exchange.body)
    if binary is not None:
        return PageClass(FetchOutcome.UNSUPPORTED, f"The body is {with_article(binary)} (declared: {name}).")
    if found is None and says is MediaKind.PDF:
        return PageClass(FetchOutcome.UNSUPPORTED, "The body is declared as a PDF but is not one.")
    if found is None and says is MediaKind.OTHER and lane is not FetchLane.API:  # whose own reader judges
        return PageClass(FetchOutcome.UNSUPPORTED, f"Bodies of type {name} are not read.")
    if found is None and says is None and b"\x00" in exchange.body[:1024]:
        return PageClass(FetchOutcome.UNSUPPORTED, "The body is binary and of no declared type.")
    if lane is FetchLane.API and MediaKind.HTML in (found, says) and found is not MediaKind.XML:
        return PageClass(FetchOutcome.FAILED, "An HTML page came where an API answer was expected.")
    if found is not None and says not in (None, found, MediaKind.TEXT, MediaKind.XML):
        return PageClass(FetchOutcome.OK, f"Declared {name}, but the body is {found.value}.")
    return PageClass(FetchOutcome.OK)


def inspect_challenge(path: Path) -> dict[str, Any]:
    """`file challenge page_state evidence`, or `file` and its error where the file cannot be read."""
    try:
        seen = _state_of_file(_bytes_of(path))
    except InvalidParams as exc:
        return {"file": str(path), **exc.fields()}
    return {
        "file": str(path),
        "challenge": seen.challenge.name if seen.challenge else None,
        "page_state": seen.state.value,
        "evidence": seen.evidence or None,
    }


def classify_file(path: Path, lane: FetchLane) -> FetchResult:
    """A file as if it had been fetched with status 200, of the type its name suggests; InvalidParams if unreadable."""
    body = _bytes_of(path)
    kind, _ = mimetypes.guess_type(path.name)
    headers = (("content-type", kind),) if kind else ()
    return classify_saved(Exchange(path.name, "GET", _UNKNOWN, status_code=200, headers=headers, body=body), lane)


def classify_saved(exchange: Exchange, lane: FetchLane) -> FetchResult:
    """An answer that came some time ago, as if it had just been fetched."""
    page_class = classify(exchange, lane)
    return FetchResult(
        exchange.url,
        page_class.outcome,
        status_code=exchange.status_code,
        headers=exchange.headers,
        body=exchange.body,
        reason=page_class.reason,
        retry_after_s=page_class.retry_after_s,
        challenge=page_class.challenge,
        page_state=page_class.page_state,
    )


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as exc:
        raise InvalidParams(f"Cannot read the file: {exc.strerror or type(exc).__name__}.") from exc


def _state_of_file(body: bytes) -> StateFinding:
    """A saved file has no headers: what its first bytes show to be no page is content of another kind."""
    binary = binary_format(body)
    if binary is not None:
        return StateFinding(PageState.CONTENT, f"the file is {with_article(binary)}")
    if sniff(body) is MediaKind.PDF:
        return StateFinding(PageState.CONTENT, "the file is a PDF")
    return detect_state(200, {}, body)
