"""An ordinary web site: its pages, its home page, robots.txt, sitemap, redirects and 404s."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from urllib.parse import unquote
from xml.sax.saxutils import escape

from simweb import walls
from simweb.apis.answers import json_response
from simweb.engines.index import Document, Index
from simweb.files.digital import digital_pdf
from simweb.files.scanned import scanned_pdf
from simweb.hosts import PlainHost
from simweb.markdown import to_html
from simweb.messages import Request, Response
from simweb.model import Page, Site
from simweb.render import Renderer, data_path, encode

ARCHIVE = "https://web.archive.org"

_XML = "application/xml; charset=utf-8"
# Where the links of navigation and footer lead: every such page lists what the site has.
_FURNITURE = frozenset(("/", "/about", "/accessibility", "/contact", "/privacy", "/search", "/subscribe", "/terms"))
_STYLE = "body{font-family:sans-serif;max-width:60rem;margin:auto}\n"


class SiteHost(PlainHost):
    """Answers for one site; plain http is sent on to https."""

    def __init__(self, site: Site, pages: Sequence[Page], renderer: Renderer) -> None:
        self._site = site
        self._pages = {page.path: page for page in pages}
        self._listed = [page for page in pages if page.kind != "unlinked" and not page.is_gone]
        self._moved = dict(site.moved)
        self._data = {unquote(data_path(page)): page for page in pages if page.format == "fetched"}
        self._renderer = renderer

    def answer(self, request: Request) -> Response:
        if request.scheme == "http":
            return Response.redirect(f"https://{request.host}{request.target}")
        if request.method not in ("GET", "HEAD"):
            return self.refuse(request, 405)
        path = unquote(request.path)
        if path in self._pages:
            page = self._pages[path]
            return self.refuse(request, 410) if page.is_gone else self._page(page)
        if path in self._moved:
            return Response.redirect(self._moved[path])
        if path == walls.LOGIN_PATH:
            return walls.login(request)
        if path == "/search" and request.parameters().get("q", "").strip():
            return self._search(request.parameters()["q"])
        return self._service_page(path)

    def wall(self, kind: walls.Wall, request: Request) -> Response:
        page = self._pages.get(unquote(request.path))
        if kind == "paywall" and page is not None:
            return Response.html(self._renderer.teaser(page, self._listed))
        return walls.wall(kind, request)

    def _service_page(self, path: str) -> Response:
        if path == "/robots.txt":
            return Response.text(robots_txt(self._site))
        if path == "/sitemap.xml":
            return Response.text(sitemap_xml(self._listed), content_type=_XML)
        if path in self._data:
            return json_response({"blocks": to_html(self._data[path].blocks).split("\n")})
        if path == "/static/site.css":
            return Response.text(_STYLE, content_type="text/css")
        if path in _FURNITURE or path.startswith("/sections/"):
            return Response.html(self._renderer.listing(self._site, self._listed))
        status = 200 if self._site.has_soft_404 else 404
        return Response.html(self._renderer.missing(self._site, path), status)

    def _search(self, query: str) -> Response:
        documents = (Document(page.url, page.title, page.text, page.changed) for page in self._listed)
        return Response.html(self._renderer.found(self._site, query, Index(documents).search(query)))

    def _page(self, page: Page) -> Response:
        body, content_type = serve(page, self._renderer, self._listed)
        headers = {"content-type": content_type}
        if page.changed is not None:
            headers["last-modified"] = http_date(page.changed)
        if page.archived:
            headers["link"] = archive_links(page.url)
        return Response(200, headers, body)


def serve(page: Page, renderer: Renderer, siblings: Sequence[Page]) -> tuple[bytes, str]:
    """The bytes of a page in its format, and their content type."""
    match page.format:
        case "pdf":
            return digital_pdf(page), "application/pdf"
        case "scan":
            return scanned_pdf(page), "application/pdf"
    return encode(renderer.page(page, siblings), page)


def archive_links(url: str) -> str:
    """Where a page says that its past can be read (RFC 7089)."""
    return (
        f'<{ARCHIVE}/web/{url}>; rel="timegate", '
        f'<{ARCHIVE}/web/timemap/link/{url}>; rel="timemap"; type="application/link-format"'
    )


def http_date(day: date) -> str:
    return format_datetime(datetime.combine(day, time(9, 0), UTC), usegmt=True)


def robots_txt(site: Site) -> str:
    """One group for every robot, and where the sitemap is."""
    lines = ["User-agent: *"]
    lines += [f"Disallow: {path}" for path in site.robots.disallow] or ["Disallow:"]
    if site.robots.crawl_delay_s is not None:
        lines.append(f"Crawl-delay: {site.robots.crawl_delay_s:g}")
    return "\n".join([*lines, "", f"Sitemap: https://{site.domain}/sitemap.xml", ""])


def sitemap_xml(pages: Sequence[Page]) -> str:
    entries = "".join(f"<url><loc>{escape(page.url)}</loc>{_lastmod(page)}</url>\n" for page in pages)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n'
    )


def _lastmod(page: Page) -> str:
    return f"<lastmod>{page.changed.isoformat()}</lastmod>" if page.changed else ""
