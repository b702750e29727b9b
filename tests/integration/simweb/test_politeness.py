"""The log tells polite clients from impolite ones."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from curl_cffi import requests

from simweb import Fault, SimWeb

PAGE = "https://www.jmetd.org/article/2018/1102"


def test_one_request_after_another_is_no_violation(client: requests.Session, web: SimWeb) -> None:
    """A client that waits for each answer is never seen to overlap."""
    statuses = [client.get(PAGE).status_code for _ in range(20)]

    assert statuses == [200] * 20
    assert [visit.url for visit in web.requests] == [PAGE] * 20
    assert web.politeness_violations() == ()


def test_two_at_once_on_one_domain_are_noticed(new_client: Callable[[], requests.Session], web: SimWeb) -> None:
    """The second of two simultaneous requests to one domain is reported."""
    web.faults.set("www.jmetd.org", Fault("slow", delay_s=0.2))
    clients = [new_client(), new_client()]

    with ThreadPoolExecutor(2) as pool:
        statuses = list(pool.map(lambda each: each.get(PAGE).status_code, clients))

    assert statuses == [200, 200]
    assert [visit.number - web.requests[0].number for visit in web.politeness_violations()] == [1]


def test_two_at_once_on_two_domains_are_polite(new_client: Callable[[], requests.Session], web: SimWeb) -> None:
    """Different domains may be asked at the same time."""
    web.faults.set("*", Fault("slow", delay_s=0.1))
    urls = [PAGE, "https://www.fdso.gov/safety/dpp4-heart-failure"]

    with ThreadPoolExecutor(2) as pool:
        statuses = list(pool.map(lambda url: new_client().get(url).status_code, urls))

    assert statuses == [200, 200]
    assert web.politeness_violations() == ()


def test_the_log_keeps_the_headers(client: requests.Session, web: SimWeb) -> None:
    """A test can see what a client sent."""
    client.get(PAGE, headers={"referer": "https://html.duckduckgo.com/"})

    visit = web.requests[0]
    assert (visit.status, visit.headers["referer"]) == (200, "https://html.duckduckgo.com/")
