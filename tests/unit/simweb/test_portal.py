"""The door for people."""

from simweb.build import faults_of
from simweb.faults import Faults
from simweb.messages import Request, Response
from simweb.portal import Portal
from simweb.world import load_world

WORLD = load_world()


def ask(path: str) -> Response:
    faults = Faults(faults_of(WORLD))
    return Portal(WORLD, lambda: b"certificate", faults).answer(Request("GET", "http", "simweb.test", path))


def test_it_lists_every_page() -> None:
    """Each page of each topic is one link."""
    html = ask("/").body.decode()

    assert html.count("<li><a href=") == 1612
    assert (
        '<a href="https://www.oipa-alliance.org/standards/alp-2">ALP-2: the open standard for inductive power</a>'
        in html
    )


def test_it_shows_faults_and_what_is_special() -> None:
    """Where a fault stands, and which pages are scans, have a past or were taken down, is told to people."""
    html = ask("/").body.decode()

    assert "<tr><td>archive.drugbulletin.org/2009/incretin-outlook</td><td>slow</td><td>delay_s 1.5</td></tr>" in html
    assert "shop.voltbarn-outlet.com/*</td><td>captcha</td>" in html
    assert html.count("<small>scan</small>") == 2
    assert html.count("archived 3 times</a>") == 52
    assert "crawl delay 2 s" in html


def test_it_gives_the_certificate_to_trust() -> None:
    """A browser imports the CA from here."""
    response = ask("/ca.pem")

    assert (response.headers["content-type"], response.body) == ("application/x-x509-ca-cert", b"certificate")


def test_nothing_else_is_there() -> None:
    """Another address is 404."""
    assert ask("/x").status == 404
