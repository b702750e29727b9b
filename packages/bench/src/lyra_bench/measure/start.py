"""How fast a server answers, and what it weighs before any model is loaded."""

import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from mcp import Client, StdioServerParameters


@dataclass(frozen=True, slots=True)
class StartFigures:
    """Medians over several fresh processes: to the list of tools, to the answer of a call, and the memory then."""

    first_answer_s: float
    first_call_s: float
    idle_mb: float
    runs: int


async def measure_start(runs: int = 5) -> StartFigures:
    """Start `lyra serve` as a client does: ask for its tools, then create a task."""
    found: list[tuple[float, float, float]] = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory(prefix="lyra-bench-") as directory:
            found.append(await _once(Path(directory)))
    listed, called, megabytes = (statistics.median(one) for one in zip(*found, strict=True))
    return StartFigures(round(listed, 2), round(called, 2), round(megabytes, 1), runs)


async def _once(data_dir: Path) -> tuple[float, float, float]:
    before = {child.pid for child in psutil.Process().children()}
    server = StdioServerParameters(command=sys.executable, args=["-m", "lyra", "--data-dir", str(data_dir), "serve"])
    started = time.perf_counter()
    async with Client(server) as client:
        await client.list_tools()
        listed = time.perf_counter() - started
        await client.call_tool("create_task", {"query": "How fast does it answer?"})
        called = time.perf_counter() - started
        serving = [child for child in psutil.Process().children() if child.pid not in before]
        return listed, called, sum(child.memory_info().rss for child in serving) / 1e6
