"""`lyra recheck` as a user meets it, without a network."""

import asyncio
from pathlib import Path
from typing import Any

from tests.recorded_task import TASK, close, record_task


async def _record(home: Path) -> None:
    await close(await record_task(home))


def test_a_task_that_was_not_repeated_yet_is_waiting(lyra: Any, home: Path) -> None:
    """The same word as that of a run without a network: both are done as soon as it is possible."""
    asyncio.run(_record(home))
    lyra("recheck", "add", TASK)

    rows, shown = lyra("recheck", "list", "--json").json, lyra("recheck", "list").out

    assert [one["state"] for one in rows] == ["waiting"]
    assert shown.splitlines()[-1].split("\t")[3] == "waiting"
