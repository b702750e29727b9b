"""Wikipedia through its search API: JSON instead of a page, in the language of the query."""

import html
import json
import re
from typing import Any
from urllib.parse import quote, urlencode

from lyra import text
from lyra.model.page import FetchRequest, Lane
from lyra.model.search import EngineAnswer, Outcome, SerpItem
from lyra.search.normalise import Dialect, Operator, Rendered, Sign, parse, render
from lyra.search.selectors import Transport

_DIALECT = Dialect(frozenset({Operator.PHRASE, Operator.INTITLE}), frozenset({Sign.EXCLUDE}), max_chars=300)
_TAG = re.compile(r"<[^>]*>")


class Wikipedia:
    """The English or Japanese edition, chosen by the query's script."""

    id = "wikipedia"
    weight = 0.6
    transport = Transport.HTTP

    def rendered(self, query: str) -> Rendered:
        return render(parse(query), _DIALECT)

    def url_for(self, query: str) -> FetchRequest:
        asked = {
            "action": "query",
            "list": "search",
            "srsearch": self.rendered(query).text,
            "srlimit": "20",
            "srprop": "snippet|timestamp",
            "format": "json",
            "formatversion": "2",
        }
        return FetchRequest(f"{_edition(query)}/w/api.php?{urlencode(asked)}", Lane.SERP, f"engine:{self.id}")

    def parse(self, html: str, query: str) -> EngineAnswer:
        try:
            answer = json.loads(html)
        except ValueError:
            return EngineAnswer(self.id, query, Outcome.FAILED, reason="The answer is not JSON.")
        if isinstance(answer, dict) and isinstance(answer.get("error"), dict):
            return self._refused(query, answer["error"])
        entries = _at(answer, "query", "search")
        if not isinstance(entries, list):
            return EngineAnswer(self.id, query, Outcome.FAILED, reason="The answer has no list query.search.")
        items = tuple(self._item(entry, query, rank) for rank, entry in enumerate(_titled(entries), start=1))
        if items:
            return EngineAnswer(self.id, query, Outcome.RESULTS, items)
        return EngineAnswer(self.id, query, Outcome.EMPTY, reason="The engine found nothing (query.search is empty).")

    def _refused(self, query: str, error: dict[str, Any]) -> EngineAnswer:
        code = str(error.get("code", "unknown"))
        outcome = Outcome.BLOCKED if code in {"ratelimited", "blocked", "readapidenied"} else Outcome.FAILED
        return EngineAnswer(self.id, query, outcome, reason=f"The API answered with error {code[:60]!r}.")

    def _item(self, entry: dict[str, Any], query: str, rank: int) -> SerpItem:
        title = entry["title"]
        url = f"{_edition(query)}/wiki/{quote(title.replace(' ', '_'), safe='/:()')}"
        snippet = " ".join(html.unescape(_TAG.sub("", str(entry.get("snippet") or ""))).split())
        day = str(entry.get("timestamp") or "")[:10] or None
        return SerpItem(title, url, snippet, self.id, rank, day, source_tag="encyclopedia")


def _edition(query: str) -> str:
    return f"https://{'ja' if text.is_japanese(query) else 'en'}.wikipedia.org"


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _titled(entries: list[Any]) -> list[dict[str, Any]]:
    return [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("title"), str)]
