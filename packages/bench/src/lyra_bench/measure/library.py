"""How fast a library is indexed: documents a second, how a stopped run goes on, and searching meanwhile."""

import asyncio
import contextlib
import random
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from lyra.app import Lyra
from lyra.model.library import Library
from lyra.settings import Settings
from lyra.storage import libraries
from simweb.files.digital import digital_pdf
from simweb.files.office import MAKERS
from simweb.markdown import parse
from simweb.model import Page, Site

_SEED = 20260303
_SITE = Site("library.example", "Library", "news", "en", "plain")
_WORDS = (
    "aspirin stroke trial patients risk placebo dose weeks cohort adults bleeding outcome hazard ratio interval "
    "hospital follow-up group reduced increased reported measured year primary secondary analysis treatment effect"
).split()
_JAPANESE = "移住支援金は三十歳代の転入を増やしたと報告された。対象の自治体では人口の減少が緩やかになった。"
_PARAGRAPHS = 25
_SEARCHES = 20


@dataclass(frozen=True, slots=True)
class LibraryFigures:
    """Times in seconds. `resumed_read` are the files read after a run was stopped halfway: the others are not again."""

    documents: int
    megabytes: float
    index_s: float
    documents_per_s: float
    unchanged_s: float
    stopped_after: int
    resumed_read: int
    search_meanwhile_ms: float
    search_ms: float


async def measure_library(documents: int, tell: Callable[[int, int], None]) -> LibraryFigures:
    """Index made documents of all formats in a fresh data directory; nothing is embedded, and nothing is fetched."""
    with tempfile.TemporaryDirectory(prefix="lyra-bench-library-") as scratch:
        folder = Path(scratch) / "documents"
        size = await asyncio.to_thread(make_documents, folder, documents)
        async with _opened(Path(scratch) / "whole", folder) as (lyra, library):
            waits: list[float] = []

            def told(done: int, total: int) -> None:
                tell(done, total)
                if done % max(1, total // _SEARCHES) == 0:
                    searching.append(asyncio.create_task(_timed_search(lyra, waits)))

            searching: list[asyncio.Task[None]] = []
            index_s = await _seconds(lyra.libraries.scan(library, told))
            await asyncio.gather(*searching)
            held = (await lyra.libraries.status(library.name, 0)).counts.documents
            unchanged_s = await _seconds(lyra.libraries.scan(library, lambda done, total: None))
            alone: list[float] = []
            for _ in range(_SEARCHES):
                await _timed_search(lyra, alone)
        stopped_after, resumed_read = await _stop_and_resume(Path(scratch) / "stopped", folder, documents)
    return LibraryFigures(
        documents=held,
        megabytes=round(size / 1e6, 1),
        index_s=round(index_s, 2),
        documents_per_s=round(held / index_s, 1),
        unchanged_s=round(unchanged_s, 3),
        stopped_after=stopped_after,
        resumed_read=resumed_read,
        search_meanwhile_ms=round(1000 * median(waits), 1),
        search_ms=round(1000 * median(alone), 1),
    )


async def _seconds(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


async def _timed_search(lyra: Lyra, into: list[float]) -> None:
    into.append(await _seconds(lyra.db.read(libraries.search, "aspirin stroke hazard ratio", 60)))


@contextlib.asynccontextmanager
async def _opened(data_dir: Path, folder: Path) -> AsyncIterator[tuple[Lyra, Library]]:
    async with Lyra.open(Settings(data_dir=data_dir)) as lyra:
        yield lyra, await lyra.libraries.add(folder)


async def _stop_and_resume(data_dir: Path, folder: Path, documents: int) -> tuple[int, int]:
    """Stop a run halfway, as Ctrl-C does; how many documents it left, and how many files the next one reads."""
    async with _opened(data_dir, folder) as (lyra, library):
        halfway = asyncio.Event()
        run = asyncio.create_task(
            lyra.libraries.scan(library, lambda done, total: halfway.set() if done >= documents // 2 else None)
        )
        await halfway.wait()
        run.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await run
        left = (await lyra.libraries.status(library.name, 0)).counts.documents
    async with _opened(data_dir, folder) as (lyra, library):
        result = await lyra.libraries.scan(library, lambda done, total: None)
    return left, result.read


def make_documents(folder: Path, count: int) -> int:
    """Write documents of every format, a tenth of them PDF; returns their size in bytes."""
    chance, size = random.Random(_SEED), 0
    folder.mkdir(parents=True)
    suffixes = [*MAKERS, ".pdf"]
    for number in range(count):
        suffix = suffixes[number % len(suffixes)]
        title, paragraphs = f"Report {number}", [_paragraph(chance, number) for _ in range(_PARAGRAPHS)]
        body = _pdf(title, paragraphs) if suffix == ".pdf" else MAKERS[suffix](title, paragraphs)
        (folder / f"report-{number}{suffix}").write_bytes(body)
        size += len(body)
    return size


def _paragraph(chance: random.Random, number: int) -> str:
    if number % 5 == 0:
        return f"{_JAPANESE}報告書{number}の値は{chance.randint(1, 99)}%である。" * 3
    sentences = (" ".join(chance.choices(_WORDS, k=14)) for _ in range(5))
    return " ".join(f"{one.capitalize()} {chance.randint(1, 99)} percent." for one in sentences)


def _pdf(title: str, paragraphs: list[str]) -> bytes:
    text = "\n\n".join(paragraphs)
    return digital_pdf(Page(_SITE, "/", title, parse(text), text))
