"""The pure rules of the browser room: command line, rest, gestures, errors, faces, what is rendered."""

import random
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lyra.fetch.browser.egress_proxy import is_blocked_host
from lyra.fetch.browser.fingerprint import Fingerprint, contradictions, differences, is_same_time
from lyra.fetch.browser.flags import command_line, without_headless
from lyra.fetch.browser.human import Point, movement, reading, scroll
from lyra.fetch.browser.interceptor import is_rendered
from lyra.fetch.browser.loading import PageSnapshot, StabilityCheck
from lyra.fetch.browser.machine import Display, display, is_snap, is_wsl, windows_chrome
from lyra.fetch.network_errors import explain_chrome
from lyra.model.archive import Exchange
from lyra.model.page import FetchOutcome
from lyra.settings.rungs import Browser

FINGERPRINT = Fingerprint(
    "Mozilla/5.0 Chrome/156.0.0.0 Safari/537.36", "ja,en", "Asia/Tokyo", "Linux x86_64", False, "c0ffee"
)


def test_headless_command_line_goes_through_the_guard_even_to_itself() -> None:
    """Loopback is not exempt from the proxy, and the sandbox stays on for ordinary users."""
    line = command_line("headless", "/p", "http://127.0.0.1:1", user_agent="UA", language="ja")

    assert {"--proxy-server=http://127.0.0.1:1", "--proxy-bypass-list=<-loopback>", "--headless=new"} <= set(line)
    assert {"--remote-debugging-pipe", "--user-agent=UA", "--lang=ja", "--accept-lang=ja"} <= set(line)
    assert {"--no-sandbox", "--enable-automation", "--disable-dev-shm-usage"}.isdisjoint(line)


def test_window_command_line_has_no_headless_flag() -> None:
    """A window is a window; only root loses the sandbox, only small containers the shared memory."""
    line = command_line("headful", "/p", "http://127.0.0.1:1", is_root=True, is_shared_memory_small=True)

    assert "--headless=new" not in line
    assert line[-3:] == ["--no-sandbox", "--disable-dev-shm-usage", "about:blank"]


def test_headless_browser_uses_its_ordinary_name() -> None:
    """One program, one name."""
    assert without_headless("Mozilla/5.0 HeadlessChrome/156.0.0.0") == "Mozilla/5.0 Chrome/156.0.0.0"


COMPLETE = PageSnapshot("complete", False, (10, 100), 4, True)


@pytest.mark.parametrize(
    ("snapshots", "rests_at"),
    [
        pytest.param([COMPLETE] * 40, 0.5, id="silent"),
        pytest.param([PageSnapshot()] * 40, None, id="never arrives"),
        pytest.param(
            [PageSnapshot("complete", False, (10, 100), n, False) for n in range(40)], 2.0, id="polls for ever"
        ),
        pytest.param(
            [PageSnapshot("complete", False, (n, n), 4, True) for n in range(40)], None, id="changes for ever"
        ),
        pytest.param([PageSnapshot("complete", True, (10, 100), 4, True)] * 40, 3.0, id="says it is loading"),
        pytest.param(
            [PageSnapshot("complete", True, (10, 100), 4, True)] * 8
            + [PageSnapshot("complete", False, (90, 900), 4, True)] * 30,
            1.3,
            id="content comes after 0.8 s",
        ),
        pytest.param(
            [COMPLETE] * 3 + [PageSnapshot("complete", False, (10, 100), 6, True)] * 30, 0.8, id="one more load"
        ),
        pytest.param([PageSnapshot("interactive", False, (10, 100), 4, False)] * 40, 2.0, id="one picture never comes"),
    ],
)
def test_page_rests_when_it_is_silent_or_the_same(snapshots: list[PageSnapshot], rests_at: float | None) -> None:
    """A snapshot every tenth of a second; the production limits decide."""
    rest = StabilityCheck(Browser(), 0.0)

    reached = [number / 10 for number, snapshot in enumerate(snapshots) if rest.is_stable(snapshot, number / 10)]

    assert next(iter(reached), None) == rests_at


def test_pointer_arrives_where_it_was_sent() -> None:
    """A curve with a tremor, but the last step is the target."""
    steps = movement(Point(100, 50), Point(700, 500), random.Random(7))

    assert (steps[-1].at, len(steps)) == (Point(700, 500), 18)
    assert all(0.006 <= step.pause_s <= 0.018 for step in steps)


def test_wheel_slows_down_and_turns_the_whole_way() -> None:
    """Inertia: every step is smaller than the one before, and they add up."""
    steps = scroll(Point(1, 1), 500, random.Random(7))

    turns = [step.wheel_px for step in steps]
    assert turns == sorted(turns, reverse=True)
    assert sum(turns) == pytest.approx(500)


def test_reading_differs_with_chance_and_repeats_with_the_seed() -> None:
    """Randomness is injected; a short page is not scrolled."""
    long_page = [reading(1366, 768, 4000, random.Random(seed)) for seed in (1, 1, 2)]
    short_page = reading(1366, 768, 0, random.Random(1))

    assert long_page[0] == long_page[1]
    assert long_page[0] != long_page[2]
    assert sum(step.wheel_px for step in short_page) == 0
    assert sum(step.pause_s for step in long_page[0]) < 6


