"""What a client learns on connecting: the tools, their hints and schemas, on both protocol eras."""

import json
from pathlib import Path
from typing import Any

import pytest

from lyra.mcp.server import TOOLS

HINTS = {
    "create_task": (False, False, False, False),
    "get_status": (True, False, True, False),
    "stop_task": (False, False, True, False),
    "search": (False, False, False, True),
    "query_graph": (True, False, True, False),
    "vector_search": (True, False, True, False),
}


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_both_eras_list_and_call_the_tools(connect: Any, tmp_path: Path, era: str) -> None:
    """The official client works with a handshake (legacy) and without (2026-07-28); `lyra bench start` times it."""
    with connect(tmp_path, mode=era) as face:
        names = [tool.name for tool in face.tools()]
        answer = face.call("create_task", query="Do DPP-4 inhibitors cause pancreatitis?")

    assert names == [tool.name for tool in TOOLS]
    assert set(HINTS) <= set(names)
    assert answer["query"] == "Do DPP-4 inhibitors cause pancreatitis?"


def test_every_tool_has_four_hints_and_both_schemas(researched: Any) -> None:
    """Clients decide by the hints what to allow unasked, so each is stated for each tool."""
    hints = {
        tool.name: (
            tool.annotations.read_only_hint,
            tool.annotations.destructive_hint,
            tool.annotations.idempotent_hint,
            tool.annotations.open_world_hint,
        )
        for tool in researched.face.tools()
    }
    shapes = {tool.name: (tool.input_schema["type"], tool.output_schema["type"]) for tool in researched.face.tools()}

    assert {name: hints[name] for name in HINTS} == HINTS
    assert {type(hint) for of_tool in hints.values() for hint in of_tool} == {bool}
    assert set(shapes.values()) == {("object", "object")}


def test_the_tool_list_is_small(researched: Any) -> None:
    """What all twelve may take: 14 KB without output schemas, 28 KB with them."""
    tools = [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in researched.face.tools()]

    read = [{name: tool[name] for name in tool if name != "outputSchema"} for tool in tools]

    assert len(json.dumps({"tools": read}, separators=(",", ":"))) <= 14_000
    assert len(json.dumps({"tools": tools}, separators=(",", ":"))) <= 28_000


def test_idle_server_is_light_and_starts_no_inference(connect: Any, tmp_path: Path) -> None:
    """Before anything is searched no model is loaded: 150 MB at most (the bench measures it exactly)."""
    with connect(tmp_path) as face:
        face.call("create_task", query="Do DPP-4 inhibitors cause pancreatitis?")
        resident_mb = face.process.memory_info().rss / 1e6
        children = face.process.children(recursive=True)

    assert resident_mb < 150
    assert children == []
