"""What an engine's parser makes of a saved result page, for `lyra inspect serp`."""

from datetime import date
from pathlib import Path
from typing import Any

from lyra.errors import InvalidParams
from lyra.search.decoding import decode
from lyra.search.engine import Engine
from lyra.search.engines import known_engines


def inspect_serp(engine: str, path: Path, read_on: date | None = None) -> dict[str, Any]:
    """`file outcome results[] reason`, or `error_code error` where the file cannot be read.

    "3 days ago" counts from `read_on`; without it such a date is none.
    """
    parser = engine_named(engine)
    try:
        body = path.read_bytes()
    except OSError as exc:
        reason = exc.strerror or type(exc).__name__
        return {"file": str(path), "error_code": InvalidParams.code, "error": f"Cannot read the file: {reason}."}
    answer = parser.parse(decode(body), "", read_on)
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
    return {"file": str(path), "outcome": answer.outcome.value, "results": results, "reason": answer.reason}


def engine_named(name: str) -> Engine:
    """The engine of that id; raises InvalidParams naming the known ones."""
    engines = known_engines()
    if name not in engines:
        known = ", ".join(sorted(engines))
        raise InvalidParams(f"There is no search engine {name[:60]!r}.", remedy=f"Known engines: {known}.")
    return engines[name]
