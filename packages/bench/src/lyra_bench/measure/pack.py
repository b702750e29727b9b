"""Packs a task that ran on the simulated web, changes single bytes of the pack, and counts what `verify` finds."""

import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from lyra.extract.reader import DocumentReader
from lyra.model.search import SearchOptions
from lyra.model.task import Hypothesis, TaskConfig
from lyra.report.pack.verify import check_pack
from lyra.report.pack.zip_file import read_zip
from lyra.settings import Models
from lyra_bench.measure.evidence import on_simulated_web, topic_names
from simweb.truth import load_truth

_SEARCH_LIMIT_S = 600.0


async def measure_pack(changes: int = 200, *, topic: str = "dpp4", pages: int = 4, seed: int = 1) -> dict[str, Any]:
    """Make one pack, check it untouched, then with one byte changed at so many random places, one after another."""
    (name,) = topic_names(topic)
    with tempfile.TemporaryDirectory(prefix="lyra-bench-pack-") as folder:
        file = Path(folder) / "task.lyrapack"
        await _make(name, pages, file)
        return change_bytes(file, changes, random.Random(seed))


async def _make(topic: str, pages: int, file: Path) -> None:
    truth = load_truth(topic)
    language = next(iter(truth.queries))
    texts = [truth.claim(name).text[language] for name in truth.hypotheses]
    async with on_simulated_web(None) as lyra:
        task, _ = await lyra.tasks.create(texts[0], TaskConfig(hypotheses=tuple(map(Hypothesis, texts))))
        search = await lyra.searches.start(task.id, texts[0], SearchOptions(max_pages=pages))
        await lyra.searches.wait(search.id, _SEARCH_LIMIT_S)
        await lyra.packer.make(await lyra.tasks.get(task.id), file)


def change_bytes(file: Path, changes: int, chance: random.Random) -> dict[str, Any]:
    """Check the pack as it is, then each time with one byte changed; where it was changed is counted by file."""
    reader = DocumentReader(Models())
    began = time.perf_counter()
    try:
        whole = check_pack(file, reader)
        checked_s = time.perf_counter() - began
        original = file.read_bytes()
        with file.open("rb") as stream:
            places = {name: (one.start, one.start + one.size) for name, one in read_zip(stream).items()}
        changed, found = Counter[str](), Counter[str]()
        for _ in range(changes):
            at = chance.randrange(len(original))
            other = bytes([original[at] ^ chance.randrange(1, 256)])
            file.write_bytes(original[:at] + other + original[at + 1 :])
            where = next((name for name, (start, end) in places.items() if start <= at < end), "zip headers")
            changed[where] += 1
            found[where] += not check_pack(file, reader).is_consistent
        file.write_bytes(original)
    finally:
        reader.close_blocking()
    return {
        "is_passed": whole.is_consistent and found.total() == changes,
        "untouched_is_consistent": whole.is_consistent,
        "changes": changes,
        "found": found.total(),
        "changed_in": dict(changed),
        "found_in": dict(found),
        "size_bytes": len(original),
        "pages": whole.pages,
        "quotes": whole.quotes,
        "quotes_found": whole.quotes_found,
        "seconds_of_one_check": round(checked_s, 2),
    }
