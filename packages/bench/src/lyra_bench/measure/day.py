"""A compressed day of a team's server: many tasks, one after another for each person, and what is left of them.

Each task is made, searched on the simulated web, looked at in every way, and stopped. Memory, handles and temporary
files of the server and of its process for searches must not grow with the number of tasks.
"""

import asyncio
import contextlib
import os
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psutil

from lyra_bench.measure.load import QUICK, Running, add_people, client_of, running_server
from simweb import SimWeb
from simweb.truth import load_truth

_PEOPLE = 4
_PAGES = 2
_WAIT_S = 300.0
# Nobody reads beside them: searches need not stand back, also where other programs keep the machine busy.
_IN_FRONT = {"LYRA_JOBS__NICENESS": "0"}
# Memory is taken and given back in blocks: a tenth more is none that grows from task to task.
MEMORY_FACTOR = 1.1
MORE_HANDLES = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """What the server and its process for searches hold; models and readers come and go with the work."""

    memory_mb: float
    handles: int
    threads: int
    temporary_files: int


@dataclass
class _Day:
    tasks: int = 0
    errors: list[str] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)


async def measure_day(tasks: int = 100, tell: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """What grew between the second and the last quarter of the tasks; the first is for what is loaded once."""
    with tempfile.TemporaryDirectory(prefix="lyra-day-") as folder, SimWeb() as web:
        scratch = Path(folder) / "tmp"
        scratch.mkdir()
        reach = {"LYRA_NETWORK__PROXY": web.proxy_url, "LYRA_NETWORK__CA_BUNDLE": str(web.ca_path)}
        tokens = await add_people(Path(folder) / "data", 0, _PEOPLE)
        environment = {**QUICK, **_IN_FRONT, **reach, "TMPDIR": str(scratch)}
        with running_server(Path(folder), Path(folder) / "data", environment) as running:
            day = _Day()
            async with asyncio.TaskGroup() as group:
                for token in tokens:
                    group.create_task(_work(running, token, tasks, day, scratch, tell))
    return figures_of(tasks, day.samples, day.errors)


def figures_of(tasks: int, samples: Sequence[Sample], errors: Sequence[str]) -> dict[str, Any]:
    """The growth, and whether it is none."""
    part = max(1, len(samples) // 4)
    early, late = _medians(samples[part : 2 * part] or samples), _medians(samples[-part:])
    has_grown = (
        late["memory_mb"] > MEMORY_FACTOR * early["memory_mb"]
        or late["handles"] > early["handles"] + MORE_HANDLES
        or late["temporary_files"] > early["temporary_files"]
    )
    return {
        "tasks": tasks,
        "errors": sorted(set(errors)),
        "second_quarter": early,
        "last_quarter": late,
        "is_passed": not has_grown and not errors,
    }


def _medians(samples: Sequence[Sample]) -> dict[str, float]:
    rows = [asdict(one) for one in samples]
    return {name: round(statistics.median(row[name] for row in rows), 1) for name in rows[0]}


async def _work(
    running: Running, token: str, tasks: int, day: _Day, scratch: Path, tell: Callable[[str], None]
) -> None:
    """One person's tasks, as long as there are any left."""
    queries = [one for found in load_truth().queries.values() for one in found]
    async with client_of(running, token) as client:
        while day.tasks < tasks:
            day.tasks += 1
            query = queries[day.tasks % len(queries)]
            made = await _ask(client, day, "create_task", {"query": query})
            task = {"task_id": made.get("task_id")}
            options = {"wait_seconds": _WAIT_S, "max_pages": _PAGES}
            await _ask(client, day, "search", {**task, "query": query, "options": options})
            await _ask(client, day, "get_status", task)
            await _ask(client, day, "query_graph", {"sql": "SELECT count(*) FROM claims"})
            await _ask(client, day, "vector_search", {"query": query, "target": "fragments"})
            await _ask(client, day, "stop_task", task)
            day.samples.append(sample_of(running.process, scratch))
            tell(f"{len(day.samples)} of {tasks} tasks, {day.samples[-1]}")


async def _ask(client: Any, day: _Day, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    fields = dict(result.structured_content or {})
    if result.is_error:
        day.errors.append(f"{tool}: {fields.get('error')}"[:200])
    return fields


def sample_of(server: psutil.Process, scratch: Path) -> Sample:
    """What they hold now."""
    held = [server, *(one for one in server.children() if _is_for_searches(one))]
    return Sample(
        round(sum(one.memory_info().rss for one in held) / 1e6, 1),
        sum(one.num_fds() for one in held),
        sum(one.num_threads() for one in held),
        sum(len(files) for _, _, files in os.walk(scratch)),
    )


def _is_for_searches(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return "lyra.cli.work" in process.cmdline()
    return False
