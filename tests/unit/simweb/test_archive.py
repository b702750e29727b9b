"""The web archive: snapshots of pages as they stood."""

from datetime import date

import pytest

from simweb.apis.archive import Archive
from simweb.markdown import parse
from simweb.messages import Request, Response
from simweb.model import Page, Site
from simweb.render import Renderer

SITE = Site("www.x.org", "X", "news", "en", "news")
OLD = Page(SITE, "/a", "A", parse("Thirty per cent."), "Thirty per cent.", date(2023, 10, 5))
NEW = Page(
    SITE, "/a", "A", parse("Three per cent. [More](/b)"), "Three per cent. More", date(2023, 10, 5), date(2023, 11, 2),
    earlier=(OLD,), archived=(date(2023, 10, 6), date(2023, 10, 20), date(2023, 11, 10)),
)  # fmt: skip
URL = "https://www.x.org/a"
WEB = "https://web.archive.org/web"


def ask(target: str, headers: dict[str, str] | None = None) -> Response:
    archive = Archive([NEW], Renderer([NEW]))
    return archive.answer(Request("GET", "https", "web.archive.org", target, headers or {}))


@pytest.mark.parametrize(
    ("stamp", "words"),
    [
        ("20231006120000", b"Thirty per cent."),
        ("20231020120000", b"Thirty per cent."),
        ("20231110120000", b"Three per cent."),
    ],
)
def test_a_snapshot_shows_what_the_page_said(stamp: str, words: bytes) -> None:
    """The words of the day, under a bar that is the archive's own."""
    response = ask(f"/web/{stamp}/{URL}")

    assert response.status == 200
    assert words in response.body
    assert b"BEGIN WAYBACK TOOLBAR INSERT" in response.body


def test_links_of_a_snapshot_stay_in_the_archive() -> None:
    """A link of the page leads to the linked page's snapshot."""
    assert (
        f'<a href="{WEB}/20231110120000/https://www.x.org/b">More</a>'
        in ask(f"/web/20231110120000/{URL}").body.decode()
    )


def test_a_raw_snapshot_is_the_page_alone() -> None:
    """With `id_` nothing is added or rewritten."""
    body = ask(f"/web/20231110120000id_/{URL}").body

    assert (b"WAYBACK" in body, b'<a href="/b">More</a>' in body) == (False, True)


def test_a_memento_names_its_neighbours() -> None:
    """The Link header gives the original, timegate, timemap and the mementos around (RFC 7089)."""
    headers = ask(f"/web/20231020120000/{URL}").headers

    assert headers["memento-datetime"] == "Fri, 20 Oct 2023 12:00:00 GMT"
    assert headers["link"].split(", <") == [
        f'<{URL}>; rel="original"',
        f'{WEB}/{URL}>; rel="timegate"',
        f'{WEB}/timemap/link/{URL}>; rel="timemap"; type="application/link-format"',
        f'{WEB}/20231006120000/{URL}>; rel="first prev memento"; datetime="Fri, 06 Oct 2023 12:00:00 GMT"',
        f'{WEB}/20231020120000/{URL}>; rel="memento"; datetime="Fri, 20 Oct 2023 12:00:00 GMT"',
        f'{WEB}/20231110120000/{URL}>; rel="next last memento"; datetime="Fri, 10 Nov 2023 12:00:00 GMT"',
    ]


@pytest.mark.parametrize(
    ("target", "headers", "stamp"),
    [
        pytest.param(f"/web/{URL}", {}, "20231110120000", id="no day: the last"),
        pytest.param(
            f"/web/{URL}",
            {"accept-datetime": "Sat, 07 Oct 2023 00:00:00 GMT"},
            "20231006120000",
            id="day in the header",
        ),
        pytest.param(f"/web/{URL}", {"accept-datetime": "soon"}, "20231110120000", id="unreadable day"),
        pytest.param(f"/web/20231019/{URL}", {}, "20231020120000", id="day in the path"),
        pytest.param(f"/web/2023/{URL}", {}, "20231006120000", id="year in the path"),
        pytest.param(f"/web/99999999/{URL}", {}, "20231110120000", id="no such day"),
        pytest.param("/web/http:/www.x.org/a", {}, "20231110120000", id="http and one slash"),
    ],
)
def test_another_time_leads_to_the_nearest_snapshot(target: str, headers: dict[str, str], stamp: str) -> None:
    """Whatever day is asked for, the nearest snapshot is given."""
    response = ask(target, headers)

    assert (response.status, response.headers["location"]) == (302, f"{WEB}/{stamp}/{URL}")


def test_a_timemap_lists_every_snapshot() -> None:
    """In link format, with first and last marked."""
    lines = ask(f"/web/timemap/link/{URL}").body.decode().split(",\n")

    assert lines[0] == f'<{URL}>; rel="original"'
    assert [line.split("; ")[1] for line in lines[3:]] == ['rel="first memento"', 'rel="memento"', 'rel="last memento"']


def test_the_calendar_links_to_every_snapshot() -> None:
    """The page for people lists the days."""
    body = ask(f"/web/*/{URL}").body.decode()

    assert body.count("<li>") == 3
    assert f'<a href="/web/20231020120000/{URL}">2023-10-20</a>' in body


@pytest.mark.parametrize(
    "target",
    [
        "/web/20231020120000/https://www.y.org/",
        "/web/https://www.y.org/",
        "/web/*/https://www.y.org/",
        "/web/timemap/link/https://www.y.org/",
    ],
)
def test_what_was_not_archived_is_404(target: str) -> None:
    """The archive says so in its own words."""
    response = ask(target)

    assert response.status == 404
    assert b"has not archived that URL" in response.body


def test_availability_is_told_as_json() -> None:
    """The open question `wayback/available` has an answer for known and unknown pages."""
    known, unknown = (
        ask("/wayback/available?url=www.x.org/a&timestamp=20231001"),
        ask("/wayback/available?url=www.y.org"),
    )

    assert b'"timestamp": "20231006120000"' in known.body
    assert unknown.body == b'{"url": "www.y.org", "archived_snapshots": {}}'
