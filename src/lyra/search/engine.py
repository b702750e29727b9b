"""An engine: how a query is put to it, and how its page is read without confusing empty, blocked and failed."""

from datetime import date
from typing import Protocol
from urllib.parse import urlencode

from lyra.model.page import FetchLane, FetchRequest
from lyra.model.search import EngineAnswer, SearchOutcome, SerpItem
from lyra.search.normalise import Rendered, parse, render
from lyra.search.reading import Found, ResultPage, is_nested_too_deeply
from lyra.search.selectors import EngineSpec, Marker, Transport

_FORM = ("content-type", "application/x-www-form-urlencoded")
# SPEC §3: engines with plain pages are asked over plain HTTP and never over Tor, the others through the browser.
RUNGS = {Transport.HTTP: ("http",), Transport.BROWSER: ("headless", "headful")}


class Engine(Protocol):
    """What the federation knows of an engine."""

    @property
    def id(self) -> str: ...

    @property
    def weight(self) -> float: ...

    @property
    def transport(self) -> Transport: ...

    @property
    def quota_per_day(self) -> int | None:
        """Requests a day at most; none where politeness alone limits them."""

    @property
    def is_last_mile(self) -> bool:
        """Whether it is asked only where the others found too little."""

    @property
    def has_pages(self) -> bool:
        """Whether further pages of an answer can be asked for."""

    def strength(self, category: str) -> float:
        """How well it serves a category of questions; 1 is neither well nor badly."""

    def rendered(self, query: str) -> Rendered:
        """The query as this engine understands it."""

    def url_for(self, query: str, page: int = 1) -> FetchRequest:
        """The request that asks the query."""

    def parse(self, html: str, query: str, today: date | None = None) -> EngineAnswer:
        """The answer on a page read that day; never raises for what the page holds."""


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

    @property
    def quota_per_day(self) -> int | None:
        return self._spec.quota_per_day

    @property
    def is_last_mile(self) -> bool:
        return self._spec.is_last_mile

    @property
    def has_pages(self) -> bool:
        return self._spec.paging is not None

    def strength(self, category: str) -> float:
        return dict(self._spec.strengths).get(category, 1.0)

    def rendered(self, query: str) -> Rendered:
        return render(parse(query), self._spec.dialect)

    def url_for(self, query: str, page: int = 1) -> FetchRequest:
        text = self.rendered(query).text
        asked = [(name, value.replace("{query}", text)) for name, value in self._spec.parameters]
        if page > 1 and self._spec.paging is not None:
            asked.append((self._spec.paging.parameter, self._spec.paging.value(page)))
        encoded = urlencode(asked)
        gate = f"engine:{self.id}"
        rungs = RUNGS[self._spec.transport]
        if self._spec.method == "POST":
            body = encoded.encode()
            address = self._spec.address
            return FetchRequest(address, FetchLane.SERP, gate, method="POST", body=body, headers=(_FORM,), rungs=rungs)
        return FetchRequest(f"{self._spec.address}?{encoded}", FetchLane.SERP, gate, rungs=rungs)

    def parse(self, html: str, query: str, today: date | None = None) -> EngineAnswer:
        if "<" not in html or "\x00" in html[:1000]:
            return self._without_results(query, SearchOutcome.FAILED, "The answer is not HTML.")
        if is_nested_too_deeply(html):
            return self._without_results(query, SearchOutcome.FAILED, "The page nests elements without end.")
        page = ResultPage(html, self._spec, today)
        if found := page.found:
            return EngineAnswer(self.id, query, SearchOutcome.RESULTS, self._items(found), reason=self._altered(page))
        if marker := page.sign(one for one in self._spec.blocked if one.source is None and not page.is_quoted(one)):
            return self._blocked(query, marker)
        if marker := page.sign(one for one in self._spec.empty if not page.is_quoted(one)):
            return self._without_results(query, SearchOutcome.EMPTY, f"The engine found nothing ({marker}).")
        return self._drifted(page, query)

    def _altered(self, page: ResultPage) -> str | None:
        marker = page.sign(self._spec.altered)
        return f"The engine answered another query than the one asked ({marker})." if marker else None

    def _drifted(self, page: ResultPage, query: str) -> EngineAnswer:
        """The selectors found nothing and no sign says why: read by structure, or say what failed."""
        if found := page.found_by_structure:
            notes = (f"The page has drifted and was read by structure: {page.trouble}.", self._altered(page))
            note = " ".join(filter(None, notes))
            return EngineAnswer(self.id, query, SearchOutcome.RESULTS, self._items(found), reason=note)
        if marker := page.sign(self._spec.blocked):
            return self._blocked(query, marker)
        about = f"Page {page.title[:80]!r} shows neither results nor a sign that there are none: {page.trouble}."
        return self._without_results(query, SearchOutcome.FAILED, about)

    def _blocked(self, query: str, marker: Marker) -> EngineAnswer:
        reason = f"The engine refuses ({marker})."
        return EngineAnswer(self.id, query, SearchOutcome.BLOCKED, reason=reason, challenge=marker.kind)

    def _without_results(self, query: str, outcome: SearchOutcome, reason: str) -> EngineAnswer:
        return EngineAnswer(self.id, query, outcome, reason=reason)

    def _items(self, found: tuple[Found, ...]) -> tuple[SerpItem, ...]:
        unique = dict.fromkeys(found)
        return tuple(
            SerpItem(item.title, item.url, item.snippet, self.id, rank, item.date)
            for rank, item in enumerate(unique, start=1)
        )
