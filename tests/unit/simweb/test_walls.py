"""Walls before pages, as ordinary sites build them."""

import pytest

from simweb.messages import Request
from simweb.walls import Wall, is_wall, wall


def asking(target: str) -> Request:
    return Request("GET", "https", "www.x.org", target)


@pytest.mark.parametrize(
    ("kind", "status", "words"),
    [
        ("captcha", 403, b'<div class="g-recaptcha"'),
        ("paywall", 200, b"Subscribe to continue reading"),
        ("consent", 200, b"Reject all"),
        ("script_gate", 200, b"JavaScript is required"),
    ],
)
def test_each_wall_says_what_it_wants(kind: Wall, status: int, words: bytes) -> None:
    """A human sees a puzzle, a price, a question or a demand."""
    response = wall(kind, asking("/a"))

    assert (response.status, words in response.body) == (status, True)


def test_a_login_wall_leads_to_the_form() -> None:
    """Any address leads to /login, which asks for a password and remembers the address."""
    sent = wall("login_wall", asking("/a?b=1"))
    shown = wall("login_wall", asking("/login?next=%2Fa%3Fb%3D1"))

    assert (sent.status, sent.headers["location"]) == (302, "https://www.x.org/login?next=%2Fa%3Fb%3D1")
    assert shown.status == 200
    assert b'type="password"' in shown.body
    assert b'name="next" value="/a?b=1"' in shown.body


@pytest.mark.parametrize(("kind", "answer"), [("paywall", True), ("slow", False)])
def test_walls_are_some_of_the_faults(kind: str, answer: bool) -> None:
    """A fault that only spoils delivery is no wall."""
    assert is_wall(kind) is answer
