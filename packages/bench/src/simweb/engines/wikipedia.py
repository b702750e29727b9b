"""Wikipedia as an engine: a site whose articles are found through its API and its own search page."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup

from simweb.apis.answers import bounded, json_response
from simweb.apis.papers import number_of
from simweb.engines.index import Hit, Index
from simweb.engines.marking import mark
from simweb.messages import Request, Response
from simweb.model import Page, Site
from simweb.render import Renderer
from simweb.sites import SiteHost

API_PATH = "/w/api.php"
SEARCH_PATH = "/w/index.php"


class WikipediaHost(SiteHost):
    """One language edition."""

    def __init__(
        self, site: Site, pages: Sequence[Page], renderer: Renderer, index: Index, templates: Environment
    ) -> None:
        super().__init__(site, pages, renderer)
        self._index = index
        self._templates = templates

    def answer(self, request: Request) -> Response:
        asked = request.parameters()
        if request.scheme == "https" and request.path == API_PATH:
            return self._api(asked)
        if request.scheme == "https" and request.path == SEARCH_PATH and "search" in asked:
            return self._search_page(asked["search"])
        return super().answer(request)

    def refuse(self, request: Request, status: int) -> Response:
        if request.path != API_PATH:
            return super().refuse(request, status)
        code = "ratelimited" if status == 429 else "internal_api_error"
        return json_response({"error": {"code": code, "info": f"HTTP {status}"}}, status)

    def challenge(self, request: Request) -> Response:
        return self.refuse(request, 429) if request.path == API_PATH else super().challenge(request)

    def _api(self, asked: dict[str, str]) -> Response:
        if asked.get("action") != "query" or asked.get("list") != "search":
            return _error("badvalue", "Only action=query with list=search is served.")
        query = asked.get("srsearch", "")
        if not query.strip():
            return _error("missingparam", 'The "srsearch" parameter must be set.')
        limit = bounded(asked.get("srlimit"), 10, 1, 500)
        start = bounded(asked.get("sroffset"), 0, 0, 10_000)
        hits = self._index.search(query)
        found = {
            "searchinfo": {"totalhits": len(hits)},
            "search": [_entry(hit, query) for hit in hits[start : start + limit]],
        }
        rest = {"continue": {"sroffset": start + limit, "continue": "-||"}} if len(hits) > start + limit else {}
        return json_response({"batchcomplete": True, **rest, "query": found})

    def _search_page(self, query: str) -> Response:
        template = self._templates.get_template("engines/wikipedia.html.j2")
        results = [
            {
                "path": f"/wiki/{quote(_title_in_path(hit.document.title))}",
                "title": hit.document.title,
                "snippet": Markup(mark(hit.snippet, query, "span")),
                "words": len(hit.document.text.split()),
            }
            for hit in self._index.search(query)
        ]
        return Response.html(template.render(query=query, results=results, site=self._site))


def _title_in_path(title: str) -> str:
    return title.replace(" ", "_")


def _error(code: str, info: str) -> Response:
    return json_response({"error": {"code": code, "info": info}})


def _entry(hit: Hit, query: str) -> dict[str, object]:
    document = hit.document
    snippet = mark(hit.snippet, query, "b").replace("<b>", '<span class="searchmatch">').replace("</b>", "</span>")
    return {
        "ns": 0,
        "title": document.title,
        "pageid": number_of(document.url, 7),
        "snippet": snippet,
        "timestamp": f"{document.date}T09:00:00Z" if document.date else "2020-01-01T00:00:00Z",
    }
