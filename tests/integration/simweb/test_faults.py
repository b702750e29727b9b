"""Faults of the world and faults on demand, as a client meets them."""

import pytest
from curl_cffi import requests
from curl_cffi.requests.exceptions import ConnectionError as ConnectError
from curl_cffi.requests.exceptions import IncompleteRead, RequestException, Timeout

from simweb import Fault, SimWeb

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
