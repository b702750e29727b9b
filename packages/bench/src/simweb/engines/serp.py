"""What result pages have in common: a query, a place in the list, a template, an advertisement now and then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import quote_plus, unquote, urlsplit

from jinja2 import Environment
from markupsafe import Markup

from simweb.engines.index import Hit, Index
from simweb.engines.marking import mark
from simweb.hosts import PlainHost
from simweb.messages import Request, Response
from simweb.ranking import Weights

PAGE_SIZE = 10

_SHOP_WORDS = ("buy", "price", "order online", "通販")
_AD = {
    "domain": "www.voltbarn-direct.com",
    "url": "https://www.voltbarn-direct.com/sale",
    "title": "Chargers and Batteries - Official Store",
    "text": "Compare pads, cables and cells. Free shipping on orders over $35.",
}


@dataclass(frozen=True)
class Paging:
    """How an engine counts: `parameter` starts at `origin` and grows by one for every `step` results."""

    parameter: str
    origin: int = 0
    step: int = 1

    def offset(self, text: str | None) -> int:
        return max(0, int(text) - self.origin) * self.step if text and text.isdigit() else 0

    def value(self, offset: int) -> int:
        return self.origin + offset // self.step


class ResultsHost(PlainHost):
    """An engine; subclasses say where it is asked, how it counts, how it links and how it refuses."""

    id: ClassVar[str]
    hosts: ClassVar[tuple[str, ...]]
    path: ClassVar[str] = "/search"
    parameter: ClassVar[str] = "q"
    paging: ClassVar[Paging]
    weights: ClassVar[Weights] = Weights()

    def __init__(self, index: Index, templates: Environment) -> None:
        self._index = index
        self._templates = templates

    def answer(self, request: Request) -> Response:
        asked = request.parameters()
        if request.path != self.path or self.parameter not in asked:
            return self.home(request)
        offset = self.paging.offset(asked.get(self.paging.parameter))
        return Response.html(self._results(asked[self.parameter], offset))

    def home(self, request: Request) -> Response:
        """What other addresses give: the search form at the root, else 404."""
        if request.path not in ("/", self.path):
            return self.refuse(request, 404)
        return Response.html(
            f'<!DOCTYPE html><html lang="en"><head><title>{self.id.title()}</title></head><body>'
            f'<form action="{self.path}"><input name="{self.parameter}"><button>Search</button></form></body></html>'
        )

    def href(self, url: str) -> str:
        """The link that leads to a result; some engines put themselves in between."""
        return url

    def page(self, name: str, status: int = 200, **values: object) -> Response:
        """One of the engine's other pages."""
        template = self._templates.get_template(f"engines/{self.id}_{name}.html.j2")
        return Response.html(template.render(**values), status)

    def _results(self, query: str, offset: int) -> str:
        hits = self._index.search(query)
        following = offset + PAGE_SIZE
        is_shopping = offset == 0 and any(word in query.lower() for word in _SHOP_WORDS)
        return self._templates.get_template(f"engines/{self.id}.html.j2").render(
            query=query,
            results=[self._result(hit, query, offset + n) for n, hit in enumerate(hits[offset:following])],
            ad=_AD if hits and is_shopping else None,
            total=f"{len(hits):,}",
            next=self._address(query, following) if following < len(hits) else None,
        )

    def _address(self, query: str, offset: int) -> str:
        return f"{self.path}?{self.parameter}={quote_plus(query)}&{self.paging.parameter}={self.paging.value(offset)}"

    def _result(self, hit: Hit, query: str, number: int) -> dict[str, object]:
        document = hit.document
        steps = [step for step in unquote(urlsplit(document.url).path).split("/") if step]
        return {
            "number": number,
            "href": self.href(document.url),
            "url": document.url,
            "host": document.host,
            "site": document.site_name or document.host,
            "crumbs": "".join(f" › {step}" for step in steps),
            "title": document.title,
            "snippet": Markup(mark(hit.snippet, query, "strong")),
            "date": document.date,
            "is_pdf": document.file_type == "pdf",
        }
