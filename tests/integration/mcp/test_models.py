"""What a client hears of the models' process."""

from pathlib import Path

import psutil
from mcp import Client

from lyra.app import Lyra
from lyra.mcp.server import build
from lyra.settings import load


async def test_a_restart_of_the_models_is_told(tmp_path: Path) -> None:
    """A worker killed in the middle costs no result, but the client hears of it with the status of any task."""
    async with Lyra.open(load({"data_dir": tmp_path}, environ={})) as lyra, Client(build(lyra)) as client:
        made = await client.call_tool("create_task", {"query": "給食費の無償化は出生数を増やすか"})
        await lyra.models.embedder.embed(["給食費"])
        psutil.Process(lyra.models.status().pid).kill()
        await lyra.models.embedder.embed(["出生数"])

        told = await client.call_tool("get_status", {"task_id": made.structured_content["task_id"]})

    assert told.structured_content["warnings"] == [
        "The inference process ended unexpectedly (times: 1; last: killed by SIGKILL); "
        "the same model is started again when it is needed."
    ]
