"""One worker: models loaded once, pieces of a collection read one after another, each written as one file."""

import asyncio
import os
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lyra.bulk.files import StoredFile
from lyra.bulk.parts import Problem, is_written, shown, write_part
from lyra.bulk.plan import Plan
from lyra.bulk.reading import PageReader, Row, RowStatus, place_fields
from lyra.bulk.sources import Place, RawDocument, is_warc, places_in, read_places
from lyra.errors import DocumentUnavailable, InvalidParams, PipelineError, StorageError
from lyra.settings import Settings

Piece = tuple[Place, ...]
_PIECES = 16
_LARGEST_PIECE = 32


@dataclass(frozen=True, slots=True)
class PieceReport:
    """What became of one piece. `failed` can never be read; `not_read` may be another time, or by another worker, and
    is in `left`. `began` is the time of the day on the worker, in seconds."""

    read: int = 0
    known: int = 0
    failed: tuple[Problem, ...] = ()
    not_read: tuple[Problem, ...] = ()
    began: float = 0.0
    seconds: float = 0.0
    worker: str = ""
    left: Piece = field(default=())


class Worker:
    """Reads pieces in this process. Raises ModelError where its models are missing or other ones than the plan's."""

    def __init__(self, plan: Plan, settings: Settings, out: str) -> None:
        self._plan = plan
        self._out = out
        self._runner = asyncio.Runner()
        self._reader = PageReader(plan, settings)
        try:
            self._runner.run(self._reader.__aenter__())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._runner.run(self._reader.__aexit__(None, None, None))
        self._runner.close()

    def read(self, piece: Piece) -> PieceReport:
        """Read what has no file yet, and write it; doing it twice changes nothing."""
        name = f"{socket.gethostname()}/{os.getpid()}"
        if is_written(self._out, piece):
            return PieceReport(known=len(piece), worker=name)
        began, started = time.time(), time.monotonic()
        rows: dict[Place, Row] = {}
        problems: dict[Place, str] = {}
        for place, raw in read_places(piece, self._plan.max_body_bytes):
            try:
                rows[place] = self._row(place, raw)
            except (StorageError, PipelineError) as exc:
                problems[place] = exc.message
        if rows and (problem := self._not_written(rows)):
            problems |= dict.fromkeys(rows, problem)
            rows = {}
        return PieceReport(
            read=sum(row["status"] != RowStatus.FAILED for row in rows.values()),
            failed=tuple(
                Problem(shown(row), row["error"]) for row in rows.values() if row["status"] == RowStatus.FAILED
            ),
            not_read=tuple(Problem(shown(place_fields(place)), why) for place, why in problems.items()),
            began=began,
            seconds=time.monotonic() - started,
            worker=name,
            left=tuple(problems),
        )

    def _not_written(self, rows: dict[Place, Row]) -> str:
        """Write the rows; why they could not be, empty where they were."""
        try:
            write_part(self._out, tuple(rows), list(rows.values()))
        except (OSError, StorageError) as exc:
            return f"What was read cannot be written: {exc}"
        return ""

    def _row(self, place: Place, raw: RawDocument | Exception) -> Row:
        try:
            if isinstance(raw, Exception):
                raise raw
            return self._runner.run(self._reader.read(place, raw))
        except InvalidParams as exc:
            return place_fields(place) | {"status": RowStatus.FAILED.value, "error": exc.message, "remedy": exc.remedy}


def pieces_of(files: Sequence[StoredFile], done: frozenset[str]) -> tuple[list[Piece], list[Problem]]:
    """What is to be read, in pieces of one WARC file or of plain files; and WARC files that break off."""
    pieces: list[Piece] = []
    problems: list[Problem] = []
    plain = [place for one in files if not is_warc(one.address) for place in places_in(one) if place.key not in done]
    pieces += chunks(plain)
    for one in files:
        if is_warc(one.address):
            found, problem = warc_places(one)
            pieces += chunks(found)
            problems += [problem] if problem else []
    return pieces, problems


def warc_places(file: StoredFile) -> tuple[list[Place], Problem | None]:
    """The documents of a WARC file, up to where it breaks off."""
    found: list[Place] = []
    try:
        found.extend(places_in(file))
    except DocumentUnavailable as exc:
        return found, Problem(shown({"address": file.address, "offset": None}), str(exc))
    return found, None


def chunks(places: Sequence[Place]) -> Iterator[Piece]:
    """Pieces of so many documents as are written at once: few of a small collection, so that all workers have some."""
    size = max(1, min(_LARGEST_PIECE, len(places) // _PIECES))
    for at in range(0, len(places), size):
        yield tuple(places[at : at + size])
