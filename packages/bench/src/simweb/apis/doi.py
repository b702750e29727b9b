"""The DOI resolver (doi.org): sends a DOI on to its landing page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import unquote

from simweb.hosts import PlainHost
from simweb.messages import Request, Response
from simweb.model import Page, Paper

HOSTS = ("doi.org", "dx.doi.org")


class DoiResolver(PlainHost):
    """302 to the publisher's page, else to PubMed; 404 for a DOI that nobody has registered."""

    def __init__(self, papers: Iterable[Paper], pages: Sequence[Page]) -> None:
        landing = {page.paper.id: page.url for page in reversed(pages) if page.paper is not None}
        self._targets = {paper.doi.lower(): landing[paper.id] for paper in papers if paper.id in landing}

    def answer(self, request: Request) -> Response:
        target = self._targets.get(unquote(request.path).lstrip("/").lower())
        if target is None:
            return Response.html(
                "<html><head><title>Error: DOI Not Found</title></head><body><h1>DOI Not Found"
                "</h1><p>This DOI cannot be found in the DOI System.</p></body></html>",
                404,
            )
        return Response.redirect(target, 302)
