"""Kills Lyra at random moments and looks what is left: `kill -9` must lose nothing and double nothing.

A few searches run once undisturbed; then the same searches run again and again in processes that are killed, until
they end. The two graphs must be equal, row by row.
"""

import asyncio
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.errors import PipelineError
from lyra.model.search import SearchOptions, Source
from lyra.model.task import Hypothesis, TaskConfig
from lyra.storage.database import Database
from lyra_bench.measure import stored_run
from simweb import SimWeb
from simweb.truth import Truth, load_truth

_PAGES = 3
_ROUND_LIMIT_S = 1800.0
_POLL_S = 0.02
# Share of the killed that die before they have found their work.
_AT_START = 0.1
_PATIENCE = 4
# Nobody is burdened by quick requests to this machine. One request after another, so that two runs read the same pages
# in the same order; leases short enough for the next process to go on at once; no limit on starts, for here every one
# of them is killed.
_ORDERLY = {
    "LYRA_POLITENESS__DOMAIN_QPS": "50",
    "LYRA_POLITENESS__PAUSE_MIN_S": "0",
    "LYRA_POLITENESS__PAUSE_MAX_S": "0.02",
    "LYRA_POLITENESS__ENGINE_QPS": "20",
    "LYRA_POLITENESS__API_QPS": "20",
    "LYRA_NETWORK__CONCURRENCY": "1",
    "LYRA_JOBS__CONCURRENCY": "1",
    "LYRA_JOBS__LEASE_S": "1",
    "LYRA_JOBS__POLL_S": "0.1",
    "LYRA_JOBS__MAX_ATTEMPTS": "100000",
    "LYRA_RESEARCH__IDLE_SECONDS": "86400",
    "LYRA_ACADEMIC__KEPT_PER_PAPER": "1",
    "LYRA_ACADEMIC__KEPT_PER_SEARCH": "2",
    "LYRA_LOG__LEVEL": "error",
}


@dataclass
class Faults:
    """What was done to Lyra, and what became of it.

    `differing` rows are in the disturbed graph alone, such as a pair that was judged besides: neither lost nor doubled,
    but not what was asked for either.
    """

    kills: int = 0
    rounds: int = 0
    searches: int = 0
    killed_in: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    doubled: int = 0
    differing: int = 0
    changed: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    requests_at_once_to_one_domain: int = 0
    seconds: float = 0.0

    @property
    def is_passed(self) -> bool:
        return not (self.lost or self.doubled or self.differing or self.broken)


