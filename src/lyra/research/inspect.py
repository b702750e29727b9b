"""What a file would give, a page its statements or a result page its results, without a task."""

from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from lyra.archive.records import RecordContents
from lyra.claims.statements import inspect_claims
from lyra.errors import InvalidParams, LyraError
from lyra.extract.reader import DocumentReader, read_file
from lyra.fetch.classify import classify_file, classify_saved
from lyra.model.archive import Exchange
from lyra.model.page import FetchLane, FetchResult
from lyra.research.injections import scan_document
from lyra.search.engine import Engine, read_result
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


def claims_of_file(path: Path, reader: DocumentReader) -> dict[str, Any]:
    """`file claims[]{text quote start end language}`, or the file's error."""
    try:
        return dict(inspect_claims(str(path), read_file(path, reader)))
    except LyraError as exc:
        return {"file": str(path), **exc.fields()}


def injections_of_file(path: Path, reader: DocumentReader) -> dict[str, Any]:
    """`file title is_flagged severity findings[]{kind severity is_hidden start end score}`, or the file's error.

    The words of a finding are not repeated; `start` and `end` are in the text that `lyra inspect extract` gives, or in
    what the page hides.
    """
    try:
        document = read_file(path, reader)
    except LyraError as exc:
        return {"file": str(path), **exc.fields()}
    found = scan_document(document)
    return {
        "file": str(path),
        "title": document.title,
        "is_flagged": bool(found),
        "severity": found[0].severity.value if found else None,
        "findings": [asdict(one) for one in found],
    }


def serp_of_file(engine: str, path: Path, read_on: date | None = None) -> dict[str, Any]:
    """`file outcome results[] reason` of a saved result page, judged and read as in a search, or the file's error.

    Raises InvalidParams for an unknown engine.
    """
    engine_named(engine)
    try:
        return {"file": str(path), **inspect_serp(engine, classify_file(path, FetchLane.SERP), read_on)}
    except InvalidParams as exc:
        return {"file": str(path), **exc.fields()}


def serp_of_record(engine: str, record: RecordContents, read_on: date | None = None) -> dict[str, Any]:
    """The same of a result page that a search has archived; relative dates count from the day it was read."""
    entry = record.entry
    exchange = Exchange(
        entry.url, "GET", entry.archived_at, status_code=entry.status_code, headers=record.headers, body=record.body
    )
    day = read_on or entry.archived_at.date()
    return {"file": entry.ref.record_id, **inspect_serp(engine, classify_saved(exchange, FetchLane.SERP), day)}
