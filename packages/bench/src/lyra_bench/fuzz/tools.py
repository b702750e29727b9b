"""Every MCP tool called with damaged arguments: each call must answer, typed and in time, and the server goes on."""

import asyncio
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from mcp import Client, MCPError

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.mcp.server import build
from lyra_bench.fuzz.arguments import arguments
from lyra_bench.fuzz.figures import FuzzFigures
from lyra_bench.measure.evidence import no_file

# Nothing listens there: searches that a call starts end at once, on this machine.
_NOWHERE = "http://127.0.0.1:9"
_WAITING = ("search", "wait_for_user")


async def fuzz_tools(count: int, seed: int, limit_s: float) -> list[FuzzFigures]:
    """So many calls of each tool, after the models have answered once: loading them is timed by nobody."""
    with tempfile.TemporaryDirectory(prefix="lyra-fuzz-") as folder:
        flags = {"data_dir": Path(folder) / "data", "network.proxy": _NOWHERE, "log.level": "error"}
        settings = settings_module.load(flags, environ={}, path=no_file(Path(folder)))
        async with Lyra.open(settings) as lyra, Client(build(lyra)) as client:
            made = await client.call_tool("create_task", {"query": "Are gliptins safe?"})
            task_id = str((made.structured_content or {})["task_id"])
            await lyra.warm_up()
            tools = (await client.list_tools()).tools
            return [await _fuzz(client, one.name, one.input_schema, task_id, count, seed, limit_s) for one in tools]


async def _fuzz(
    client: Client, name: str, schema: dict[str, Any], task_id: str, count: int, seed: int, limit_s: float
) -> FuzzFigures:
    figures, outcomes = FuzzFigures(f"tool {name}"), Counter[str]()
    for number in range(count):
        chance = random.Random(f"{seed} {name} {number}")
        given = _hasty(name, arguments(chance, schema))
        if "task_id" in given and chance.random() < 0.8:
            given["task_id"] = task_id
        started = time.monotonic()
        fields: dict[str, Any] = {}
        try:
            async with asyncio.timeout(4 * limit_s):
                fields = (await client.call_tool(name, given)).structured_content or {}
            outcome = "answered" if fields.get("ok") else str(fields.get("error_code", "refused by the schema"))
        except (MCPError, UnicodeEncodeError, ValueError) as exc:
            outcome = f"refused by the protocol ({type(exc).__name__})"
        except TimeoutError:
            outcome = "no answer"
        outcomes[outcome] += 1
        if "error_id" in fields:  # which only an unexpected error has
            figures.escapes.append(f"{number}: {fields.get('error')} {given!r}"[:300])
        figures.count(f"{number}: {given!r}"[:200], time.monotonic() - started, limit_s)
    figures.outcomes = dict(outcomes.most_common())
    return figures


def _hasty(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments without the waiting that they ask for, or that the tool does of its own accord."""
    if "wait_seconds" in given:
        return {**given, "wait_seconds": 0}
    options = given.get("options")
    if name in _WAITING and (options is None or isinstance(options, dict)):
        return {**given, "options": {**(options or {}), "wait_seconds": 0}}
    return given
