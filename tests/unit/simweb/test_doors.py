"""Walls open for those who bring the right cookie."""

from urllib.parse import urlencode

import pytest

from simweb.doors import Doors
from simweb.faults import Fault, Faults
from simweb.hosts import PlainHost
from simweb.internet import Internet
from simweb.messages import Exit, Request, Response

HOST = "www.shokuin-forum.jp"
FORM = {"content-type": "application/x-www-form-urlencoded"}


class Fixed(PlainHost):
    """A host with one page."""

    def answer(self, request: Request) -> Response:
        return Response.text("職員限定の事例\n")


def internet(fault: Fault) -> Internet:
    return Internet({HOST: Fixed()}, Faults([(f"{HOST}/*", fault)]))


def asking(cookie: str = "", exit: Exit = "direct") -> Request:
    return Request("GET", "https", HOST, "/jirei/1", {"cookie": cookie} if cookie else {}, exit=exit)


def posting(path: str, **fields: str) -> Request:
    return Request("POST", "https", HOST, path, FORM, urlencode(fields).encode())


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        pytest.param("login_wall", posting("/session", email="a@b.jp", password="simulated", next="/x"), id="login"),
        pytest.param("paywall", posting("/session", email="a@b.jp", password="simulated", next="/x"), id="paywall"),
        pytest.param("captcha", posting("/verify", wall="captcha", human="on", next="/x"), id="captcha"),
        pytest.param("challenge", posting("/verify", wall="challenge", human="on", next="/x"), id="challenge"),
        pytest.param("consent", posting("/consent", choice="none", next="/x"), id="consent"),
    ],
)
def test_a_filled_in_form_opens_its_wall(kind: str, form: Request) -> None:
    """The form sets a cookie and leads on; with the cookie the page is there."""
    world = internet(Fault(kind))  # type: ignore[arg-type]

    sent = world.answer(form)
    cookie = sent.headers["set-cookie"].partition(";")[0]

    assert (sent.status, sent.headers["location"]) == (303, "/x")
    assert "Domain=shokuin-forum.jp" in sent.headers["set-cookie"]
    assert world.answer(asking()).body != "職員限定の事例\n".encode()
    assert world.answer(asking(f"lang=ja; {cookie}")).body == "職員限定の事例\n".encode()


def test_a_script_gate_opens_for_its_scripts_cookie() -> None:
    """The page's script sets `js=1`."""
    world = internet(Fault("script_gate"))

    assert world.answer(asking("js=1")).body == "職員限定の事例\n".encode()


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(posting("/session", email="a@b.jp", password="wrong"), id="wrong password"),
        pytest.param(posting("/session", password="simulated"), id="no email"),
    ],
)
def test_a_wrong_password_shows_the_form_again(form: Request) -> None:
    """401, the form, and no cookie."""
    answer = internet(Fault("login_wall")).answer(form)

    assert (answer.status, answer.headers.get("set-cookie"), b'type="password"' in answer.body) == (401, None, True)


def test_an_unticked_box_opens_nothing() -> None:
    """The visitor is led back to the wall without a cookie."""
    answer = internet(Fault("captcha")).answer(posting("/verify", wall="captcha", next="/jirei/1"))

    assert (answer.status, answer.headers.get("set-cookie")) == (303, None)


def test_a_form_does_not_lead_to_other_schemes() -> None:
    """An address that is neither a path nor of the web is replaced by the root."""
    answer = internet(Fault("consent")).answer(posting("/consent", next="javascript:alert(1)"))

    assert answer.headers["location"] == "/"


def test_a_cookie_of_another_site_opens_nothing() -> None:
    """Cookies hold for one registrable domain."""
    world, doors = internet(Fault("captcha")), Doors()
    name, value = doors.cookie("captcha", "shop.voltbarn-outlet.com")

    assert world.answer(asking(f"{name}={value}")).status == 403


def test_sessions_lapse() -> None:
    """After `expire` the old cookie meets the wall again."""
    faults = Faults([(HOST, Fault("captcha"))])
    world = Internet({HOST: Fixed()}, faults)
    name, value = faults.doors.cookie("captcha", HOST)

    before = world.answer(asking(f"{name}={value}")).status
    faults.doors.expire()
    after = world.answer(asking(f"{name}={value}")).status

    assert (before, after) == (200, 403)


@pytest.mark.parametrize(("exits", "direct", "tor"), [("direct", 403, 200), ("tor", 200, 403), ("all", 403, 403)])
def test_a_fault_may_strike_one_exit_only(exits: str, direct: int, tor: int) -> None:
    """A site that refuses Tor serves others, and the other way round."""
    world = internet(Fault("status", status=403, exits=exits))  # type: ignore[arg-type]

    assert (world.answer(asking()).status, world.answer(asking(exit="tor")).status) == (direct, tor)


@pytest.mark.parametrize(
    ("asks", "words"),
    [
        pytest.param("person", b'action="/verify', id="a box for people"),
        pytest.param("script", b"if (true) { document.cookie", id="a script for any browser"),
        pytest.param("window", b"!navigator.webdriver) { document.cookie", id="a script for windows"),
    ],
)
def test_a_challenge_says_who_may_pass(asks: str, words: bytes) -> None:
    """The page holds the box or the script that opens it."""
    answer = internet(Fault("challenge", asks=asks)).answer(asking())  # type: ignore[arg-type]

    assert (answer.status, words in answer.body) == (403, True)


def test_unknown_exits_are_refused() -> None:
    """A misspelt exit is noticed when the fault is made."""
    with pytest.raises(ValueError, match="onion"):
        Fault("status", exits="onion")  # type: ignore[arg-type]
