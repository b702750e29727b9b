"""The door for people: lists every site, page, engine and fault of the simulated web (http://simweb.test/).

Faults can be set from here, by a form or by a program in another process: POST /faults with `pattern` and `kind`
(and any other field of `Fault`), POST /faults/clear with or without `pattern`; GET /faults gives them as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from html import escape

from simweb.apis.answers import json_response
from simweb.faults import KINDS, Fault, Faults
from simweb.hosts import PlainHost
from simweb.messages import Request, Response
from simweb.model import Page, Site, Topic

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
_STYLE = "body{font-family:sans-serif;max-width:70rem;margin:1rem auto}small{color:#666}table{border-collapse:collapse}"
_NUMBERS: dict[str, type[int] | type[float]] = {
    "status": int, "retry_after_s": int, "after_bytes": int, "expanded_bytes": int, "times": int,
    "delay_s": float, "pause_s": float, "share": float,
}  # fmt: skip


class Portal(PlainHost):
    """Lists the world; `ca_pem` gives the certificate that a browser must trust."""

    def __init__(self, topics: Sequence[Topic], ca_pem: Callable[[], bytes], faults: Faults | None = None) -> None:
        self._topics = topics
        self._ca_pem = ca_pem
        self._faults = Faults() if faults is None else faults

    def answer(self, request: Request) -> Response:
        match request.method, request.path:
            case "POST", "/faults":
                return self._set(request.parameters())
            case "POST", "/faults/clear":
                self._faults.clear(request.parameters().get("pattern") or None)
                return Response.redirect("http://simweb.test/", 303)
            case _, "/faults":
                return json_response([{"pattern": pattern, **asdict(fault)} for pattern, fault in self._in_force()])
            case _, "/ca.pem":
                return Response(200, {"content-type": "application/x-x509-ca-cert"}, self._ca_pem())
            case _, "/":
                return Response.html(self._home())
        return self.refuse(request, 404)

    def _set(self, given: dict[str, str]) -> Response:
        names = {field.name for field in fields(Fault)}
        try:
            chosen = {name: _NUMBERS.get(name, str)(value) for name, value in given.items() if name in names and value}
            self._faults.set(given["pattern"], Fault(**chosen))  # type: ignore[arg-type]  # checked by Fault itself
        except (KeyError, TypeError, ValueError) as exc:
            return Response.text(f"not a fault: {exc}; give pattern=host[/path] and kind={'|'.join(KINDS)}\n", 400)
        return Response.redirect("http://simweb.test/", 303)

    def _in_force(self) -> tuple[tuple[str, Fault], ...]:
        return self._faults.in_force()

    def _home(self) -> str:
        engines = "".join(f'<li><a href="{url}wireless+charging">{name}</a></li>' for name, url in _ENGINES)
        topics = "".join(_topic(topic) for topic in self._topics)
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>The simulated web</title>'
            f"<style>{_STYLE}</style></head>\n<body><h1>The simulated web</h1><p>Everything here is invented. "
            'Trust its certificate authority: <a href="/ca.pem">ca.pem</a>.</p>'
            f"<h2>Search engines</h2><ul>{engines}</ul>{_fault_table(self._in_force())}{topics}</body></html>\n"
        )


def _fault_table(rules: Sequence[tuple[str, Fault]]) -> str:
    rows = "".join(
        f"<tr><td>{escape(pattern)}</td><td>{fault.kind}</td><td>{escape(_details(fault))}</td></tr>"
        for pattern, fault in rules
    )
    kinds = "".join(f"<option>{kind}</option>" for kind in KINDS)
    return (
        f"<h2>Faults in force</h2><table><tr><th>where</th><th>kind</th><th>details</th></tr>{rows}</table>"
        '<form action="/faults" method="post"><input name="pattern" placeholder="www.example.org/path*" required> '
        f'<select name="kind">{kinds}</select> <button>Set</button></form>'
        '<form action="/faults/clear" method="post"><button>Lift those that were set</button></form>'
    )


def _details(fault: Fault) -> str:
    plain = Fault(fault.kind)
    changed = (field.name for field in fields(fault) if getattr(fault, field.name) != getattr(plain, field.name))
    return ", ".join(f"{name} {getattr(fault, name)}" for name in changed)


def _topic(topic: Topic) -> str:
    sites = "".join(_site(site, [page for page in topic.pages if page.site == site]) for site in topic.sites)
    return f"<h2>{escape(topic.title)}</h2>{sites}"


def _site(site: Site, pages: Sequence[Page]) -> str:
    home = f"https://{site.domain}"
    rules = [f"no entry {path}" for path in site.robots.disallow]
    rules += [f"crawl delay {site.robots.crawl_delay_s:g} s"] if site.robots.crawl_delay_s else []
    rules += ["soft 404"] if site.has_soft_404 else []
    rules += [f"not in {engine}" for engine in site.hidden_from]
    rows = "".join(_row(page) for page in pages)
    return (
        f'<h3>{escape(site.name)} <small>{site.domain} · {site.kind} · <a href="{home}/sitemap.xml">sitemap</a> · '
        f'<a href="{home}/robots.txt">robots</a> {escape(" · ".join(["", *rules]))}</small></h3><ul>{rows}</ul>'
    )


def _row(page: Page) -> str:
    marks = [page.format] if page.format != "html" else []
    marks += ["gone"] if page.is_gone else []
    marks += [f"{len(page.earlier)} earlier versions"] if page.earlier else []
    marks += [_snapshots(page)] if page.archived else []
    marks += ["hidden text"] if page.hidden else []
    marks += [page.charset] if page.charset != "utf-8" else []
    shown = f" <small>{' · '.join(marks)}</small>" if marks else ""
    return f'<li><a href="{escape(page.url)}">{escape(page.title)}</a>{shown}</li>'


def _snapshots(page: Page) -> str:
    return f'<a href="https://web.archive.org/web/*/{escape(page.url)}">archived {len(page.archived)} times</a>'
