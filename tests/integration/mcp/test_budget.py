"""What a task may spend: the client's word, and the user's settings for what the client leaves out."""

from pathlib import Path
from typing import Any

import pytest

from lyra.app import Lyra
from lyra.mcp.boundary import Boundary
from lyra.mcp.tools.research import TOOLS
from lyra.research.searches import no_progress
from lyra.settings import load


@pytest.mark.parametrize(
    ("config", "budget"),
    [
        ({}, {"max_pages": 30, "max_seconds": 90.0}),
        ({"config": {"language": "ja"}}, {"max_pages": 30, "max_seconds": 90.0}),
        ({"config": {"budget": {"max_pages": 7}}}, {"max_pages": 7, "max_seconds": 90.0}),
        ({"config": {"budget": {"max_seconds": 60}}}, {"max_pages": 30, "max_seconds": 60.0}),
    ],
    ids=["nothing said", "no budget", "pages alone", "seconds alone"],
)
async def test_settings_decide_what_the_client_leaves_out(
    tmp_path: Path, config: dict[str, Any], budget: dict[str, float]
) -> None:
    """A client that limits the pages does not give the task more seconds than the user allows."""
    chosen = {"data_dir": tmp_path, "research.max_pages": 30, "research.max_seconds": 90}
    async with Lyra.open(load(chosen, environ={})) as lyra:
        boundary = Boundary(lyra, TOOLS, max_answer_bytes=24_000)
        answer = await boundary.call("create_task", {"query": "心不全のリスク", **config}, no_progress)

    assert answer["budget"] == budget
