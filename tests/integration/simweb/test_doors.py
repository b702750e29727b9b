"""The stand-in for Tor, walls a person opens, bodies that drip, faults set from another process."""

import time

import pytest
from curl_cffi import requests
from curl_cffi.requests.exceptions import ProxyError

from simweb import Fault, SimWeb

SHOP = "https://shop.voltbarn-outlet.com/pads"


def over_tor(web: SimWeb, url: str, user: str = "") -> requests.Response:
    proxy = web.socks_url.replace("//", f"//{user}:x@") if user else web.socks_url
    return requests.get(url, proxies={"https": proxy}, verify=str(web.ca_path), timeout=30)


def test_requests_through_socks_come_out_of_tor(web: SimWeb, client: requests.Session) -> None:
    """The site sees another exit, and the log knows the circuit."""
    direct = client.get("https://check.torproject.org/api/ip").json()
    onion = over_tor(web, "https://check.torproject.org/api/ip", user="task-7").json()

    assert (direct["IsTor"], onion["IsTor"]) == (False, True)
    assert [(visit.exit, visit.circuit) for visit in web.requests] == [("direct", ""), ("tor", "task-7")]


def test_socks_takes_no_addresses(web: SimWeb) -> None:
    """An address means that the client resolved the name itself: refused and recorded."""
    with pytest.raises(ProxyError):
        over_tor(web, "https://198.51.100.4/")

    assert web.journal.dns_leaks() == ("198.51.100.4",)


def test_a_site_that_refuses_one_exit_serves_the_other(web: SimWeb, client: requests.Session) -> None:
    """403 directly, the page over Tor."""
    web.faults.set("www.nemso.gov", Fault("status", status=403, exits="direct"))

    direct = client.get("https://www.nemso.gov/")
    onion = over_tor(web, "https://www.nemso.gov/")

    assert (direct.status_code, onion.status_code) == (403, 200)


def test_a_solved_puzzle_opens_the_shop(client: requests.Session) -> None:
    """The shop asks for a CAPTCHA; the ticked box sets a cookie and leads to the page."""
    before = client.get(SHOP).status_code
    solved = client.post(
        "https://shop.voltbarn-outlet.com/verify", data={"wall": "captcha", "human": "on", "next": "/pads"}
    )
    after = client.get(SHOP)

    assert (before, solved.status_code, after.status_code, "Brightpad Uno" in after.text) == (403, 200, 200, True)


def test_an_engine_lets_a_person_pass(web: SimWeb, client: requests.Session) -> None:
    """DuckDuckGo's anomaly page opens for the domain once the box was ticked."""
    web.faults.set("html.duckduckgo.com", Fault("challenge"))
    query = "https://html.duckduckgo.com/html/?q=ALP-2"

    before = client.get(query).status_code
    client.post("https://html.duckduckgo.com/verify", data={"wall": "challenge", "human": "on"})
    after = client.get(query).status_code

    assert (before, after) == (202, 200)


def test_a_dripping_body_is_whole_in_the_end(web: SimWeb, client: requests.Session) -> None:
    """Every piece waits; the whole arrives with its length."""
    web.faults.set("www.nemso.gov", Fault("drip", delay_s=0.05, after_bytes=1000))

    began = time.monotonic()
    response = client.get("https://www.nemso.gov/robots.txt")

    assert (response.status_code, response.text.startswith("User-agent: *")) == (200, True)
    assert time.monotonic() - began >= 0.05


def test_a_fetched_page_has_its_text_elsewhere(client: requests.Session) -> None:
    """The page is empty without its script; the address that the script asks gives the text."""
    page = client.get("https://www.oipa-alliance.org/certified-products").text
    data = client.get("https://www.oipa-alliance.org/data/certified-products.json").json()

    assert ("611 certified products" in page, "/data/certified-products.json" in page) == (False, True)
    assert "611 certified products" in "".join(data["blocks"])


def test_faults_are_set_over_http(web: SimWeb, client: requests.Session) -> None:
    """Another process sets a fault by a form, reads those in force, and lifts it."""
    client.post("http://simweb.test/faults", data={"pattern": "www.nemso.gov", "kind": "status", "status": "418"})
    listed = client.get("http://simweb.test/faults").json()[0]
    struck = client.get("https://www.nemso.gov/").status_code
    client.post("http://simweb.test/faults/clear")
    lifted = client.get("https://www.nemso.gov/").status_code

    assert (listed["pattern"], listed["status"], struck, lifted) == ("www.nemso.gov", 418, 418, 200)


def test_a_fault_that_does_not_exist_is_named(client: requests.Session) -> None:
    """The answer lists the kinds."""
    answer = client.post("http://simweb.test/faults", data={"pattern": "www.nemso.gov", "kind": "melted"})

    assert answer.status_code == 400
    assert answer.text.startswith("not a fault: there is no kind of fault 'melted'; give pattern=host[/path] and kind=")
