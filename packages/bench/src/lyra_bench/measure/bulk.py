"""How many pages a second one process, two processes and two Ray workers read, and whether the graphs are the same.

One thread of inference a worker. What a worker does before it has read its first piece, and after another one has
found nothing more to do, is left out of every figure: starting costs the same however long a collection is.
"""

import asyncio
import statistics
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.bulk import ray_cluster
from lyra.bulk.files import address_of
from lyra.bulk.importing import ImportOptions, import_bulk
from lyra.bulk.local import LocalReading
from lyra.bulk.plan import Plan, make_plan, save_plan
from lyra.bulk.run import model_ids
from lyra.bulk.sources import listed
from lyra.bulk.worker import Piece, PieceReport, Worker, pieces_of
from lyra.errors import PipelineError
from lyra.model.task import Hypothesis, Task, TaskConfig
from lyra.settings import Settings
from lyra_bench.measure.pages import make_pages
from simweb.render import Renderer
from simweb.sites import serve
from simweb.truth import load_truth
from simweb.world import WORLD, load_topic

_TOPIC = "dpp4"
_BAR = 0.9
_WAYS = ("one_process", "two_processes", "two_ray_workers")
Tell = Callable[[str], None]


async def measure_bulk(pages: int = 32, *, rounds: int = 5, tell: Tell = lambda _: None) -> dict[str, Any]:
    """Medians over the rounds; in each round every way reads all pages once."""
    with tempfile.TemporaryDirectory(prefix="lyra-bench-bulk-") as folder:
        home = Path(folder)
        count = await asyncio.to_thread(_write_pages, home / "pages", pages)
        settings = settings_module.load({"data_dir": home / "data"})
        async with Lyra.open(settings) as lyra:
            task = await _task(lyra)
            plan = make_plan(task, await lyra.tasks.claims(task.id), settings, model_ids(lyra))
        rates = await asyncio.to_thread(_rounds, plan, settings, home, rounds, tell)
        cost = await asyncio.to_thread(measure_cost, plan, settings, home)
        digests = [await _digest(home / f"{way}-0", home / f"{way}-data") for way in _WAYS]
    shares = [two / plain for plain, two in zip(rates["two_processes"], rates["two_ray_workers"], strict=True)]
    medians = {way: round(statistics.median(found), 2) for way, found in rates.items()}
    return {
        "pages": count,
        "rounds": rounds,
        "pages_per_second": medians,
        "speed_up_of_two_processes": round(medians["two_processes"] / medians["one_process"], 2),
        "speed_up_of_two_ray_workers": round(medians["two_ray_workers"] / medians["one_process"], 2),
        "ray_share_of_plain": round(statistics.median(shares), 3),
        "ray_shares": [round(one, 3) for one in shares],
        **cost,
        "is_same_graph": len(set(digests)) == 1,
        "is_passed": statistics.median(shares) >= _BAR and len(set(digests)) == 1,
    }


def measure_cost(plan: Plan, settings: Settings, home: Path, pages: int = 6) -> dict[str, float]:
    """What a page of thirty paragraphs costs: the processor's time of a worker and its processes, however busy the
    machine is, and the size of its row. The first page, with which models are loaded, is left out."""
    (home / "long").mkdir()
    for number, made in enumerate(make_pages(pages + 1)):
        (home / "long" / f"{number:03d}.html").write_bytes(made.body)
    pieces, _ = pieces_of(listed([address_of(str(home / "long"))]), frozenset())
    worker = Worker(plan, settings, address_of(str(home / "cost")))
    worker.read(pieces[0])
    before = _processor_s()
    for piece in pieces[1:]:
        worker.read(piece)
    spent = (_processor_s() - before) / pages
    worker.close()
    sizes = [one.stat().st_size for one in (home / "cost" / "parts").iterdir()]
    return {"processor_s_per_long_page": round(spent, 2), "bytes_per_long_page": round(sum(sizes) / len(sizes))}


def _processor_s() -> float:
    """The processor's time of this process and all below it."""
    own = psutil.Process()
    times = [one.cpu_times() for one in (own, *own.children(recursive=True))]
    return float(sum(one.user + one.system for one in times))


def rate(reports: Sequence[PieceReport]) -> float:
    """Pages a second while every worker was at work, from the end of the last first piece to the first last end."""
    spans: dict[str, list[tuple[float, float, int]]] = {}
    for one in reports:
        spans.setdefault(one.worker, []).append((one.began, one.began + one.seconds, one.read))
    start = max(min(span)[1] for span in spans.values())
    end = min(max(after for _, after, _ in span) for span in spans.values())
    done = sum(_within(span, start, end) for found in spans.values() for span in found)
    return done / (end - start)


def _within(span: tuple[float, float, int], start: float, end: float) -> float:
    """The pages of a piece that were read between two moments."""
    began, ended, pages = span
    return pages * max(0.0, min(ended, end) - max(began, start)) / (ended - began)


def _rounds(plan: Plan, settings: Settings, home: Path, rounds: int, tell: Tell) -> dict[str, list[float]]:
    pieces, _ = pieces_of(listed([address_of(str(home / "pages"))]), frozenset())
    rates: dict[str, list[float]] = {way: [] for way in _WAYS}
    for number in range(rounds):
        for way in _WAYS:
            out = address_of(str(home / f"{way}-{number}"))
            save_plan(plan, out)
            rates[way].append(rate(_read(way, plan, settings, out, pieces)))
        tell(", ".join(f"{way} {found[-1]:.2f}" for way, found in rates.items()))
    return rates


def _read(way: str, plan: Plan, settings: Settings, out: str, pieces: list[Piece]) -> list[PieceReport]:
    reports: list[PieceReport] = []
    stop = threading.Event()
    if way == "two_ray_workers":
        with ray_cluster.connected(None, 2):
            ray_cluster.RayReading(plan, out, 2, stop).read(pieces, reports.append)
    else:
        LocalReading(plan, settings, out, 1 if way == "one_process" else 2, stop).read(pieces, reports.append)
    lost = [problem for one in reports for problem in one.not_read]
    if lost:
        raise PipelineError(f"{way}: {lost[0].file} was not read: {lost[0].reason}")
    return reports


def _write_pages(folder: Path, most: int) -> int:
    """Pages of the simulated web as files."""
    topic = load_topic(WORLD / _TOPIC)
    renderer = Renderer(topic.pages)
    found = [one for one in topic.pages if one.format == "html" and not one.is_gone][:most]
    folder.mkdir()
    for number, page in enumerate(found):
        body, _ = serve(page, renderer, topic.pages)
        (folder / f"{number:03d}.html").write_bytes(body)
    return len(found)


async def _task(lyra: Lyra) -> Task:
    truth = load_truth(_TOPIC)
    texts = [truth.claim(name).text["en"] for name in truth.hypotheses]
    task, _ = await lyra.tasks.create(
        truth.question["en"], TaskConfig(hypotheses=tuple(Hypothesis(text) for text in texts))
    )
    return task


async def _digest(out: Path, data: Path) -> str:
    """The digest of the graph that an import of these rows makes in a data directory of its own."""
    async with Lyra.open(settings_module.load({"data_dir": data})) as lyra:
        task = await _task(lyra)
        return (await import_bulk(lyra, address_of(str(out)), task.id, ImportOptions(is_archived=False))).digest
