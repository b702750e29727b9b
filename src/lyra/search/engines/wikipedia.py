"""Wikipedia through its search API: JSON instead of a page, in the language of the query."""

import html
import json
import re
from datetime import date
from typing import Any
from urllib.parse import quote, urlencode

from lyra.model.page import FetchLane, FetchRequest
from lyra.model.search import EngineAnswer, SearchOutcome, SerpItem
from lyra.search.dates import iso_day
from lyra.search.engine import RUNGS
from lyra.search.engine_spec import Transport
from lyra.search.query import Operator, QueryDialect, RenderedQuery, Sign, parse_query, query_language, render_query
from lyra.text import without_surrogates

_DIALECT = QueryDialect(frozenset({Operator.PHRASE, Operator.INTITLE}), frozenset({Sign.EXCLUDE}), max_chars=300)
_PAGE_SIZE = 20
_STRENGTHS = {"academic": 0.8, "news": 0.5}
_TAG = re.compile(r"<[^>]*>")


class Wikipedia:
    """The English, Japanese or Chinese edition, chosen by the query's script."""

    id = "wikipedia"
    weight = 0.6
    transport = Transport.HTTP
    quota_per_day: int | None = None
    is_last_mile = False
    has_pages = True

    def strength(self, category: str) -> float:
        return _STRENGTHS.get(category, 1.0)

    def rendered(self, query: str) -> RenderedQuery:
        return render_query(parse_query(query), _DIALECT)

    def url_for(self, query: str, page: int = 1) -> FetchRequest:
        asked = {
            "action": "query",
            "list": "search",
            "srsearch": self.rendered(query).text,
            "srlimit": str(_PAGE_SIZE),
            "srprop": "snippet|timestamp",
            "format": "json",
            "formatversion": "2",
        }
        if page > 1:
            asked["sroffset"] = str(_PAGE_SIZE * (page - 1))
        url = f"{_edition(query)}/w/api.php?{urlencode(asked)}"
        return FetchRequest(url, FetchLane.SERP, f"engine:{self.id}", rungs=RUNGS[self.transport])

    def parse(self, html: str, query: str, today: date | None = None) -> EngineAnswer:
        try:
            answer = json.loads(html)
        except (ValueError, RecursionError):
            return EngineAnswer(self.id, query, SearchOutcome.FAILED, reason="The answer is not JSON.")
        if isinstance(answer, dict) and isinstance(answer.get("error"), dict):
            return self._refused(query, answer["error"])
        entries = _at(answer, "query", "search")
        if not isinstance(entries, list):
            return EngineAnswer(self.id, query, SearchOutcome.FAILED, reason="The answer has no list query.search.")
        items = tuple(self._item(entry, query, rank) for rank, entry in enumerate(_titled(entries), start=1))
        if items:
            return EngineAnswer(self.id, query, SearchOutcome.RESULTS, items)
        return EngineAnswer(
            self.id, query, SearchOutcome.EMPTY, reason="The engine found nothing (query.search is empty)."
        )

    def _refused(self, query: str, error: dict[str, Any]) -> EngineAnswer:
        code = str(error.get("code", "unknown"))
        outcome = SearchOutcome.BLOCKED if code in {"ratelimited", "blocked", "readapidenied"} else SearchOutcome.FAILED
        return EngineAnswer(self.id, query, outcome, reason=f"The API answered with error {code[:60]!r}.")

    def _item(self, entry: dict[str, Any], query: str, rank: int) -> SerpItem:
        title = without_surrogates(entry["title"])
        url = f"{_edition(query)}/wiki/{quote(title.replace(' ', '_'), safe='/:()')}"
        snippet = " ".join(html.unescape(_TAG.sub("", without_surrogates(str(entry.get("snippet") or "")))).split())
        day = iso_day(str(entry.get("timestamp") or ""))
        return SerpItem(title, url, snippet, self.id, rank, day, source_tag="encyclopedia")


def _edition(query: str) -> str:
    return f"https://{query_language(query)}.wikipedia.org"


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _titled(entries: list[Any]) -> list[dict[str, Any]]:
    return [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("title"), str)]
