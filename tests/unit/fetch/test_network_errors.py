"""curl's errors in words."""

import pytest

from lyra.fetch.network_errors import NetworkFailure, explain_curl, is_chrome_unreachable
from lyra.model.archive import Truncation
from lyra.model.page import FetchOutcome

ADVICE = ". See https://curl.se/libcurl/c/libcurl-errors.html first for more details."


@pytest.mark.parametrize(
    ("code", "message", "expected"),
    [
        (
            28,
            "Failed to perform, curl: (28) Operation timed out" + ADVICE,
            NetworkFailure(FetchOutcome.TIMED_OUT, "a.jp did not answer in full within 30 s.", Truncation.TIME),
        ),
        (
            63,
            "Failed to perform, curl: (63) Maximum file size exceeded" + ADVICE,
            NetworkFailure(
                FetchOutcome.TOO_LARGE, "The body from a.jp is larger than 25,000,000 bytes.", Truncation.LENGTH
            ),
        ),
        (
            60,
            "Failed to perform, curl: (60) SSL certificate problem: unable to get local issuer certificate" + ADVICE,
            NetworkFailure(
                FetchOutcome.FAILED,
                "The certificate of a.jp is not valid: expired, for another name, or of an authority nobody knows "
                "(SSL certificate problem: unable to get local issuer certificate).",
            ),
        ),
        (
            18,
            "Failed to perform, curl: (18) end of response with 949 bytes missing" + ADVICE,
            NetworkFailure(
                FetchOutcome.FAILED,
                "The body from a.jp was cut off before its announced end (end of response with 949 bytes missing).",
                Truncation.DISCONNECT,
            ),
        ),
        (
            56,
            "Failed to perform, curl: (56) CONNECT tunnel failed, response 502" + ADVICE,
            NetworkFailure(
                FetchOutcome.FAILED,
                "The proxy could not reach a.jp (CONNECT tunnel failed, response 502).",
                is_unreachable=True,
            ),
        ),
        (
            6,
            "Failed to perform, curl: (6) Could not resolve host: a.jp" + ADVICE,
            NetworkFailure(
                FetchOutcome.FAILED,
                "The host name a.jp could not be resolved (Could not resolve host: a.jp).",
                is_unreachable=True,
            ),
        ),
        (
            28,
            "Failed to perform, curl: (28) Connection timed out after 30001 milliseconds" + ADVICE,
            NetworkFailure(FetchOutcome.TIMED_OUT, "a.jp did not answer in full within 30 s.", Truncation.TIME, True),
        ),
        (4711, "", NetworkFailure(FetchOutcome.FAILED, "The request to a.jp failed.")),
    ],
    ids=["timeout", "announced-size", "certificate", "cut-off", "proxy", "name", "no-connection", "unknown"],
)
def test_error_becomes_outcome_and_sentence(code: int, message: str, expected: NetworkFailure) -> None:
    """A reader learns what happened, without curl's advice to programmers, and whether anything was reached."""
    assert explain_curl(code, message, "a.jp", timeout_s=30.0, max_bytes=25_000_000) == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("net::ERR_INTERNET_DISCONNECTED", True),
        ("net::ERR_TUNNEL_CONNECTION_FAILED at https://a.jp/", True),
        ("net::ERR_CERT_DATE_INVALID", False),
        ("net::ERR_CONNECTION_RESET", False),
    ],
)
def test_chrome_says_whether_anything_was_reached(error: str, expected: bool) -> None:
    """A server that answers wrongly is no missing network."""
    assert is_chrome_unreachable(error) is expected
