"""Mojeek's result pages (www.mojeek.com/search)."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from jinja2 import Environment
from markupsafe import Markup

from simweb.engines.index import Hit, Index
from simweb.engines.marking import mark
from simweb.hosts import PlainHost
from simweb.messages import Request, Response
from simweb.ranking import Weights

HOSTS = ("www.mojeek.com", "mojeek.com")
PAGE_SIZE = 10
# Another engine ranks otherwise: Mojeek's own index weighs titles less and long pages more kindly.
WEIGHTS = Weights(k1=1.1, b=0.35, title=2)

_AUTOMATED = """<!doctype html>
<html lang="en"><head><meta charset="UTF-8"><title>403 - Forbidden</title></head>
<body><h1>403 - Forbidden</h1>
<p>Sorry, your network appears to be sending automated queries, so we can't process your search right now.</p>
</body></html>
"""


class Mojeek(PlainHost):
    """Answers GET /search with `q` and, for later pages, `s` (the number of the first result)."""

    def __init__(self, index: Index, templates: Environment) -> None:
        self._index = index
        self._templates = templates

    def answer(self, request: Request) -> Response:
        if request.path != "/search":
            return self.refuse(request, 404)
        parameters = request.parameters()
        start = parameters.get("s", "1")
        first = max(1, int(start)) if start.isdigit() else 1
        return Response.html(self._results(parameters.get("q", ""), first))

    def challenge(self, request: Request) -> Response:
        return Response.html(_AUTOMATED, 403)

    def _results(self, query: str, first: int) -> str:
        hits = self._index.search(query)
        starts = range(1, len(hits) + 1, PAGE_SIZE)
        following = first + PAGE_SIZE
        return self._templates.get_template("engines/mojeek.html.j2").render(
            query=query,
            results=[_result(hit, query) for hit in hits[first - 1 : following - 1]],
            first=first,
            total=f"{len(hits):,}",
            pages=list(enumerate(starts, start=1)),
            next=following if following <= len(hits) else None,
        )


def _result(hit: Hit, query: str) -> dict[str, object]:
    document = hit.document
    steps = [step for step in unquote(urlsplit(document.url).path).split("/") if step]
    return {
        "url": document.url,
        "host": document.host,
        "crumbs": "".join(f" › {step}" for step in steps),
        "title": document.title,
        "snippet": Markup(mark(hit.snippet, query, "strong")),
    }
