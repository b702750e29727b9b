"""Marginalia: result pages of small sites first, the open API, and the words with which it slows visitors down."""

from __future__ import annotations

from urllib.parse import unquote

from simweb.apis.answers import bounded, json_response
from simweb.engines.index import Index
from simweb.engines.serp import PAGE_SIZE, Paging, ResultsHost
from simweb.hosts import PlainHost
from simweb.messages import Request, Response
from simweb.ranking import Weights

API_HOSTS = ("api.marginalia.nu",)


class Marginalia(ResultsHost):
    """Answers /search with `query` and `page`."""

    id = "marginalia"
    hosts = ("marginalia-search.com", "www.marginalia-search.com", "search.marginalia.nu", "old-search.marginalia.nu")
    parameter = "query"
    paging = Paging("page", origin=1, step=PAGE_SIZE)
    weights = Weights(k1=1.2, b=0.9, title=2)

    def challenge(self, request: Request) -> Response:
        return self.page("challenge", 429)


class MarginaliaApi(PlainHost):
    """GET /{key}/search/{query}?count=&index=, as JSON."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def answer(self, request: Request) -> Response:
        key, _, rest = request.path.lstrip("/").partition("/search/")
        if not key or not rest:
            return self.refuse(request, 404)
        asked = request.parameters()
        count = bounded(asked.get("count"), 20, 1, 100)
        query = unquote(rest)
        results = [
            {
                "url": hit.document.url,
                "title": hit.document.title,
                "description": hit.snippet,
                "quality": 5.0,
                "details": [],
            }
            for hit in self._index.search(query)[:count]
        ]
        return json_response({"license": "CC-BY-NC-SA-4.0", "query": query, "results": results})

    def challenge(self, request: Request) -> Response:
        return Response.text("Slow down\n", 503)
