"""Faults of the world and faults on demand, as a client meets them."""

from collections.abc import Callable

import pytest
from curl_cffi import requests
from curl_cffi.requests.exceptions import (
    CertificateVerifyError,
    IncompleteRead,
    RequestException,
    Timeout,
    TooManyRedirects,
)
from curl_cffi.requests.exceptions import ConnectionError as ConnectError

from simweb import Fault, SimWeb
from simweb.faults import Kind

MakeClient = Callable[[], requests.Session]
PAGE = "https://www.jmetd.org/article/2018/1102"


@pytest.mark.parametrize(
    ("url", "status"),
    [
        pytest.param("https://www.medpremium-review.com/analysis/gliptins-in-2024", 403, id="always 403"),
        pytest.param("https://archive.drugbulletin.org/2011/lost-issue", 500, id="500"),
        pytest.param("https://www.fdso.gov/no-such-page", 404, id="404"),
        pytest.param("https://healthdigest-now.com/no-such-page", 200, id="soft 404"),
    ],
)
def test_refusals_of_the_world(client: requests.Session, url: str, status: int) -> None:
    """Some places of the world refuse by nature."""
    assert client.get(url).status_code == status


def test_the_world_has_a_rate_limited_path(client: requests.Session) -> None:
    """429 comes with the time to wait."""
    response = client.get("https://www.clinicbriefs.com/briefs/gliptins-heart-failure-in-one-minute")

    assert (response.status_code, response.headers["retry-after"]) == (429, "120")


def test_a_truncated_page_is_noticed(client: requests.Session) -> None:
    """The body ends before its announced length."""
    with pytest.raises(IncompleteRead):
        client.get("https://archive.drugbulletin.org/2012/incretin-update")


def test_a_reset_connection_gives_no_answer(client: requests.Session, web: SimWeb) -> None:
    """The connection breaks, and the log has no status for the request."""
    with pytest.raises(RequestException):
        client.get("https://archive.drugbulletin.org/2013/flaky-issue")

    assert [visit.status for visit in web.requests] == [None]


def test_a_slow_page_outlasts_a_short_time_limit(client: requests.Session, web: SimWeb) -> None:
    """A delay on demand makes the client give up."""
    web.faults.set("www.jmetd.org", Fault("slow", delay_s=5))

    with pytest.raises(Timeout):
        client.get(PAGE, timeout=0.2)


def test_a_challenge_on_demand_is_lifted_again(client: requests.Session, web: SimWeb) -> None:
    """An engine can be blocked and unblocked while it runs."""
    search = "https://html.duckduckgo.com/html/?q=saxagliptin"
    web.faults.set("html.duckduckgo.com", Fault("challenge"))

    blocked = client.get(search)
    web.faults.clear("html.duckduckgo.com")

    assert (blocked.status_code, "anomaly-modal__title" in blocked.text) == (202, True)
    assert "result__a" in client.get(search).text


def test_an_api_is_rate_limited_in_its_own_words(client: requests.Session, web: SimWeb) -> None:
    """Semantic Scholar says 429 as an object; the second request is served."""
    web.faults.set("api.semanticscholar.org", Fault("status", status=429, times=1))
    url = "https://api.semanticscholar.org/graph/v1/paper/PMID:90013417"

    refused, served = client.get(url), client.get(url)

    assert (refused.status_code, refused.json()["code"]) == (429, "429")
    assert served.status_code == 200


def test_after_stopping_nothing_answers() -> None:
    """The door is closed when the context ends, and the CA's folder is gone."""
    with SimWeb() as web:
        proxy, ca = web.proxy_url, web.ca_path

    with pytest.raises(ConnectError):
        requests.get("http://www.fdso.gov/", proxies={"http": proxy}, timeout=2)

    assert not ca.exists()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("certificate_expired", "certificate has expired"),
        ("certificate_other_name", "subjectAltName|subject name|hostname mismatch|no alternative certificate"),
        ("certificate_unknown_ca", "unable to get local issuer"),
    ],
)
def test_a_wrong_certificate_is_refused(new_client: MakeClient, web: SimWeb, kind: Kind, words: str) -> None:
    """The client breaks off before it asks anything; the next connection is good again."""
    web.faults.set("www.jmetd.org", Fault(kind, times=1))

    with pytest.raises(CertificateVerifyError, match=words):
        new_client().get(PAGE)

    assert web.requests == ()
    assert new_client().get(PAGE).status_code == 200


