"""Brave Search: result pages, and the page that makes the visitor prove work."""

from __future__ import annotations

from simweb.engines.serp import PAGE_SIZE, Paging, ResultsHost
from simweb.messages import Request, Response
from simweb.ranking import Weights
from simweb.walls import Wall


class Brave(ResultsHost):
    """Answers /search with `q` and `offset` (a number of pages)."""

    id = "brave"
    hosts = ("search.brave.com",)
    paging = Paging("offset", step=PAGE_SIZE)
    weights = Weights(k1=1.6, b=0.4, title=3)

    def challenge(self, request: Request) -> Response:
        return self.page("challenge", 429, query=request.parameters().get("q", ""))

    def wall(self, kind: Wall, request: Request) -> Response:
        return self.challenge(request) if kind == "captcha" else super().wall(kind, request)
