"""The door for people."""

from simweb.messages import Request, Response
from simweb.portal import Portal
from simweb.world import load_world

WORLD = load_world()


def ask(path: str) -> Response:
    return Portal(WORLD, lambda: b"certificate").answer(Request("GET", "http", "simweb.test", path))


def test_it_lists_every_page() -> None:
    """Each page of each topic is one link."""
    html = ask("/").body.decode()

    assert html.count("<li><a href=") == 210
    assert (
        '<a href="https://www.oipa-alliance.org/standards/alp-2">ALP-2: the open standard for inductive power</a>'
        in html
    )


def test_it_gives_the_certificate_to_trust() -> None:
    """A browser imports the CA from here."""
    response = ask("/ca.pem")

    assert (response.headers["content-type"], response.body) == ("application/x-x509-ca-cert", b"certificate")


def test_nothing_else_is_there() -> None:
    """Another address is 404."""
    assert ask("/x").status == 404
