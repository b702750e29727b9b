"""Startpage: result pages, and the page that speaks of suspicious traffic."""

from __future__ import annotations

from simweb.engines.serp import PAGE_SIZE, Paging, ResultsHost
from simweb.messages import Request, Response
from simweb.ranking import Weights
from simweb.walls import Wall


class Startpage(ResultsHost):
    """Answers /sp/search with `query` and `page`."""

    id = "startpage"
    hosts = ("www.startpage.com", "startpage.com")
    path = "/sp/search"
    parameter = "query"
    paging = Paging("page", origin=1, step=PAGE_SIZE)
    weights = Weights(k1=1.5, b=0.75, title=3)

    def challenge(self, request: Request) -> Response:
        """Every address leads to the puzzle."""
        if request.path == "/sp/captcha":
            return self.page("challenge", query=request.parameters().get("query", ""))
        return Response.redirect("https://www.startpage.com/sp/captcha", 302)

    def wall(self, kind: Wall, request: Request) -> Response:
        if kind == "captcha":
            return self.page("challenge", query=request.parameters().get("query", ""))
        return super().wall(kind, request)

    def answer(self, request: Request) -> Response:
        if request.path == "/sp/captcha":
            return self.page("challenge", query="")
        return super().answer(request)
