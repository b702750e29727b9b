"""DuckDuckGo's page without scripts (html.duckduckgo.com), its redirect links and its anomaly page."""

from __future__ import annotations

import hashlib
from urllib.parse import quote, urlsplit

from jinja2 import Environment
from markupsafe import Markup

from simweb.engines.index import Hit, Index
from simweb.engines.marking import mark
from simweb.hosts import PlainHost
from simweb.messages import Request, Response

HOSTS = ("html.duckduckgo.com", "duckduckgo.com")
PAGE_SIZE = 10

_SHOP_WORDS = ("buy", "price", "order online", "通販")
_AD = {
    "domain": "www.glucoshop-direct.com",
    "title": "Glucose Monitors - Official Store",
    "text": "Compare meters and strips. Free shipping on orders over $35.",
}


class DuckDuckGo(PlainHost):
    """Answers GET and POST on /html/, and /l/ redirects."""

    def __init__(self, index: Index, templates: Environment) -> None:
        self._index = index
        self._templates = templates

    def answer(self, request: Request) -> Response:
        parameters = request.parameters()
        if request.path == "/l/":
            return Response.redirect(parameters.get("uddg", "/"), 302)
        if request.path not in ("/html", "/html/"):
            return self.refuse(request, 404)
        return Response.html(self._results(parameters.get("q", ""), _offset(parameters.get("s", "0"))))

    def challenge(self, request: Request) -> Response:
        page = self._templates.get_template("engines/duckduckgo_anomaly.html.j2")
        return Response.html(page.render(query=request.parameters().get("q", "")), 202)

    def _results(self, query: str, offset: int) -> str:
        hits = self._index.search(query)
        is_shopping = offset == 0 and any(word in query.lower() for word in _SHOP_WORDS)
        return self._templates.get_template("engines/duckduckgo.html.j2").render(
            query=query,
            results=[_result(hit, query) for hit in hits[offset : offset + PAGE_SIZE]],
            ad=_AD if hits and is_shopping else None,
            previous=max(0, offset - PAGE_SIZE) if offset else None,
            next=offset + PAGE_SIZE if len(hits) > offset + PAGE_SIZE else None,
            vqd=str(int(_digest(query), 16))[:38],
        )


def _offset(text: str) -> int:
    return int(text) if text.isdigit() else 0


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _result(hit: Hit, query: str) -> dict[str, object]:
    document = hit.document
    parts = urlsplit(document.url)
    return {
        "href": f"//duckduckgo.com/l/?uddg={quote(document.url, safe='')}&rut={_digest(document.url)}",
        "host": document.host,
        "shown_url": f"{document.host}{parts.path}",
        "title": document.title,
        "snippet": Markup(mark(hit.snippet, query, "b")),
        "date": document.date.isoformat() if document.date else "",
    }
