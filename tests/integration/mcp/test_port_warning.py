"""A browser with a port is driven only where it is configured, and then every status says what that means."""

from pathlib import Path

from lyra.app import Lyra
from lyra.mcp.boundary import Boundary
from lyra.mcp.server import TOOLS
from lyra.research.searches import no_progress
from lyra.settings import load


async def test_status_warns_of_a_browser_that_everybody_can_drive(tmp_path: Path) -> None:
    """The client is told in the answer, not only in the log."""
    flags = {"data_dir": tmp_path, "browser.debugging_port": 9222}
    async with Lyra.open(load(flags, environ={})) as lyra:
        boundary = Boundary(lyra, TOOLS, max_answer_bytes=24_000)
        task = await boundary.call("create_task", {"query": "Do urban trees lower summer heat?"}, no_progress)
        status = await boundary.call("get_status", {"task_id": task["task_id"]}, no_progress)

    assert status["warnings"] == [
        "The browser at port 9222 can be driven by every user of this machine, and its pages are not kept from this "
        "machine and its network (browser.debugging_port)."
    ]
