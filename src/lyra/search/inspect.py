"""What an engine's parser makes of a result page, as `lyra inspect serp` shows it."""

from datetime import date
from typing import Any

from lyra.errors import InvalidParams
from lyra.model.page import FetchResult
from lyra.search.asking import read_result
from lyra.search.engine import Engine
from lyra.search.engines import known_engines


def inspect_serp(engine: str, result: FetchResult, read_on: date | None = None) -> dict[str, Any]:
    """`outcome results[] reason`; "3 days ago" counts from `read_on`, without which such a date is none."""
    answer = read_result(engine_named(engine), "", result, read_on)
    results = [
        {
            "title": item.title,
            "url": item.url,
            "snippet": item.snippet,
            "date": item.date,
            "engine": item.engine,
            "rank": item.rank,
            "source_tag": item.source_tag,
        }
        for item in answer.items
    ]
    return {"outcome": answer.outcome.value, "results": results, "reason": answer.reason}


def engine_named(name: str) -> Engine:
    """The engine of that id; raises InvalidParams naming the known ones."""
    engines = known_engines()
    if name not in engines:
        known = ", ".join(sorted(engines))
        raise InvalidParams(f"There is no search engine {name[:60]!r}.", remedy=f"Known engines: {known}.")
    return engines[name]