@pytest.mark.parametrize(
    ("error", "outcome", "words"),
    [
        ("net::ERR_CONNECTION_TIMED_OUT", FetchOutcome.TIMED_OUT, "the connection took too long"),
        ("net::ERR_CERT_COMMON_NAME_INVALID", FetchOutcome.FAILED, "its certificate is for another name"),
        ("net::ERR_CERT_REVOKED", FetchOutcome.FAILED, "its certificate is not valid"),
        ("net::ERR_UNSAFE_PORT", FetchOutcome.REFUSED_ADDRESS, "its port is not one of the web"),
        ("net::ERR_HTTP2_PROTOCOL_ERROR", FetchOutcome.FAILED, "could not be loaded"),
    ],
)
def test_network_errors_have_a_meaning(error: str, outcome: FetchOutcome, words: str) -> None:
    """A person reads a sentence, the ladder an outcome."""
    found = explain_chrome(error, "x.org")

    assert found[0] is outcome
    assert words in found[1]


@pytest.mark.parametrize(
    ("content_type", "disposition", "body", "expected"),
    [
        pytest.param("text/html", None, b"<p>x", True, id="html"),
        pytest.param("text/html", None, b"%PDF-1.7", False, id="pdf that claims to be html"),
        pytest.param("application/pdf", None, b"<!doctype html>", False, id="html that claims to be a pdf"),
        pytest.param(None, None, b"<!DOCTYPE html><p>", True, id="undeclared html"),
        pytest.param("text/plain", None, b"hello", False, id="text"),
        pytest.param("application/json", None, b"{}", False, id="json"),
        pytest.param("text/html", "attachment; filename=a.html", b"<p>x", False, id="attachment"),
        pytest.param("text/html", None, b"  \n", False, id="empty"),
        pytest.param("text/html", None, b"\x89PNG\r\n\x1a\n", False, id="picture"),
    ],
)
def test_only_pages_are_rendered(
    content_type: str | None, disposition: str | None, body: bytes, expected: bool
) -> None:
    """Everything else is read as the bytes that came."""
    named = (("content-type", content_type), ("content-disposition", disposition))
    headers = tuple((name, value) for name, value in named if value)

    exchange = Exchange("https://x.org/", "GET", datetime(2026, 1, 1, tzinfo=UTC), headers=headers, body=body)

    assert is_rendered(exchange) is expected


@pytest.mark.parametrize(
    ("host", "domain", "blocks_ads", "expected"),
    [
        ("stats.g.doubleclick.net", "doubleclick.net", True, True),
        ("stats.g.doubleclick.net", "doubleclick.net", False, False),
        ("update.googleapis.com", "googleapis.com", False, True),
        ("fonts.googleapis.com", "googleapis.com", True, False),
        ("www.asahi.com", "asahi.com", True, False),
    ],
)
def test_unwanted_hosts_are_named(host: str, domain: str, blocks_ads: bool, expected: bool) -> None:
    """Advertisers by domain where so set, the browser's own calls home always."""
    assert is_blocked_host(host, domain, blocks_ads=blocks_ads) is expected


def test_face_that_fits_its_machine_has_no_flaw() -> None:
    """Version, language and time agree with program, setting and system."""
    assert contradictions(FINGERPRINT, version="156", language="ja", time_zone="Asia/Tokyo") == ()


def test_face_that_contradicts_its_machine_is_told() -> None:
    """Each contradiction in words."""
    robot = Fingerprint("Mozilla/5.0 HeadlessChrome/120.0.0.0", "en-US", "UTC", "Linux", True, "c0ffee")

    assert contradictions(robot, version="156", language="ja", time_zone="Asia/Tokyo") == (
        "navigator.webdriver is true",
        "the user agent says headless",
        "the user agent says version 120, the program is 156",
        "it asks for en-US, the setting is ja",
        "its time zone is UTC, the system's is Asia/Tokyo",
    )


def test_face_that_changed_is_told() -> None:
    """What a site would notice between two visits."""
    after = Fingerprint(
        "Mozilla/5.0 Chrome/157.0.0.0 Safari/537.36", "ja,en", "Asia/Tokyo", "Linux x86_64", False, "decaf0"
    )

    assert differences(FINGERPRINT, after) == ("picture: c0ffee → decaf0", "version: 156 → 157")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("UTC", "Etc/UTC", True),
        ("Asia/Tokyo", "Japan", True),
        ("Europe/London", "UTC", False),
        ("Mars/Olympus", "Mars/Olympus", True),
    ],
)
def test_time_zones_are_compared_by_their_clocks(one: str, other: str, expected: bool) -> None:
    """UTC has a dozen names; London is not UTC in summer."""
    assert is_same_time(one, other) is expected


def test_desktop_is_used_before_a_virtual_screen() -> None:
    """X11 and Wayland are passed on as they are."""
    assert display({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0", "PATH": "/usr/bin"}) == Display(
        (("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "wayland-0"))
    )


def test_windows_around_linux_is_noticed(tmp_path: Path) -> None:
    """WSL2 has its kernel's name, and Chrome where Windows keeps programs."""
    release = tmp_path / "osrelease"
    release.write_text("5.15.153.1-microsoft-standard-WSL2\n")
    chrome = tmp_path / "c" / "Program Files" / "Google" / "Chrome" / "Application" / "chrome.exe"
    chrome.parent.mkdir(parents=True)
    chrome.touch()

    assert is_wsl(release) is True
    assert is_wsl(tmp_path / "absent") is False
    assert windows_chrome(tmp_path) == chrome


def test_snap_is_noticed(tmp_path: Path) -> None:
    """Ubuntu's chromium is a snap behind a link."""
    assert is_snap(Path("/snap/bin/chromium")) is True
    assert is_snap(Path("/opt/google/chrome/chrome")) is False
