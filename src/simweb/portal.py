"""The door for people: a page that lists every site, page and engine of the simulated web (http://simweb.test/)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from simweb.hosts import PlainHost
from simweb.messages import Request, Response
from simweb.model import Topic

HOSTS = ("simweb.test",)

_ENGINES = (
    ("DuckDuckGo", "https://html.duckduckgo.com/html/?q="),
    ("Mojeek", "https://www.mojeek.com/search?q="),
    ("Google", "https://www.google.com/search?q="),
    ("Bing", "https://www.bing.com/search?q="),
    ("Brave", "https://search.brave.com/search?q="),
    ("Startpage", "https://www.startpage.com/sp/search?query="),
    ("Ecosia", "https://www.ecosia.org/search?q="),
    ("Qwant", "https://www.qwant.com/?q="),
    ("Marginalia", "https://marginalia-search.com/search?query="),
    ("Wikipedia", "https://en.wikipedia.org/w/index.php?search="),
)


class Portal(PlainHost):
    """Lists the world; `ca_pem` gives the certificate that a browser must trust."""

    def __init__(self, topics: Sequence[Topic], ca_pem: Callable[[], bytes]) -> None:
        self._topics = topics
        self._ca_pem = ca_pem

    def answer(self, request: Request) -> Response:
        if request.path == "/ca.pem":
            return Response(200, {"content-type": "application/x-x509-ca-cert"}, self._ca_pem())
        if request.path != "/":
            return self.refuse(request, 404)
        return Response.html(self._home())

    def _home(self) -> str:
        engines = "".join(f'<li><a href="{url}wireless+charging">{name}</a></li>' for name, url in _ENGINES)
        topics = "".join(_topic(topic) for topic in self._topics)
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>The simulated web</title></head>\n'
            "<body><h1>The simulated web</h1><p>Everything here is invented. Trust its certificate authority: "
            f'<a href="/ca.pem">ca.pem</a>.</p><h2>Search engines</h2><ul>{engines}</ul>{topics}</body></html>\n'
        )


def _topic(topic: Topic) -> str:
    rows = "".join(
        f'<li><a href="{escape(page.url)}">{escape(page.title)}</a> <small>{page.site.domain}</small></li>'
        for page in topic.pages
    )
    return f"<h2>{escape(topic.title)}</h2><ul>{rows}</ul>"
