"""Bing: result pages whose links go through /ck/a, and the page that asks for a puzzle."""

from __future__ import annotations

import base64
from urllib.parse import quote

from simweb.engines.serp import Paging, ResultsHost
from simweb.messages import Request, Response
from simweb.ranking import Weights
from simweb.walls import Wall


class Bing(ResultsHost):
    """Answers /search with `q` and `first`, and /ck/a redirects."""

    id = "bing"
    hosts = ("www.bing.com", "bing.com")
    paging = Paging("first", origin=1)
    weights = Weights(k1=1.2, b=0.5, title=5)

    def answer(self, request: Request) -> Response:
        if request.path == "/ck/a":
            return Response.redirect(_unpacked(request.parameters().get("u", "")), 302)
        return super().answer(request)

    def href(self, url: str) -> str:
        packed = base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")
        return f"https://www.bing.com/ck/a?!&&p=simulated&u=a1{quote(packed)}&ntb=1"

    def challenge(self, request: Request) -> Response:
        return self.page("challenge", query=request.parameters().get("q", ""))

    def wall(self, kind: Wall, request: Request) -> Response:
        return self.challenge(request) if kind == "captcha" else super().wall(kind, request)


def _unpacked(value: str) -> str:
    packed = value.removeprefix("a1")
    try:
        return base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode()
    except ValueError:
        return "/"
