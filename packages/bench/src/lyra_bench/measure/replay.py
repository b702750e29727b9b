"""Replays tasks that ran on the simulated web, some of them in processes that were killed, and compares the graphs."""

import asyncio
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lyra import settings as settings_module
from lyra.app import Lyra, ReplayOptions, replay_task
from lyra.errors import LyraError, PipelineError
from lyra.model.search import SearchOptions
from lyra.model.task import Hypothesis, TaskConfig
from lyra.settings import Settings
from lyra.storage.database import Database
from lyra_bench.measure import stored_run
from lyra_bench.measure.evidence import topic_names
from lyra_bench.measure.faults import environment_on, served
from simweb import SimWeb
from simweb.truth import load_truth

_LIMIT_S = 3600.0
_POLL_S = 0.1
_LONGEST_LIFE_S = 25.0
# Several searches and requests at once, as on a user's machine: the order in which pages come is never the same twice.
_SIDE_BY_SIDE = {"LYRA_NETWORK__CONCURRENCY": "4", "LYRA_JOBS__CONCURRENCY": "4"}


_NOTHING = {"pages": 0, "claims": 0, "edges": 0}


@dataclass(frozen=True, slots=True)
class _Asked:
    question: str
    hypotheses: tuple[str, ...]
    language: str


async def measure_replay(
    tasks: int = 20,
    *,
    pages: int = 4,
    kills: int = 8,
    seed: int = 1,
    keep: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Run so many tasks of two searches each in one data directory, killing the process so often, then replay each."""
    began = time.monotonic()
    with SimWeb() as web, _folder(keep) as folder:
        environment = {**environment_on(web), **_SIDE_BY_SIDE}
        settings = settings_module.load({"data_dir": Path(folder)}, environ=environment)
        await _queue(settings, _plan(tasks), pages)
        killed = await _work(settings, environment, kills, random.Random(seed), tell)
        ran_s = time.monotonic() - began
        rows = await _replay_all(settings, tell)
    results = Counter(row["result"] for row in rows)
    same = sum(bool(row["is_same"]) for row in rows)
    return {
        "is_passed": same == tasks,
        "tasks": tasks,
        "same": same,
        "results": dict(results),
        "kills": killed,
        "pages": sum(row["pages"] for row in rows),
        "claims": sum(row["claims"] for row in rows),
        "edges": sum(row["edges"] for row in rows),
        "seconds_original": round(ran_s, 1),
        "seconds_replay": round(time.monotonic() - began - ran_s, 1),
        "rows": rows,
    }


def _folder(keep: Path | None) -> Any:
    return nullcontext(str(keep)) if keep else tempfile.TemporaryDirectory(prefix="lyra-bench-replay-")


def _plan(tasks: int) -> list[_Asked]:
    """Questions over all topics in turn, each with two hypotheses of the topic's truth file."""
    topics = [load_truth(name) for name in topic_names(None)]
    found: list[_Asked] = []
    for at in range(tasks):
        truth, turn = topics[at % len(topics)], at // len(topics)
        texts = [truth.claim(name).text for name in truth.hypotheses]
        language = next(iter(texts[0]))
        own = [text[language] for text in texts]
        chosen = tuple(own[(turn + step) % len(own)] for step in range(2))
        found.append(_Asked(chosen[0], chosen, language))
    return found


async def _queue(settings: Settings, plan: Sequence[_Asked], pages: int) -> None:
    async with Lyra.open(settings) as lyra:
        for one in plan:
            hypotheses = tuple(Hypothesis(text) for text in one.hypotheses)
            task, _ = await lyra.tasks.create(one.question, TaskConfig(hypotheses=hypotheses, language=one.language))
            for refute, query in enumerate(one.hypotheses):
                options = SearchOptions(max_pages=pages, refute=bool(refute))
                await lyra.searches.start(task.id, query, options)


async def _work(
    settings: Settings,
    environment: dict[str, str],
    kills: int,
    chance: random.Random,
    tell: Callable[[str], None],
) -> int:
    """Let processes work until all is done; the first so many are killed somewhere in a search."""
    db = await Database.open(settings.database_path)
    killed, deadline = 0, time.monotonic() + _LIMIT_S
    try:
        while await db.read(stored_run.unfinished_jobs):
            is_doomed = killed < kills
            life_s = chance.uniform(3.0, _LONGEST_LIFE_S) if is_doomed else _LIMIT_S
            killed += await _live(settings, db, environment, life_s, deadline)
            tell(f"{killed} kills, {await db.read(stored_run.unfinished_jobs)} searches left")
    finally:
        await db.close()
    return killed


async def _live(settings: Settings, db: Database, environment: dict[str, str], life_s: float, deadline: float) -> bool:
    began: float | None = None
    with served(settings.data_dir, environment) as pid:
        while await db.read(stored_run.unfinished_jobs):
            now = time.monotonic()
            if now > deadline:
                raise PipelineError("The searches did not end in time.", remedy="Is the machine overloaded?")
            if began is None and await db.read(stored_run.is_worked_on_by, pid):
                began = now
            if began is not None and now - began >= life_s:
                return True
            await asyncio.sleep(_POLL_S)
    return False


async def _replay_all(settings: Settings, tell: Callable[[str], None]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    async with Lyra.open(settings) as lyra:
        for task in reversed(await lyra.tasks.recent(1000)):
            try:
                found = await replay_task(lyra, task.id, ReplayOptions(), lambda done, of: None)
            except LyraError as exc:
                rows.append({"task_id": task.id, "result": exc.message, "is_same": False, **_NOTHING})
                continue
            rows.append(
                {
                    "task_id": task.id,
                    "result": found.result.value,
                    "is_same": found.is_same,
                    "pages": found.pages,
                    "claims": found.difference.claims,
                    "edges": found.edges,
                    "digest": found.digest,
                    "problems": [one.problem for one in found.problems],
                    "searches_equal": [then == now for then, now in found.digests],
                }
            )
            tell(f"{task.id}: {found.result.value}, {found.pages} pages, {found.difference.claims} claims")
    return rows
