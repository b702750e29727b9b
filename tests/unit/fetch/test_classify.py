"""What an answer means: the table that keeps blocked, failed, missing and found apart."""

from datetime import UTC, datetime

import pytest

from lyra.fetch.classify import PageClass, classify, retry_after
from lyra.fetch.page_state import PageState
from lyra.model.archive import Exchange, Truncation
from lyra.model.page import FetchLane, FetchOutcome

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
ARTICLE = (
    b"<!doctype html><html><head><title>DPP-4</title></head><body><p>"
    + b"Evidence grows. " * 40
    + b"</p></body></html>"
)
PNG = b"\x89PNG\r\n\x1a\n..."
CHALLENGE = (
    b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>"
    b'<form id="challenge-form" action="/?__cf_chl_f_tk=x" method="POST"></form></body></html>'
)


def answer(
    status: int, body: bytes = ARTICLE, content_type: str = "text/html; charset=utf-8", **headers: str
) -> Exchange:
    pairs = (("Content-Type", content_type), *((name.replace("_", "-"), value) for name, value in headers.items()))
    return Exchange("https://a.example/p", "GET", NOW, status_code=status, headers=pairs, body=body)


@pytest.mark.parametrize(
    ("status", "outcome", "reason"),
    [
        (200, FetchOutcome.OK, None),
        (203, FetchOutcome.OK, None),
        (204, FetchOutcome.FAILED, "Status 204: the server sent an empty body."),
        (206, FetchOutcome.FAILED, "Status 206: the server sent only a part that was not asked for."),
        (300, FetchOutcome.FAILED, "Status 300: a redirect that leads nowhere."),
        (304, FetchOutcome.FAILED, "Status 304: the server says 'not modified' without having been asked."),
        (400, FetchOutcome.FAILED, "Status 400: the server rejects the request."),
        (402, FetchOutcome.BLOCKED, "Status 402: the server wants a payment."),
        (403, FetchOutcome.BLOCKED, "Status 403: the server refuses access."),
        (404, FetchOutcome.NOT_FOUND, "Status 404: there is no such page."),
        (410, FetchOutcome.NOT_FOUND, "Status 410: there is no such page."),
        (429, FetchOutcome.BLOCKED, "Status 429: the server has had too many requests."),
        (451, FetchOutcome.BLOCKED, "Status 451: the server is not allowed to show this for legal reasons."),
        (500, FetchOutcome.FAILED, "Status 500: the server has an error."),
        (503, FetchOutcome.FAILED, "Status 503: the server has an error."),
        (999, FetchOutcome.BLOCKED, "Status 999: the server refuses access."),
    ],
)
def test_status_decides_where_the_body_is_ordinary(status: int, outcome: FetchOutcome, reason: str | None) -> None:
    """Each status has one meaning and a sentence."""
    assert classify(answer(status), FetchLane.PAGE) == PageClass(outcome, reason)


def test_not_modified_when_it_was_asked() -> None:
    """304 is an answer only to a conditional request."""
    assert classify(answer(304, b""), FetchLane.PAGE, has_validators=True) == PageClass(FetchOutcome.NOT_MODIFIED)


@pytest.mark.parametrize("status", [200, 202, 401, 403, 405, 429, 503])
def test_challenge_is_recognised_under_every_status(status: int) -> None:
    """Guards answer with many codes, also with 200; the page behind them was not seen."""
    page_class = classify(answer(status, CHALLENGE), FetchLane.PAGE)

    assert page_class == PageClass(
        FetchOutcome.CHALLENGE,
        f"Status {status}: cloudflare blocks the page (markup of its page: <form id='challenge-form'>).",
        challenge="cloudflare",
    )


def test_unauthorised_names_the_log_in() -> None:
    """401 is a refusal that a person can lift, so it says what is wanted."""
    assert classify(answer(401), FetchLane.PAGE) == PageClass(
        FetchOutcome.BLOCKED, "Status 401: the server wants a sign-in.", challenge="login"
    )


def test_block_page_with_the_status_of_a_page_is_a_refusal() -> None:
    """A refusal in the body counts as one, whatever the status says."""
    body = b"<html><head><title>Access Denied</title></head><body><p>You have been blocked.</p></body></html>"

    assert classify(answer(200, body), FetchLane.PAGE) == PageClass(
        FetchOutcome.BLOCKED, "Status 200, but the page refuses access (title 'access denied').", challenge="block"
    )


def test_page_that_says_it_does_not_exist_is_missing() -> None:
    """A soft 404 is no evidence: it ends like a 404."""
    body = "<html><head><title>ページが見つかりません</title></head><body><p>探し物はありません。</p></body>"

    assert classify(answer(200, body.encode()), FetchLane.PAGE) == PageClass(
        FetchOutcome.NOT_FOUND,
        "Status 200, but the page says that it does not exist (title 'ページが見つかりません').",
        page_state=PageState.SOFT_404,
    )


def test_shell_that_scripts_fill_is_marked() -> None:
    """The empty frame of an application is served, but the ladder must know that a browser would show more."""
    body = (
        b'<html><head><title>App</title></head><body><div id="root"></div><script src="/a.js"></script></body></html>'
    )

    assert classify(answer(200, body), FetchLane.PAGE) == PageClass(
        FetchOutcome.OK, page_state=PageState.NEEDS_JAVASCRIPT
    )


