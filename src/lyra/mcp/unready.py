"""The server that could not start: it lists its tools, and every call is answered with what is wrong and what to do.

A client shows nobody what a server writes to stderr before it dies; an answer it shows.
"""

import re
from typing import Any

import mcp_types as types
from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from lyra.errors import LyraError
from lyra.mcp.boundary import refused
from lyra.mcp.result import result_of
from lyra.mcp.server import serving

# Answers name files, not where on the machine they lie (L7).
_FOLDERS = re.compile(r"(?<![\w:])(?:[A-Za-z]:)?[\\/](?:[^\s\\/:'\"]+[\\/])+(?=[^\s\\/])")
_RESTART = "Then restart the client, which starts the server anew."


def build_unready(error: LyraError) -> Server[Any]:
    """A server whose every answer is that error."""
    fields = refused(error)
    fields["error"] = f"Lyra could not start. {_FOLDERS.sub('', fields['error'])}"
    fields["remedy"] = f"{_FOLDERS.sub('', fields.get('remedy', 'See the log.'))} {_RESTART}"

    async def call_tool(_: ServerRequestContext[Any], __: types.CallToolRequestParams) -> HandlerResult:
        return result_of(fields)

    async def read_resource(
        _: ServerRequestContext[Any], __: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        raise MCPError(code=types.INTERNAL_ERROR, message=fields["error"], data=fields)

    server = serving(f"{fields['error']} {fields['remedy']}", read_resource)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    return server
