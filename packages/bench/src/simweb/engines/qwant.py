"""Qwant: result pages, the puzzle of its guard, and the words with which it turns countries away."""

from __future__ import annotations

from simweb.engines.serp import PAGE_SIZE, Paging, ResultsHost
from simweb.messages import Request, Response
from simweb.ranking import Weights
from simweb.walls import Wall


class Qwant(ResultsHost):
    """Answers / with `q` and `p`."""

    id = "qwant"
    hosts = ("www.qwant.com", "qwant.com")
    path = "/"
    paging = Paging("p", origin=1, step=PAGE_SIZE)
    weights = Weights(k1=1.0, b=0.6, title=3)

    def challenge(self, request: Request) -> Response:
        return self.page("challenge", 403)

    def wall(self, kind: Wall, request: Request) -> Response:
        return self.challenge(request) if kind == "captcha" else super().wall(kind, request)

    def refuse(self, request: Request, status: int) -> Response:
        """451 is how it says that the country is not served."""
        return self.page("unavailable", 200) if status == 451 else super().refuse(request, status)
