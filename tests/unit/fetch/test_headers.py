"""Headers that tell one coherent story."""

import pytest

from lyra import __version__
from lyra.fetch.headers import OutgoingRequest, fetch_site, first_request, redirected_request, shown_referer
from lyra.model.page import FetchLane, FetchRequest

SERP = "https://html.duckduckgo.com/html/?q=DPP-4"


@pytest.mark.parametrize(
    ("referer", "url", "shown"),
    [
        (None, "https://www.who.int/a", None),
        (SERP, "https://www.who.int/a", "https://html.duckduckgo.com/"),
        ("https://www.who.int/list?p=2", "https://www.who.int/a", "https://www.who.int/list?p=2"),
        ("https://www.who.int/list", "http://www.who.int/a", None),
        ("http://old.example/", "https://www.who.int/a", "http://old.example/"),
    ],
    ids=["none", "cross-origin", "same-origin", "downgrade", "upgrade"],
)
def test_referer_follows_the_browsers_default_policy(referer: str | None, url: str, shown: str | None) -> None:
    """`strict-origin-when-cross-origin` is what Chrome sends; a query on a result page must not leak to the source."""
    assert shown_referer(referer, url) == shown


@pytest.mark.parametrize(
    ("referer", "url", "site"),
    [
        (None, "https://www.who.int/a", "none"),
        ("https://www.who.int/", "https://www.who.int/a", "same-origin"),
        ("https://news.who.int/", "https://www.who.int/a", "same-site"),
        ("http://www.who.int/", "https://www.who.int/a", "cross-site"),
        (SERP, "https://www.who.int/a", "cross-site"),
        ("https://a.co.jp/", "https://b.co.jp/", "cross-site"),
    ],
    ids=["typed", "same-origin", "same-site", "schemeful", "from-serp", "public-suffix"],
)
def test_fetch_site_fits_the_referer(referer: str | None, url: str, site: str) -> None:
    """`Sec-Fetch-Site` and Referer must not contradict one another."""
    assert fetch_site(referer, url) == site


def test_page_request_carries_referer_site_and_validators() -> None:
    """A re-visit from a result page looks like one: origin as Referer, cross-site, both validators."""
    request = FetchRequest(
        "https://www.who.int/a", referer=SERP, etag='"abc"', last_modified="Wed, 01 Oct 2025 07:28:00 GMT"
    )

    assert first_request(request) == OutgoingRequest(
        "GET",
        "https://www.who.int/a",
        (
            ("If-None-Match", '"abc"'),
            ("If-Modified-Since", "Wed, 01 Oct 2025 07:28:00 GMT"),
            ("Referer", "https://html.duckduckgo.com/"),
            ("Sec-Fetch-Site", "cross-site"),
        ),
    )


@pytest.mark.parametrize("referer", ["about:blank", "http://[broken/", "javascript:1"])
def test_unusable_referer_is_left_out(referer: str) -> None:
    """What is not a web address cannot be where a visit came from."""
    request = FetchRequest("https://www.who.int/a", referer=referer)

    assert first_request(request).headers == (("Sec-Fetch-Site", "none"),)


def test_api_request_is_honest_about_what_it_is() -> None:
    """APIs are asked under Lyra's own name, without a browser's headers; the caller's headers stay."""
    request = FetchRequest("https://api.openalex.org/works", FetchLane.API, headers=(("accept", "application/xml"),))

    assert first_request(request) == OutgoingRequest(
        "GET",
        "https://api.openalex.org/works",
        (("accept", "application/xml"), ("User-Agent", f"lyra-mcp/{__version__}")),
        as_browser=False,
    )


def test_body_without_type_is_a_form() -> None:
    """Engines that take POST take forms."""
    request = FetchRequest("https://html.duckduckgo.com/html/", FetchLane.SERP, method="post", body=b"q=DPP-4")

    assert first_request(request) == OutgoingRequest(
        "POST",
        "https://html.duckduckgo.com/html/",
        (("Sec-Fetch-Site", "none"), ("Content-Type", "application/x-www-form-urlencoded")),
        b"q=DPP-4",
    )


@pytest.mark.parametrize(
    ("method", "status", "next_method", "next_body"),
    [
        ("POST", 301, "GET", None),
        ("POST", 302, "GET", None),
        ("POST", 303, "GET", None),
        ("POST", 307, "POST", b"q=1"),
        ("POST", 308, "POST", b"q=1"),
        ("HEAD", 303, "HEAD", None),
    ],
)
def test_redirect_changes_the_method_as_browsers_do(
    method: str, status: int, next_method: str, next_body: bytes | None
) -> None:
    """307 and 308 repeat the request, the older codes turn a POST into a GET (Fetch standard)."""
    hop = OutgoingRequest(
        method, "https://a.example/", (("Content-Type", "text/plain"),), b"q=1" if method == "POST" else None
    )

    onward = redirected_request(hop, "https://a.example/next", status)

    assert (onward.method, onward.body) == (next_method, next_body)


def test_redirect_to_another_origin_drops_secrets() -> None:
    """An API key must never follow a redirect to somebody else."""
    hop = OutgoingRequest("GET", "https://api.example/", (("x-api-key", "s3cret"), ("Accept", "application/json")))

    onward = redirected_request(hop, "https://elsewhere.example/", 302)

    assert onward.headers == (("Accept", "application/json"),)


def test_redirect_within_the_origin_keeps_secrets() -> None:
    """The same server may move an endpoint."""
    hop = OutgoingRequest("GET", "https://api.example/v1", (("x-api-key", "s3cret"),))

    onward = redirected_request(hop, "https://api.example/v2", 308)

    assert onward.headers == (("x-api-key", "s3cret"),)


def test_redirect_leaves_the_date_behind_but_not_the_etag() -> None:
    """A date says 'unchanged' of any old page, so it belongs to its own address; an entity tag is precise."""
    hop = OutgoingRequest("GET", "https://a.example/", (("If-None-Match", '"x"'), ("If-Modified-Since", "yesterday")))

    onward = redirected_request(hop, "https://a.example/b", 301)

    assert onward.headers == (("If-None-Match", '"x"'),)


def test_redirect_across_sites_widens_fetch_site() -> None:
    """A chain that left the site stays cross-site, even when it comes back (Fetch Metadata)."""
    hop = first_request(FetchRequest("https://news.who.int/a", referer="https://www.who.int/"))

    onward = redirected_request(redirected_request(hop, "https://t.example/r", 302), "https://www.who.int/b", 302)

    assert dict(onward.headers)["Sec-Fetch-Site"] == "cross-site"


def test_typed_address_stays_typed_through_redirects() -> None:
    """A visit that comes from nowhere has no site relation at any hop."""
    hop = first_request(FetchRequest("http://www.who.int/"))

    onward = redirected_request(hop, "https://www.who.int/", 301)

    assert onward.headers == (("Sec-Fetch-Site", "none"),)
