"""All parts one after another, with their figures."""

import asyncio
import time
from typing import Any

from lyra.observe.log import configure
from lyra_bench.fuzz.http_answers import fuzz_http
from lyra_bench.fuzz.parsers import fuzz_parsers
from lyra_bench.fuzz.tools import fuzz_tools


def measure_fuzz(inputs: int, answers: int, *, seed: int = 1, limit_s: float = 5.0) -> dict[str, Any]:
    """Damage `answers` HTTP answers and `inputs` inputs of each parser and tool; every escape and hang is named."""
    configure("error", None)
    started = time.monotonic()
    parts = [
        asyncio.run(fuzz_http(answers, seed, limit_s)),
        *fuzz_parsers(inputs, seed, limit_s),
        *asyncio.run(fuzz_tools(inputs, seed, limit_s)),
    ]
    return {
        "is_passed": all(part.is_passed for part in parts),
        "seed": seed,
        "inputs": sum(part.inputs for part in parts),
        "escaped": sum(len(part.escapes) for part in parts),
        "hung": sum(len(part.hangs) for part in parts),
        "slowest_s": round(max(part.slowest_s for part in parts), 2),
        "seconds": round(time.monotonic() - started, 1),
        "parts": {part.part: part.shown() for part in parts},
    }