def test_a_redirect_loop_does_not_end(client: requests.Session, web: SimWeb) -> None:
    """The address leads to itself, with or without its cookie."""
    web.faults.set("www.jmetd.org", Fault("redirect_loop"))

    with pytest.raises(TooManyRedirects):
        client.get(PAGE, max_redirects=4)

    assert [visit.url for visit in web.requests] == [PAGE] * 5


def test_an_endless_body_goes_on_until_the_client_leaves(new_client: MakeClient, web: SimWeb) -> None:
    """A reader that stops after a mebibyte is not sent much more; the visit ends."""
    web.faults.set("www.jmetd.org", Fault("endless"))
    read = 0

    with new_client() as leaving, leaving.stream("GET", PAGE) as response:
        for block in response.iter_content():
            read += len(block)
            if read > 1 << 20:
                break

    assert 1 << 20 < read < 2 << 20
    assert "content-length" not in response.headers


def test_a_lying_length_cuts_the_page_in_half(client: requests.Session, web: SimWeb) -> None:
    """A client that believes the header reads half of the page."""
    whole = client.get(PAGE, headers={"accept-encoding": "identity"}).content
    web.faults.set("www.jmetd.org", Fault("lying_length"))

    half = client.get(PAGE, headers={"accept-encoding": "identity"})

    assert half.content == whole[: len(whole) // 2]
    assert half.headers["content-length"] == str(len(whole) // 2)


def test_a_gzip_bomb_grows_on_arrival(client: requests.Session, web: SimWeb) -> None:
    """Few bytes on the wire, eight mebibytes of spaces for the reader."""
    web.faults.set("www.jmetd.org", Fault("gzip_bomb", expanded_bytes=8 << 20))

    response = client.get(PAGE)

    assert len(response.content) == 8 << 20
    assert int(response.headers["content-length"]) < 10_000


def test_a_wrong_charset_is_announced(client: requests.Session, web: SimWeb) -> None:
    """The bytes are UTF-8, the header says Shift_JIS."""
    web.faults.set("www.aomine-times.jp", Fault("wrong_charset"))

    response = client.get("https://www.aomine-times.jp/news/2026/0402/kyushoku-3nen")

    assert response.headers["content-type"] == "text/html; charset=shift_jis"
    assert "給食無償化3年" in response.content.decode("utf-8")


def test_haste_is_punished_by_the_worlds_own_rate_limit(client: requests.Session) -> None:
    """The site asks for two seconds between requests and answers 429 to those who do not wait."""
    url = "https://www.shichoson-ranking.jp/ranking/iju"

    robots, first, second = client.get("https://www.shichoson-ranking.jp/robots.txt"), client.get(url), client.get(url)

    assert "Crawl-delay: 2" in robots.text
    assert [first.status_code, second.status_code] == [200, 429]
    assert second.headers["retry-after"] == "2"


@pytest.mark.parametrize(
    ("url", "end", "words"),
    [
        pytest.param(
            "https://www.keizai-chiho-weekly.jp/tokushu/mushoka-no-daisho",
            "https://www.keizai-chiho-weekly.jp/tokushu/mushoka-no-daisho",
            "Subscribe to continue reading",
            id="paywall",
        ),
        pytest.param(
            "https://members.oipa-portal.org/wg4/minutes-2026-02",
            "https://members.oipa-portal.org/login?next=%2Fwg4%2Fminutes-2026-02",
            'type="password"',
            id="login wall",
        ),
        pytest.param(
            "https://shop.voltbarn-outlet.com/pads",
            "https://shop.voltbarn-outlet.com/pads",
            "g-recaptcha",
            id="captcha",
        ),
    ],
)
def test_walls_of_the_world(client: requests.Session, url: str, end: str, words: str) -> None:
    """Some pages of the world stand behind walls."""
    response = client.get(url)

    assert response.url == end
    assert words in response.text


def test_google_sends_robots_to_its_sorry_page(client: requests.Session, web: SimWeb) -> None:
    """The redirect ends at a page that asks for a puzzle, with 429."""
    web.faults.set("www.google.com", Fault("challenge"))

    response = client.get("https://www.google.com/search?q=saxagliptin")

    assert response.status_code == 429
    assert response.url.startswith("https://www.google.com/sorry/index?continue=")
