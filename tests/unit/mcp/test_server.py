"""The server's list of tools."""

from typing import Any

import pytest

from lyra.mcp.server import TOOLS, build_lazy, described_tools
from lyra.mcp.tool import input_schema


async def no_lyra() -> Any:
    raise AssertionError


def test_schemas_are_made_once() -> None:
    """Over HTTP the list is asked for at every call; making it anew took most of the time of a read."""
    first = described_tools()

    assert [tool.name for tool in first] == [tool.name for tool in TOOLS]
    assert described_tools() is first


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_call_looks_into_one_schema_without_a_list(tool: Any) -> None:
    """The library would otherwise list, validate and write out all tools at every call over HTTP."""
    look_up = build_lazy(no_lyra).get_tool_input_schema

    assert look_up is not None
    assert look_up(tool.name) == input_schema(tool.input_model)


def test_an_unknown_tool_has_no_schema() -> None:
    """The call itself is answered with what tools there are."""
    look_up = build_lazy(no_lyra).get_tool_input_schema

    assert look_up is not None
    assert look_up("nonsense") is None
