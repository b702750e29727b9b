"""Google: result pages, the "sorry" page with its CAPTCHA, the script gate, and the consent page on its own host."""

from __future__ import annotations

from urllib.parse import quote

from simweb.engines.serp import Paging, ResultsHost
from simweb.hosts import PlainHost
from simweb.messages import Request, Response
from simweb.ranking import Weights
from simweb.walls import Wall

CONSENT_HOSTS = ("consent.google.com",)


class Google(ResultsHost):
    """Answers /search with `q` and `start`, and /url redirects."""

    id = "google"
    hosts = ("www.google.com", "google.com")
    paging = Paging("start")
    weights = Weights(k1=1.5, b=0.75, title=4)

    def answer(self, request: Request) -> Response:
        if request.path == "/url":
            asked = request.parameters()
            return Response.redirect(asked.get("q") or asked.get("url") or "/", 302)
        if request.path == "/sorry/index":
            return self._sorry(request)
        return super().answer(request)

    def href(self, url: str) -> str:
        """Every other address goes through /url, as in Google's page without scripts."""
        return f"/url?q={quote(url, safe='')}&sa=U&usg=AOvVaw0simulated" if len(url) % 2 else url

    def challenge(self, request: Request) -> Response:
        """Unusual traffic: every address leads to the sorry page."""
        if request.path == "/sorry/index":
            return self._sorry(request)
        return Response.redirect(f"https://www.google.com/sorry/index?continue={quote(request.url, safe='')}", 302)

    def wall(self, kind: Wall, request: Request) -> Response:
        if kind == "captcha":
            return self._sorry(request)
        if kind == "script_gate":
            return self.page("script_gate", query=request.parameters().get("q", ""))
        if kind == "consent":
            return Response.redirect(f"https://{CONSENT_HOSTS[0]}/ml?continue={quote(request.url, safe='')}", 302)
        return super().wall(kind, request)

    def _sorry(self, request: Request) -> Response:
        return self.page("sorry", 429, url=request.parameters().get("continue", request.url))


class GoogleConsent(PlainHost):
    """The question about cookies, asked before the first search."""

    def __init__(self, google: Google) -> None:
        self._google = google

    def answer(self, request: Request) -> Response:
        return self._google.page("consent", url=request.parameters().get("continue", "https://www.google.com/"))