async def measure_faults(
    kills: int = 100, *, searches: int = 4, seed: int = 1, tell: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Kill until there were so many, at any moment of starting up and of searching alike; each round is told."""
    began = time.monotonic()
    figures = Faults(searches=searches)
    with SimWeb() as web, tempfile.TemporaryDirectory(prefix="lyra-faults-") as folder:
        bench = _Bench(Path(folder), environment_on(web), random.Random(seed), figures)
        plan = _plan(load_truth(), searches)
        whole = await bench.graph_of("undisturbed", plan, kills=0)
        bench.search_s = (time.monotonic() - began) / searches / 2
        while figures.kills < kills:
            figures.rounds += 1
            found = await bench.graph_of(f"round-{figures.rounds}", plan, kills=kills - figures.kills)
            compare(whole, found, figures)
            tell(
                f"round {figures.rounds}: {figures.kills} kills, {figures.lost} lost, {figures.doubled} doubled,"
                f" {figures.differing} differing"
            )
        figures.requests_at_once_to_one_domain = len(web.politeness_violations())
    figures.seconds = round(time.monotonic() - began, 1)
    return {"is_passed": figures.is_passed, **asdict(figures), "killed_in": dict(figures.killed_in)}


def compare(whole: Mapping[str, Sequence[Any]], found: Mapping[str, Sequence[Any]], figures: Faults) -> None:
    """Count rows that are missing, rows that are there too often, and rows that the undisturbed run does not have."""
    for name, expected in whole.items():
        wanted, got = Counter(expected), Counter(found[name])
        lost, extra = (wanted - got).total(), got - wanted
        doubled = sum(count for row, count in extra.items() if row in wanted)
        other = extra.total() - doubled
        figures.lost += lost
        figures.doubled += doubled
        figures.differing += other
        if lost or extra:
            figures.changed.append(f"{name}: {lost} lost, {doubled} doubled, {other} others")


class _Bench:
    """Runs the plan in processes of its own."""

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        chance: random.Random,
        figures: Faults,
    ) -> None:
        self._folder = folder
        self._environment = dict(environment)
        self._chance = chance
        self._figures = figures
        # The longest a doomed process works: half of what a search takes where nobody disturbs it.
        self.search_s = 0.0

    async def graph_of(self, name: str, plan: Sequence[tuple[str, str]], kills: int) -> dict[str, list[Any]]:
        """What the plan comes to in a fresh data directory where processes are killed up to so often."""
        data_dir = self._folder / name
        await self._queue(data_dir, plan)
        db = await Database.open(data_dir / "lyra.db")
        try:
            deadline = time.monotonic() + _ROUND_LIMIT_S
            left = kills
            while await db.read(stored_run.unfinished_jobs):
                is_killed = await self._live(data_dir, db, deadline, is_doomed=left > 0)
                left -= is_killed
                self._figures.kills += is_killed
            self._figures.broken += await db.read(stored_run.find_damage, data_dir / "archive")
            return await db.read(stored_run.comparable_rows)
        finally:
            await db.close()

    async def _queue(self, data_dir: Path, plan: Sequence[tuple[str, str]]) -> None:
        settings = settings_module.load({"data_dir": data_dir}, environ=self._environment)
        async with Lyra.open(settings) as lyra:
            for question, query in plan:
                task, _ = await lyra.tasks.create(question, TaskConfig(hypotheses=(Hypothesis(question),)))
                await lyra.searches.start(task.id, query, SearchOptions(max_pages=_PAGES, sources=(Source.WEB,)))

    async def _live(self, data_dir: Path, db: Database, deadline: float, *, is_doomed: bool) -> bool:
        """Let a process work until all is done; a doomed one is killed while it starts or somewhere in a search.

        Answers whether it was killed in the middle.
        """
        began = time.monotonic()
        starting_s = self._chance.uniform(0.0, 1.5) if self._chance.random() < _AT_START else None
        # Whoever was killed often gets longer, or on a busy machine nobody would ever come to the end of a page.
        tries = await db.read(stored_run.attempts)
        working_s = self._chance.uniform(0.0, self.search_s * (1 + tries / _PATIENCE))
        at_work: float | None = None
        with served(data_dir, self._environment) as pid:
            while await db.read(stored_run.unfinished_jobs):
                now = time.monotonic()
                if now > deadline:
                    raise PipelineError("The searches did not end in time.", remedy="Is the machine overloaded?")
                if at_work is None and await db.read(stored_run.is_worked_on_by, pid):
                    at_work = now
                is_due = at_work is not None and now - at_work >= working_s
                if is_doomed and (is_due or (starting_s is not None and now - began >= starting_s)):
                    break
                await asyncio.sleep(_POLL_S)
            else:
                return False
        where = await db.read(stored_run.phase) if at_work is not None else "start"
        self._figures.killed_in[where] += 1
        return True


@contextlib.contextmanager
def served(data_dir: Path, environment: Mapping[str, str]) -> Iterator[int]:
    """A server with nothing to answer and all to do; at the end it is killed as a crash would."""
    command = [sys.executable, "-m", "lyra", "--data-dir", str(data_dir), "serve"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=dict(environment), stdin=subprocess.PIPE, stdout=quiet, stderr=quiet) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def _plan(truth: Truth, searches: int) -> list[tuple[str, str]]:
    """Questions with a query each: hypotheses of the truth file, asked in their own words."""
    texts = [truth.claim(name).text["en"] for name in truth.hypotheses]
    return [(text, text) for text in texts[:searches]]


def environment_on(web: SimWeb) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("LYRA_")}
    reach = {"LYRA_NETWORK__PROXY": web.proxy_url, "LYRA_NETWORK__CA_BUNDLE": str(web.ca_path)}
    return {**own, **_ORDERLY, **reach}
