"""An answer of the boundary as a tool's result: the same fields as text and in structured form."""

import json
from typing import Any

import mcp_types as types


def as_text(fields: dict[str, Any]) -> str:
    """Compact, Japanese as it is written."""
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def result_of(fields: dict[str, Any]) -> types.CallToolResult:
    """The result of a call; an answer that is not `ok` is an error."""
    content = [types.TextContent(type="text", text=as_text(fields))]
    return types.CallToolResult(content=content, structured_content=fields, is_error=not fields["ok"])
