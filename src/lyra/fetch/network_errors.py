"""What errors of curl and of Chrome mean for a fetch: the outcome, a sentence, and how the body was cut. Pure."""

import re
from dataclasses import dataclass

from lyra.model.archive import Truncation
from lyra.model.page import FetchOutcome

_TIMED_OUT = 28
TOO_LARGE = 63

# libcurl's error codes (curl.se/libcurl/c/libcurl-errors.html) in words a reader can act on; `detail` are its own.
_CURL_SENTENCES = {
    1: "{host} wants a protocol that is not spoken{detail}.",
    3: "The address is malformed{detail}.",
    5: "The proxy's name could not be resolved{detail}.",
    6: "The host name {host} could not be resolved{detail}.",
    7: "No connection to {host} could be made{detail}.",
    8: "{host} gave an answer that is not HTTP{detail}.",
    16: "{host} broke the HTTP/2 protocol{detail}.",
    18: "The body from {host} was cut off before its announced end{detail}.",
    35: "TLS with {host} could not be agreed{detail}.",
    52: "{host} closed the connection without an answer{detail}.",
    55: "The request could not be sent to {host}{detail}.",
    56: "The connection to {host} was reset{detail}.",
    60: "The certificate of {host} is not valid: expired, for another name, or of an authority nobody knows{detail}.",
    61: "The body from {host} is compressed wrongly{detail}.",
    77: "The file of certificate authorities could not be read{detail}.",
    92: "{host} broke the HTTP/2 protocol{detail}.",
    97: "The proxy refused the connection{detail}.",
}
_UNKNOWN_ERROR = "The request to {host} failed{detail}."
# No server was reached: no name, no connection, no proxy.
_UNREACHABLE = frozenset({5, 6, 7, 97})
_NOT_CONNECTED = re.compile(r"(?:Connection|Resolving) timed out|Connection timeout")
_CUT_BY_PEER = frozenset({16, 18, 56, 61, 92})
_DETAIL = re.compile(r"curl: \(\d+\) (.*?)(?:\. See https://|$)", re.DOTALL)
_CHROME_MEANINGS = (
    ("ERR_TIMED_OUT", FetchOutcome.TIMED_OUT, "the connection took too long"),
    ("ERR_CONNECTION_TIMED_OUT", FetchOutcome.TIMED_OUT, "the connection took too long"),
    ("ERR_CERT_DATE_INVALID", FetchOutcome.FAILED, "its certificate has expired or is not valid yet"),
    ("ERR_CERT_COMMON_NAME_INVALID", FetchOutcome.FAILED, "its certificate is for another name"),
    ("ERR_CERT_AUTHORITY_INVALID", FetchOutcome.FAILED, "its certificate is signed by an authority nobody knows"),
    ("ERR_CERT_", FetchOutcome.FAILED, "its certificate is not valid"),
    ("ERR_SSL_", FetchOutcome.FAILED, "no secure connection came about"),
    ("ERR_NAME_NOT_RESOLVED", FetchOutcome.FAILED, "its name could not be resolved"),
    ("ERR_TUNNEL_CONNECTION_FAILED", FetchOutcome.FAILED, "it could not be reached"),
    ("ERR_PROXY_CONNECTION_FAILED", FetchOutcome.FAILED, "the proxy could not be reached"),
    ("ERR_CONNECTION_REFUSED", FetchOutcome.FAILED, "the connection was refused"),
    ("ERR_CONNECTION_RESET", FetchOutcome.FAILED, "the connection broke off"),
    ("ERR_CONNECTION_CLOSED", FetchOutcome.FAILED, "the connection broke off"),
    ("ERR_EMPTY_RESPONSE", FetchOutcome.FAILED, "nothing came back"),
    ("ERR_CONTENT_LENGTH_MISMATCH", FetchOutcome.FAILED, "the body broke off"),
    ("ERR_INCOMPLETE_CHUNKED_ENCODING", FetchOutcome.FAILED, "the body broke off"),
    ("ERR_TOO_MANY_REDIRECTS", FetchOutcome.FAILED, "it redirects without end"),
    ("ERR_INVALID_RESPONSE", FetchOutcome.FAILED, "its answer cannot be understood"),
    ("ERR_UNSAFE_PORT", FetchOutcome.REFUSED_ADDRESS, "its port is not one of the web"),
    ("ERR_BLOCKED_BY_", FetchOutcome.FAILED, "the browser refused to load it"),
)
_CHROME_UNREACHABLE = (
    "ERR_NAME_NOT_RESOLVED",
    "ERR_INTERNET_DISCONNECTED",
    "ERR_ADDRESS_UNREACHABLE",
    "ERR_NETWORK_",
    "ERR_CONNECTION_REFUSED",
    "ERR_CONNECTION_TIMED_OUT",
    "ERR_TUNNEL_CONNECTION_FAILED",
    "ERR_PROXY_CONNECTION_FAILED",
)


@dataclass(frozen=True, slots=True)
class NetworkFailure:
    """How a transfer ended that did not end well; `truncation` only where a body had begun.

    `is_unreachable`: no connection to the host, or to the proxy before it, came about.
    """

    outcome: FetchOutcome
    reason: str
    truncation: Truncation | None = None
    is_unreachable: bool = False


def explain_curl(code: int, message: str, host: str, *, timeout_s: float, max_bytes: int) -> NetworkFailure:
    """What a curl error says about a fetch under these limits."""
    if code == _TIMED_OUT:
        reason = f"{host} did not answer in full within {timeout_s:.3g} s."
        is_unreachable = _NOT_CONNECTED.search(message) is not None
        return NetworkFailure(FetchOutcome.TIMED_OUT, reason, Truncation.TIME, is_unreachable)
    if code == TOO_LARGE:
        reason = f"The body from {host} is larger than {max_bytes:,} bytes."
        return NetworkFailure(FetchOutcome.TOO_LARGE, reason, Truncation.LENGTH)
    detail = _detail(message)
    if "CONNECT tunnel failed" in detail:
        reason = f"The proxy could not reach {host} ({detail})."
        return NetworkFailure(FetchOutcome.FAILED, reason, is_unreachable=True)
    sentence = _CURL_SENTENCES.get(code, _UNKNOWN_ERROR)
    reason = sentence.format(host=host, detail=f" ({detail})" if detail else "")
    truncation = Truncation.DISCONNECT if code in _CUT_BY_PEER else None
    return NetworkFailure(FetchOutcome.FAILED, reason, truncation, code in _UNREACHABLE)


def _detail(message: str) -> str:
    """curl's own words, without its advice to programmers."""
    found = _DETAIL.search(message)
    return (found.group(1) if found else message).strip().rstrip(".")[:200]


def explain_chrome(error: str, host: str) -> tuple[FetchOutcome, str]:
    """Outcome and one sentence for `net::ERR_…`."""
    name = error.partition("net::")[2] or error
    for beginning, outcome, meaning in _CHROME_MEANINGS:
        if name.startswith(beginning):
            return outcome, f"{host}: {meaning} ({name})."
    return FetchOutcome.FAILED, f"{host} could not be loaded ({name[:80]})."


def is_chrome_unreachable(error: str) -> bool:
    """Whether `net::ERR_…` means that no connection came about."""
    return (error.partition("net::")[2] or error).startswith(_CHROME_UNREACHABLE)
