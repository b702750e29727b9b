"""What an answer means: status, headers and the beginning of the body become one outcome with its reason. Pure.

Blocked (a refusal), failed (nothing usable came) and not found are never confused with each other or with a page.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from lyra.charset import media_type_of
from lyra.clock import parse_http_date
from lyra.fetch import challenge
from lyra.fetch.page_state import Look, PageState, look
from lyra.media import MediaKind, binary_format, declared_kind, sniff, with_article
from lyra.model.archive import Exchange
from lyra.model.page import FetchLane, FetchOutcome

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


@dataclass(frozen=True, slots=True)
class Verdict:
    """Outcome, one sentence why, the pause the server asked for, and what stands before the content.

    `page_state` says what the body is where it is not simply the page.
    """

    outcome: FetchOutcome
    reason: str | None = None
    retry_after_s: float | None = None
    challenge: str | None = None
    page_state: PageState | None = None


def classify(exchange: Exchange, lane: FetchLane, *, has_validators: bool = False) -> Verdict:
    """Judge an exchange that is not a redirect to follow."""
    status = exchange.status_code
    retry_after_s = retry_after(exchange)
    if exchange.failure is not None or status is None:
        return Verdict(exchange.failure or FetchOutcome.FAILED, exchange.reason or "No answer came.", retry_after_s)
    seen = _seen(exchange, status)
    if seen.challenge is not None and not challenge.is_refusal(seen.challenge.name):
        reason = f"Status {status}: {seen.challenge.name} stands before the page ({seen.challenge.sign})."
        return Verdict(FetchOutcome.CHALLENGE, reason, retry_after_s, seen.challenge.name)
    if status >= 300:
        return _without_page(status, has_validators, retry_after_s)
    if seen.challenge is not None:
        reason = f"Status {status}, but the page refuses access ({seen.challenge.sign})."
        return Verdict(FetchOutcome.BLOCKED, reason, retry_after_s, seen.challenge.name)
    if seen.state is PageState.SOFT_404 and lane is FetchLane.PAGE:
        reason = f"Status {status}, but the page says that it does not exist ({seen.evidence})."
        return Verdict(FetchOutcome.NOT_FOUND, reason, page_state=seen.state)
    verdict = _with_page(exchange, status, lane)
    is_plain = verdict.outcome is not FetchOutcome.OK or seen.state is PageState.CONTENT
    return verdict if is_plain else replace(verdict, page_state=seen.state)


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


def _seen(exchange: Exchange, status: int) -> Look:
    """What an answer is at a glance; only HTML, whatever it is called, can be anything but content."""
    headers = {name.lower(): value for name, value in exchange.headers}
    says = declared_kind(exchange.header("content-type"))
    if status in _NOT_FOUND or status == 304 or sniff(exchange.body) is MediaKind.PDF:
        return Look(PageState.CONTENT)
    if sniff(exchange.body) is not MediaKind.HTML and says not in (MediaKind.HTML, MediaKind.PDF):
        told = challenge.by_headers(headers)
        return Look(PageState.CHALLENGE if told else PageState.CONTENT, challenge=told)
    return look(status, headers, exchange.body)


def _without_page(status: int, has_validators: bool, retry_after_s: float | None) -> Verdict:
    if status == 304 and has_validators:
        return Verdict(FetchOutcome.NOT_MODIFIED)
    if status in _NOT_FOUND:
        return Verdict(FetchOutcome.NOT_FOUND, f"Status {status}: there is no such page.")
    if status in _REFUSALS:
        wants = "login" if status == 401 else None
        reason = f"Status {status}: the server {_REFUSALS[status]}."
        return Verdict(FetchOutcome.BLOCKED, reason, retry_after_s, wants)
    if status == 304:
        return Verdict(FetchOutcome.FAILED, "Status 304: the server says 'not modified' without having been asked.")
    if status < 400:
        return Verdict(FetchOutcome.FAILED, f"Status {status}: a redirect that leads nowhere.")
    kind = "the server rejects the request" if status < 500 else "the server has an error"
    return Verdict(FetchOutcome.FAILED, f"Status {status}: {kind}.", retry_after_s)


def _with_page(exchange: Exchange, status: int, lane: FetchLane) -> Verdict:
    if exchange.method == "HEAD":
        return Verdict(FetchOutcome.OK)
    if status in _EMPTY or not exchange.body.strip():
        return Verdict(FetchOutcome.FAILED, f"Status {status}: the server sent an empty body.")
    if status == 206:
        return Verdict(FetchOutcome.FAILED, "Status 206: the server sent only a part that was not asked for.")
    return _judge_media(exchange, lane)


def _judge_media(exchange: Exchange, lane: FetchLane) -> Verdict:
    says = declared_kind(exchange.header("content-type"))
    name = media_type_of(exchange.header("content-type")) or "nothing"
    found = sniff(exchange.body)
    binary = binary_format(exchange.body)
    if binary is not None:
        return Verdict(FetchOutcome.UNSUPPORTED, f"The body is {with_article(binary)} (declared: {name}).")
    if found is None and says is MediaKind.PDF:
        return Verdict(FetchOutcome.UNSUPPORTED, "The body is declared a PDF but is none.")
    if found is None and says is MediaKind.OTHER:
        return Verdict(FetchOutcome.UNSUPPORTED, f"Bodies of type {name} are not read.")
    if found is None and says is None and b"\x00" in exchange.body[:1024]:
        return Verdict(FetchOutcome.UNSUPPORTED, "The body is binary and of no declared type.")
    if lane is FetchLane.API and MediaKind.HTML in (found, says) and found is not MediaKind.XML:
        return Verdict(FetchOutcome.FAILED, "An HTML page came where an API answer was expected.")
    if found is not None and says not in (None, found, MediaKind.TEXT, MediaKind.XML):
        return Verdict(FetchOutcome.OK, f"Declared {name}, but the body is {found.value}.")
    return Verdict(FetchOutcome.OK)
