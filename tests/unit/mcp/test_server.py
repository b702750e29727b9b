"""The server's list of tools."""

from lyra.mcp.server import TOOLS, described_tools


def test_schemas_are_made_once() -> None:
    """Over HTTP the list is asked for at every call; making it anew took most of the time of a read."""
    first = described_tools()

    assert [tool.name for tool in first] == [tool.name for tool in TOOLS]
    assert described_tools() is first
