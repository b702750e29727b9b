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
    """Medians over several fresh processes."""

    first_answer_s: float
    idle_mb: float
    runs: int


async def measure_start(runs: int = 5) -> StartFigures:
    """Start `lyra serve`, ask for its tools and create a task; the first answer ends the clock."""
    seconds: list[float] = []
    megabytes: list[float] = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory(prefix="lyra-bench-") as directory:
            taken, weight = await _once(Path(directory))
        seconds.append(taken)
        megabytes.append(weight)
    return StartFigures(round(statistics.median(seconds), 2), round(statistics.median(megabytes), 1), runs)


async def _once(data_dir: Path) -> tuple[float, float]:
    before = {child.pid for child in psutil.Process().children()}
    server = StdioServerParameters(command=sys.executable, args=["-m", "lyra", "--data-dir", str(data_dir), "serve"])
    started = time.perf_counter()
    async with Client(server) as client:
        await client.call_tool("create_task", {"query": "How fast does it answer?"})
        taken = time.perf_counter() - started
        serving = [child for child in psutil.Process().children() if child.pid not in before]
        return taken, sum(child.memory_info().rss for child in serving) / 1e6