def test_missing_page_stays_missing_behind_a_guard() -> None:
    """A 404 is the truth about the page even when its error page carries guard scripts."""
    assert classify(answer(404, CHALLENGE), FetchLane.PAGE).outcome is FetchOutcome.NOT_FOUND


def test_html_challenge_is_never_a_pdf() -> None:
    """A challenge served under the type of the document it hides must not reach the PDF reader."""
    page_class = classify(answer(200, CHALLENGE, "application/pdf"), FetchLane.PAGE)

    assert page_class.outcome is FetchOutcome.CHALLENGE


@pytest.mark.parametrize(
    ("body", "content_type", "outcome", "reason"),
    [
        (b"%PDF-1.7\n...", "application/pdf", FetchOutcome.OK, None),
        (b"%PDF-1.7\n...", "application/octet-stream", FetchOutcome.OK, None),
        (b"%PDF-1.7\n...", "text/html", FetchOutcome.OK, "Declared text/html, but the body is pdf."),
        (ARTICLE, "application/pdf", FetchOutcome.OK, "Declared application/pdf, but the body is html."),
        (b"not a pdf", "application/pdf", FetchOutcome.UNSUPPORTED, "The body is declared as a PDF but is not one."),
        (ARTICLE, "", FetchOutcome.OK, None),
        ("血糖値の推移".encode("shift_jis"), "text/plain; charset=Shift_JIS", FetchOutcome.OK, None),
        (b'{"data": []}', "application/vnd.api+json", FetchOutcome.OK, None),
        (b"<?xml version='1.0'?><feed/>", "application/atom+xml", FetchOutcome.OK, None),
        (PNG, "image/png", FetchOutcome.UNSUPPORTED, "The body is a PNG image (declared: image/png)."),
        (PNG, "text/html", FetchOutcome.UNSUPPORTED, "The body is a PNG image (declared: text/html)."),
        (b"7z\xbc\xaf", "", FetchOutcome.UNSUPPORTED, "The body is a 7z archive (declared: nothing)."),
        (b"<svg/>", "image/svg+xml", FetchOutcome.UNSUPPORTED, "Bodies of type image/svg+xml are not read."),
        (b"\x01\x00\x02", "", FetchOutcome.UNSUPPORTED, "The body is binary and of no declared type."),
        (b"", "text/html", FetchOutcome.FAILED, "Status 200: the server sent an empty body."),
        (b" \n", "text/html", FetchOutcome.FAILED, "Status 200: the server sent an empty body."),
    ],
    ids=[
        "pdf", "pdf-as-octets", "pdf-as-html", "html-as-pdf", "neither", "undeclared", "japanese-text", "json", "atom",
        "png", "png-as-html", "zip", "svg", "binary", "empty", "blank",
    ],
)  # fmt: skip
def test_first_bytes_are_weighed_against_the_declared_type(
    body: bytes, content_type: str, outcome: FetchOutcome, reason: str | None
) -> None:
    """Servers lie about types; what cannot be read is said to be so, and an empty body is never an empty page."""
    assert classify(answer(200, body, content_type), FetchLane.PAGE) == PageClass(outcome, reason)


def test_html_is_no_api_answer() -> None:
    """A portal or error page in place of JSON is a failure, not data."""
    assert classify(answer(200), FetchLane.API) == PageClass(
        FetchOutcome.FAILED, "An HTML page came where an API answer was expected."
    )


def test_failure_of_the_transfer_comes_first() -> None:
    """A page that broke off is not a page, whatever its status says."""
    cut = Exchange(
        "https://a.example/p", "GET", NOW, status_code=200, body=ARTICLE[:50],
        failure=FetchOutcome.FAILED, reason="The body was cut off.", truncation=Truncation.DISCONNECT,
    )  # fmt: skip

    assert classify(cut, FetchLane.PAGE) == PageClass(FetchOutcome.FAILED, "The body was cut off.")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"Retry_After": "120"}, 120.0),
        ({"Retry_After": "Sat, 31 Jan 2026 09:31:00 GMT"}, 60.0),
        ({"Retry_After": "Sat, 31 Jan 2026 10:00:00 GMT", "Date": "Sat, 31 Jan 2026 09:58:30 GMT"}, 90.0),
        ({"Retry_After": "Sat, 31 Jan 2026 09:00:00 GMT"}, 0.0),
        ({"Retry_After": "soon"}, None),
        ({"Retry_After": "-5"}, None),
        ({"Retry_After": "1" * 40}, 31_536_000.0),
        ({"Retry_After": "Fri, 31 Dec 9999 23:59:59 GMT", "Date": "Thu, 01 Jan 1970 00:00:00 GMT"}, 31_536_000.0),
    ],
    ids=["absent", "seconds", "date", "servers-clock", "past", "nonsense", "negative", "huge", "beyond-all-dates"],
)
def test_retry_after_is_read_in_both_forms(headers: dict[str, str], expected: float | None) -> None:
    """Seconds or a date by the server's own clock; nonsense counts as absent (RFC 9110 §10.2.3)."""
    assert retry_after(answer(429, **headers)) == expected


def test_retry_after_reaches_the_verdict() -> None:
    """The pause the server asks for travels with the refusal."""
    assert classify(answer(429, Retry_After="7200"), FetchLane.PAGE).retry_after_s == 7200.0
