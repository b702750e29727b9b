"""An MCP client over stdio."""

import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from lyra.errors import PipelineError, innermost


class Session:
    """Calls tools as an AI client would; an answer that is not `ok` ends the session with its words."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer's fields."""
        result = await self._client.call_tool(tool, arguments)
        fields = dict(result.structured_content or {})
        if not fields.get("ok"):
            told = fields.get("error") or json.dumps([block.model_dump() for block in result.content], default=str)
            raise PipelineError(f"{tool}: {told}", remedy=fields.get("remedy"))
        return fields

    async def rows(self, sql: str, **options: Any) -> list[dict[str, Any]]:
        """Rows of the graph."""
        answer = await self.call("query_graph", sql=sql, options={"limit": 200, **options})
        return list(answer["rows"])

    async def tools(self) -> list[str]:
        """The names of the server's tools."""
        return [tool.name for tool in (await self._client.list_tools()).tools]


@contextlib.asynccontextmanager
async def connected(data_dir: Path, environment: Mapping[str, str]) -> AsyncIterator[Session]:
    """A session with a `lyra serve` of its own over `data_dir`."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "lyra", "--data-dir", str(data_dir), "serve"],
        env={**os.environ, **environment},
    )
    try:
        async with Client(server) as client:
            yield Session(client)
    except BaseExceptionGroup as group:  # the client's own task groups wrap what ended the session
        raise innermost(group) from None
    except MCPError as exc:
        raise PipelineError(f"The server ended: {exc}", remedy="Run `lyra doctor`; its log says why.") from exc
