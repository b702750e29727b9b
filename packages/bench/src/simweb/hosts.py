"""What a host of the simulated web is: something that answers, and refuses in its own words."""

from __future__ import annotations

from html import escape
from http import HTTPStatus
from typing import Protocol

from simweb import walls
from simweb.doors import verify_box
from simweb.messages import Request, Response
from simweb.walls import Wall


class Host(Protocol):
    """One kind of server; several names may lead to it."""

    def answer(self, request: Request) -> Response:
        """The answer of a host in good health."""

    def refuse(self, request: Request, status: int) -> Response:
        """The host's error page (or error object) for a status."""

    def challenge(self, request: Request) -> Response:
        """What the host shows to a visitor whom it takes for a robot."""

    def wall(self, kind: Wall, request: Request) -> Response:
        """What stands before the host's pages: a puzzle, a log-in, a price, a question."""


class PlainHost:
    """Refusals as an ordinary web server words them; subclasses answer."""

    def refuse(self, request: Request, status: int) -> Response:
        phrase = HTTPStatus(status).phrase
        return Response.html(
            f"<!DOCTYPE html>\n<html><head><title>{status} {phrase}</title></head>\n"
            f"<body><center><h1>{status} {phrase}</h1></center><hr><center>nginx</center></body></html>\n",
            status,
        )

    def wall(self, kind: Wall, request: Request) -> Response:
        return walls.wall(kind, request)

    def challenge(self, request: Request) -> Response:
        return Response.html(
            '<!DOCTYPE html>\n<html lang="en-US"><head><title>Just a moment...</title>'
            '<meta name="robots" content="noindex,nofollow"></head>\n'
            '<body><div class="main-wrapper" role="main"><div class="main-content">'
            f'<h1 class="zone-name-title h1">{escape(request.host)}</h1>'
            '<h2 class="h2" id="challenge-running">Checking if the site connection is secure</h2>'
            '<form id="challenge-form" action="/verify?__cf_chl_f_tk=simulated" method="POST">'
            f"{verify_box('challenge', request)}</form>"
            "<noscript>Enable JavaScript and cookies to continue</noscript>"
            "</div></div></body></html>\n",
            403,
            {"cf-mitigated": "challenge", "server": "cloudflare"},
        )


SOFT_404 = """<!DOCTYPE html>
<html lang="en"><head><title>Page not found</title></head>
<body><main><h1>Sorry, we could not find that page</h1>
<p>The page you are looking for may have been moved or deleted.
Try the search box or return to the home page.</p>
</main></body></html>
"""
