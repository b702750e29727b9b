"""What Chrome's network errors mean for a fetch. Pure."""

from lyra.model.page import FetchOutcome

_MEANINGS = (
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


def explain(error: str, host: str) -> tuple[FetchOutcome, str]:
    """Outcome and one sentence for `net::ERR_…`."""
    name = error.partition("net::")[2] or error
    for beginning, outcome, meaning in _MEANINGS:
        if name.startswith(beginning):
            return outcome, f"{host}: {meaning} ({name})."
    return FetchOutcome.FAILED, f"{host} could not be loaded ({name[:80]})."
