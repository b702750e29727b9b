"""What every server does: validators, compression, refusals."""

import gzip

import pytest

from simweb.faults import Fault, Faults
from simweb.hosts import PlainHost
from simweb.internet import Internet
from simweb.messages import Request, Response

MODIFIED = "Tue, 14 Feb 2023 09:00:00 GMT"
BODY = b"words " * 200
ETAG = '"85ce807ca65b6e13"'


class Fixed(PlainHost):
    """A host with one page."""

    def answer(self, request: Request) -> Response:
        return Response(200, {"content-type": "text/html", "last-modified": MODIFIED}, BODY)


def ask(headers: dict[str, str], faults: Faults | None = None) -> Response:
    internet = Internet({"x.org": Fixed()}, faults or Faults())
    return internet.answer(Request("GET", "https", "x.org", "/", headers))


def test_a_dated_page_has_validators() -> None:
    """A page with a date is sent with an ETag made from its bytes."""
    response = ask({})

    assert (response.status, response.headers["etag"], response.headers["last-modified"]) == (200, ETAG, MODIFIED)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({"if-none-match": ETAG}, 304, id="same tag"),
        pytest.param({"if-none-match": f'W/{ETAG}, "other"'}, 304, id="weak tag in a list"),
        pytest.param({"if-none-match": '"other"'}, 200, id="other tag"),
        pytest.param({"if-modified-since": MODIFIED}, 304, id="not modified since"),
        pytest.param({"if-modified-since": "Mon, 13 Feb 2023 09:00:00 GMT"}, 200, id="modified since"),
        pytest.param({"if-modified-since": "yesterday"}, 200, id="unreadable date"),
        pytest.param({"if-none-match": '"other"', "if-modified-since": MODIFIED}, 200, id="the tag decides"),
    ],
)
def test_a_kept_copy_is_answered_with_304(headers: dict[str, str], status: int) -> None:
    """Conditional requests get 304 when the client's copy is current (RFC 9110, 13.1)."""
    assert ask(headers).status == status


def test_text_is_compressed_for_those_who_take_it() -> None:
    """A client that accepts gzip gets gzip, and the same words in it."""
    response = ask({"accept-encoding": "gzip, br"})

    assert response.headers["content-encoding"] == "gzip"
    assert gzip.decompress(response.body) == BODY


@pytest.mark.parametrize(
    ("fault", "status", "header"),
    [
        pytest.param(Fault("status", status=429, retry_after_s=60), 429, ("retry-after", "60"), id="429"),
        pytest.param(Fault("challenge"), 403, ("cf-mitigated", "challenge"), id="challenge"),
        pytest.param(Fault("soft_404"), 200, ("content-type", "text/html; charset=utf-8"), id="soft 404"),
    ],
)
def test_a_fault_replaces_the_answer(fault: Fault, status: int, header: tuple[str, str]) -> None:
    """Refusals come in the words of the host, with their headers."""
    response = ask({}, Faults([("x.org", fault)]))

    assert (response.status, response.headers[header[0]]) == (status, header[1])
