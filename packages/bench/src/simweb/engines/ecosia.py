"""Ecosia: result pages, and the puzzle that Cloudflare sets before them."""

from __future__ import annotations

from simweb.engines.serp import PAGE_SIZE, Paging, ResultsHost
from simweb.messages import Request, Response
from simweb.ranking import Weights
from simweb.walls import Wall


class Ecosia(ResultsHost):
    """Answers /search with `q` and `p` (counted from 0)."""

    id = "ecosia"
    hosts = ("www.ecosia.org", "ecosia.org")
    paging = Paging("p", step=PAGE_SIZE)
    weights = Weights(k1=1.3, b=0.7, title=4)

    def challenge(self, request: Request) -> Response:
        return self.page("challenge", 403).with_headers(cf_mitigated="challenge", server="cloudflare")

    def wall(self, kind: Wall, request: Request) -> Response:
        return self.challenge(request) if kind == "captcha" else super().wall(kind, request)
