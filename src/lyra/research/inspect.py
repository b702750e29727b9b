"""Looking inside: what a file would give, a page its statements or a result page its results, without a task."""

from datetime import date
from pathlib import Path
from typing import Any

from lyra.archive.records import RecordContents
from lyra.claims.statements import inspect_claims
from lyra.errors import InvalidParams, LyraError
from lyra.extract.reader import DocumentReader, read_file
from lyra.fetch.inspect import judged, saved_answer
from lyra.model.archive import Exchange
from lyra.model.page import FetchLane
from lyra.search.inspect import engine_named, inspect_serp


def claims_of_file(path: Path, reader: DocumentReader) -> dict[str, Any]:
    """`file claims[]{text quote start end language}`, or the file's error."""
    try:
        return dict(inspect_claims(str(path), read_file(path, reader)))
    except LyraError as exc:
        return {"file": str(path), **exc.fields()}


def serp_of_file(engine: str, path: Path, read_on: date | None = None) -> dict[str, Any]:
    """`file outcome results[] reason` of a saved result page, judged and read as in a search, or the file's error.

    Raises InvalidParams for an unknown engine.
    """
    engine_named(engine)
    try:
        return {"file": str(path), **inspect_serp(engine, saved_answer(path, FetchLane.SERP), read_on)}
    except InvalidParams as exc:
        return {"file": str(path), **exc.fields()}


def serp_of_record(engine: str, record: RecordContents, read_on: date | None = None) -> dict[str, Any]:
    """The same of a result page that a search has archived; relative dates count from the day it was read."""
    entry = record.entry
    exchange = Exchange(
        entry.url, "GET", entry.archived_at, status_code=entry.status_code, headers=record.headers, body=record.body
    )
    day = read_on or entry.archived_at.date()
    return {"file": entry.ref.record_id, **inspect_serp(engine, judged(exchange, FetchLane.SERP), day)}
