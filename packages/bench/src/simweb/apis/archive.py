"""The web archive (web.archive.org): mementos with Link headers (RFC 7089), timemaps, the calendar, `available`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time
from email.utils import parsedate_to_datetime
from html import escape
from urllib.parse import unquote

from simweb.apis.answers import json_response
from simweb.hosts import PlainHost
from simweb.messages import Request, Response
from simweb.model import Page
from simweb.render import Renderer
from simweb.sites import ARCHIVE, archive_links, http_date, serve
from simweb.timeline import version_at

HOSTS = ("web.archive.org", "archive.org", "wayback.archive.org")

_SNAPSHOT = re.compile(r"/web/(?P<stamp>\d{4,14})(?P<raw>id_|if_)?/(?P<url>.+)", re.DOTALL)
_LINK = re.compile(r'(?P<before>(?:href|src|action)=")(?P<url>/[^/"][^"]*|/|https?://[^"]+)"')
_NOON = time(12, 0, tzinfo=UTC)
_TOOLBAR = (
    '<!-- BEGIN WAYBACK TOOLBAR INSERT --><div id="wm-ipp-base" lang="en"><div id="wm-ipp">'
    '<a href="/web/">Wayback Machine</a> {count} captures <span class="c">{day}</span></div></div>'
    "<!-- END WAYBACK TOOLBAR INSERT -->"
)


class Archive(PlainHost):
    """Answers for the pages that say on which days they were archived."""

    def __init__(self, pages: Iterable[Page], renderer: Renderer) -> None:
        self._pages = {_key(page.url): page for page in pages if page.archived}
        self._renderer = renderer

    def answer(self, request: Request) -> Response:
        target = request.target
        if request.path == "/wayback/available":
            return self._available(request.parameters())
        if target.startswith("/web/timemap/link/"):
            return self._timemap(target.removeprefix("/web/timemap/link/"))
        if target.startswith("/web/*/"):
            return self._calendar(target.removeprefix("/web/*/"))
        if match := _SNAPSHOT.fullmatch(target):
            return self._snapshot(match["stamp"], match["raw"], match["url"])
        if target.startswith("/web/http"):
            return self._timegate(target.removeprefix("/web/"), request.headers.get("accept-datetime", ""))
        return self.refuse(request, 404)

    def _timegate(self, url: str, wanted: str) -> Response:
        page = self._pages.get(_key(url))
        if page is None:
            return _not_archived(url)
        day = _day_of_header(wanted)
        chosen = page.archived[-1] if day is None else _nearest(page.archived, day)
        response = Response.redirect(_address(chosen, page.url), 302)
        return response.with_headers(vary="accept-datetime", link=f'<{page.url}>; rel="original"')

    def _snapshot(self, stamp: str, raw: str | None, url: str) -> Response:
        page = self._pages.get(_key(url))
        if page is None:
            return _not_archived(url)
        day = _nearest(page.archived, _day_of_stamp(stamp))
        version = version_at(page, day)
        if _stamp(day) != stamp:
            return Response.redirect(_address(day, page.url, raw or ""), 302)
        if version is None:
            return _not_archived(url)
        body, content_type = serve(version, self._renderer, ())
        if content_type.startswith("text/html") and raw is None:
            body = _framed(body.decode(version.charset), day, page).encode(version.charset, "xmlcharrefreplace")
        headers = {"content-type": content_type, "memento-datetime": _moment(day), "link": _links(page, day)}
        if version.changed is not None:
            headers["x-archive-orig-last-modified"] = http_date(version.changed)
        return Response(200, headers, body)

    def _timemap(self, url: str) -> Response:
        page = self._pages.get(_key(url))
        if page is None:
            return _not_archived(url)
        ends = {page.archived[0]: "first ", page.archived[-1]: "last "}
        lines = [
            f'<{page.url}>; rel="original"',
            f'<{ARCHIVE}/web/timemap/link/{page.url}>; rel="self"; type="application/link-format"; '
            f'from="{_moment(page.archived[0])}"; until="{_moment(page.archived[-1])}"',
            f'<{ARCHIVE}/web/{page.url}>; rel="timegate"',
            *(f'<{_address(day, page.url)}>; rel="{ends.get(day, "")}memento"; datetime="{_moment(day)}"'
              for day in page.archived),
        ]  # fmt: skip
        return Response.text(",\n".join(lines) + "\n", content_type="application/link-format")

    def _calendar(self, url: str) -> Response:
        page = self._pages.get(_key(url))
        if page is None:
            return _not_archived(url)
        days = "".join(
            f'<li><a href="/web/{_stamp(day)}/{escape(page.url)}">{day.isoformat()}</a></li>' for day in page.archived
        )
        return Response.html(
            f'<!DOCTYPE html><html lang="en"><head><title>Wayback Machine</title></head><body><h1>Saved '
            f'{len(page.archived)} times</h1><p>{escape(page.url)}</p><ul class="calendar">{days}</ul></body></html>'
        )

    def _available(self, asked: dict[str, str]) -> Response:
        url = asked.get("url", "")
        page = self._pages.get(_key(url))
        if page is None:
            return json_response({"url": url, "archived_snapshots": {}})
        stamp = asked.get("timestamp", "")
        day = _nearest(page.archived, _day_of_stamp(stamp)) if stamp.isdigit() else page.archived[-1]
        closest = {"status": "200", "available": True, "url": _address(day, page.url), "timestamp": _stamp(day)}
        return json_response({"url": url, "archived_snapshots": {"closest": closest}})


def _key(url: str) -> str:
    """Scheme, a single slash after it (as some clients write) and percent-encoding do not matter."""
    return unquote(re.sub(r"^https?:/+", "", url)).rstrip("/")


def _stamp(day: date) -> str:
    return f"{day:%Y%m%d}120000"


def _day_of_stamp(stamp: str) -> date:
    """The day of a full or shortened timestamp; a day that the calendar lacks is taken for the year's first."""
    padded = stamp + "00000101"[len(stamp) :] if len(stamp) < 8 else stamp
    try:
        return date(int(padded[:4]), int(padded[4:6]), int(padded[6:8]))
    except ValueError:
        return date(max(1, int(padded[:4])), 1, 1)


