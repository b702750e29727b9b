"""One run over a collection: what is to be read, by which engine, and what became of it."""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from lyra.app import Lyra
from lyra.bulk import parts, ray_cluster
from lyra.bulk.files import address_of, child, public_address, require_pyarrow
from lyra.bulk.local import LocalReading
from lyra.bulk.parts import Problem
from lyra.bulk.plan import Plan, make_plan, save_plan
from lyra.bulk.sources import listed
from lyra.bulk.worker import Piece, PieceReport, pieces_of
from lyra.errors import InvalidParams
from lyra.settings import Settings

_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class BulkJob:
    """What a person asked for; `out`, `workers` and `address` have defaults."""

    sources: tuple[str, ...]
    task_id: str
    out: str | None = None
    engine: str = "local"
    workers: int | None = None
    address: str | None = None
    tell: Callable[[int, int], None] = lambda done, of: None


@dataclass(slots=True)
class BulkReport:
    """What became of the documents; `known` were read by an earlier run."""

    out: str
    workers: int
    documents: int = 0
    read: int = 0
    known: int = 0
    failed: list[Problem] = field(default_factory=list)
    not_read: list[Problem] = field(default_factory=list)
    without_models: list[Problem] = field(default_factory=list)
    seconds: float = 0.0

    def fields(self) -> dict[str, Any]:
        found = asdict(self)
        return found | {
            "failed_count": len(self.failed),
            "not_read_count": len(self.not_read),
            "seconds": round(self.seconds, 2),
        }


def folder_of(settings: Settings, task_id: str, out: str | None) -> str:
    """The address where a task's files are, by default in the data directory."""
    if out is not None:
        return address_of(out)
    return child(address_of(str(settings.data_dir)), "bulk", task_id)


def model_ids(lyra: Lyra) -> dict[str, str]:
    """The models by which pages are read, by the part they play."""
    return {"embedder": lyra.models.embedder.model_id, **lyra.judge.model_ids}


async def read_collection(lyra: Lyra, job: BulkJob) -> BulkReport:
    """Read every document that has no row yet. Raises typed errors before anything is begun."""
    require_pyarrow()
    task = await lyra.tasks.get_own(job.task_id)
    plan = make_plan(task, await lyra.tasks.claims(task.id), lyra.settings, model_ids(lyra))
    out = folder_of(lyra.settings, task.id, job.out)
    stop = threading.Event()
    try:
        return await asyncio.to_thread(_read, plan, lyra.settings, out, job, stop)
    finally:
        stop.set()  # the thread that reads ends its workers


def _read(plan: Plan, settings: Settings, out: str, job: BulkJob, stop: threading.Event) -> BulkReport:
    files = listed([address_of(one) for one in job.sources])
    if not files:
        raise InvalidParams("There is nothing to read in it.", remedy="Name a folder or a store with documents.")
    save_plan(plan, out)
    report = BulkReport(public_address(out), job.workers or os.cpu_count() or 1)
    started = time.monotonic()
    done = parts.files_done(out)
    if job.engine == "ray":
        with ray_cluster.connected(job.address, report.workers):
            pieces, report.not_read = ray_cluster.list_pieces(files, done)
            _begin(report, pieces, files, done)
            reading = ray_cluster.RayReading(plan, out, report.workers, stop)
            report.without_models = reading.nodes_without_models()
            _in_rounds(report, pieces, reading.read, job, stop)
    else:
        pieces, report.not_read = pieces_of(files, done)
        _begin(report, pieces, files, done)
        crew = LocalReading(plan, settings, out, report.workers, stop)
        _in_rounds(report, pieces, crew.read, job, stop)
    report.failed = parts.failures(out)
    report.seconds = time.monotonic() - started
    return report


def _begin(report: BulkReport, pieces: list[Piece], files: list[Any], done: frozenset[str]) -> None:
    report.known = sum(f"{public_address(one.address)}#@{one.version}" in done for one in files)
    report.documents = report.known + sum(map(len, pieces))


def _in_rounds(
    report: BulkReport,
    pieces: list[Piece],
    read: Callable[[list[Piece], Callable[[PieceReport], None]], None],
    job: BulkJob,
    stop: threading.Event,
) -> None:
    """Read all pieces, and again what workers have handed back, by whichever worker takes it then."""
    broken, lock = list(report.not_read), threading.Lock()
    left = pieces
    for _ in range(_ROUNDS):
        reports: list[PieceReport] = []

        def collect(one: PieceReport, collected: list[PieceReport] = reports) -> None:
            with lock:
                collected.append(one)
                report.read += one.read
                report.known += one.known
                report.failed += one.failed
                job.tell(report.read + report.known + len(report.failed), report.documents)

        if left:
            read(left, collect)
        left = [one.left for one in reports if one.left]
        report.not_read = broken + [problem for one in reports for problem in one.not_read]
        if not left or stop.is_set():
            return
