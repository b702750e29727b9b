"""An engine: how a query is put to it, and how its page is read without confusing empty, blocked and failed."""

from typing import Protocol
from urllib.parse import urlencode

from lyra.model.page import FetchRequest, Lane
from lyra.model.search import EngineAnswer, Outcome, SerpItem
from lyra.search.normalise import Rendered, parse, render
from lyra.search.reading import Found, ResultPage, is_nested_too_deeply
from lyra.search.selectors import EngineSpec, Transport

_FORM = ("content-type", "application/x-www-form-urlencoded")


class Engine(Protocol):
    """What the federation knows of an engine."""

    @property
    def id(self) -> str: ...

    @property
    def weight(self) -> float: ...

    @property
    def transport(self) -> Transport: ...

    def rendered(self, query: str) -> Rendered:
        """The query as this engine understands it."""

    def url_for(self, query: str) -> FetchRequest:
        """The request that asks the query."""

    def parse(self, html: str, query: str) -> EngineAnswer:
        """The answer on a page; never raises for what the page holds."""


class PageEngine:
    """An engine described by data alone."""

    def __init__(self, spec: EngineSpec) -> None:
        self._spec = spec

    @property
    def id(self) -> str:
        return self._spec.id

    @property
    def weight(self) -> float:
        return self._spec.weight

    @property
    def transport(self) -> Transport:
        return self._spec.transport

    def rendered(self, query: str) -> Rendered:
        return render(parse(query), self._spec.dialect)

    def url_for(self, query: str) -> FetchRequest:
        text = self.rendered(query).text
        encoded = urlencode([(name, value.replace("{query}", text)) for name, value in self._spec.parameters])
        gate = f"engine:{self.id}"
        if self._spec.method == "POST":
            return FetchRequest(
                self._spec.address, Lane.SERP, gate, method="POST", body=encoded.encode(), headers=(_FORM,)
            )
        return FetchRequest(f"{self._spec.address}?{encoded}", Lane.SERP, gate)

    def parse(self, html: str, query: str) -> EngineAnswer:
        if "<" not in html or "\x00" in html[:1000]:
            return self._without_results(query, Outcome.FAILED, "The answer is not HTML.")
        if is_nested_too_deeply(html):
            return self._without_results(query, Outcome.FAILED, "The page nests elements without end.")
        page = ResultPage(html, self._spec)
        if found := page.found:
            marker = page.sign(self._spec.altered)
            note = f"The engine answered another query than the one asked ({marker})." if marker else None
            return EngineAnswer(self.id, query, Outcome.RESULTS, self._items(found), reason=note)
        if marker := page.sign(self._spec.blocked):
            return self._without_results(query, Outcome.BLOCKED, f"The engine refuses ({marker}).")
        if marker := page.sign(self._spec.empty):
            return self._without_results(query, Outcome.EMPTY, f"The engine found nothing ({marker}).")
        if marker := page.sign(self._spec.challenge):
            return self._without_results(query, Outcome.BLOCKED, f"The engine asks for a human ({marker}).")
        return self._drifted(page, query)

    def _drifted(self, page: ResultPage, query: str) -> EngineAnswer:
        """The selectors found nothing and no sign says why: read by structure, or say what failed."""
        if found := page.found_by_structure:
            note = f"The page has drifted and was read by structure: {page.trouble}."
            return EngineAnswer(self.id, query, Outcome.RESULTS, self._items(found), reason=note)
        about = f"Page {page.title[:80]!r} shows neither results nor a sign that there are none: {page.trouble}."
        return self._without_results(query, Outcome.FAILED, about)

    def _without_results(self, query: str, outcome: Outcome, reason: str) -> EngineAnswer:
        return EngineAnswer(self.id, query, outcome, reason=reason)

    def _items(self, found: tuple[Found, ...]) -> tuple[SerpItem, ...]:
        unique = dict.fromkeys(found)
        return tuple(
            SerpItem(item.title, item.url, item.snippet, self.id, rank, item.date)
            for rank, item in enumerate(unique, start=1)
        )