def _day_of_header(text: str) -> date | None:
    try:
        return parsedate_to_datetime(text).date()
    except ValueError:
        return None


def _nearest(days: Sequence[date], day: date) -> date:
    place = bisect_left(days, day)
    return min(days[max(0, place - 1) : place + 1], key=lambda one: abs((one - day).days))


def _moment(day: date) -> str:
    return datetime.combine(day, _NOON).strftime("%a, %d %b %Y %H:%M:%S GMT")


def _address(day: date, url: str, raw: str = "") -> str:
    return f"{ARCHIVE}/web/{_stamp(day)}{raw}/{url}"


def _links(page: Page, day: date) -> str:
    place = page.archived.index(day)
    named = {"first": 0, "prev": place - 1, "next": place + 1, "last": len(page.archived) - 1}
    relations: dict[int, list[str]] = {place: []}
    for name, number in named.items():
        if 0 <= number < len(page.archived):
            relations.setdefault(number, []).append(name)
    mementos = (
        f'<{_address(page.archived[number], page.url)}>; rel="{" ".join([*names, "memento"])}"; '
        f'datetime="{_moment(page.archived[number])}"'
        for number, names in sorted(relations.items())
    )
    return ", ".join([f'<{page.url}>; rel="original"', archive_links(page.url), *mementos])


def _framed(html: str, day: date, page: Page) -> str:
    """The page with the archive's bar on top and its links leading into the archive."""
    origin = f"https://{page.site.domain}"

    def rewrite(match: re.Match[str]) -> str:
        url = match["url"] if match["url"].startswith("http") else origin + match["url"]
        return f'{match["before"]}{_address(day, url)}"'

    toolbar = _TOOLBAR.format(count=len(page.archived), day=day.isoformat())
    head, body, rest = html.partition("<body")
    inside, close, rest = rest.partition(">")
    return _LINK.sub(rewrite, f"{head}{body}{inside}{close}") + toolbar + _LINK.sub(rewrite, rest)


def _not_archived(url: str) -> Response:
    return Response.html(
        '<!DOCTYPE html><html lang="en"><head><title>Wayback Machine</title></head><body><div id="error">'
        f"<h1>The Wayback Machine has not archived that URL.</h1><p>{escape(url)}</p></div></body></html>",
        404,
    )
