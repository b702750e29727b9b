"""The Tasks extension (SEP-2663): a client that declares it gets a search as a durable task, others the plain result.

The task is the search itself, in the same table: its id outlives connections, servers and restarts.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types.jsonrpc import HEADER_MISMATCH
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import Field

from lyra.answers.addresses import redactor_for
from lyra.answers.search import SearchAnswer
from lyra.clock import stamp
from lyra.errors import InvalidParams
from lyra.mcp.boundary import Boundary, as_text
from lyra.mcp.inputs import Input
from lyra.mcp.tool import CallContext, Tool
from lyra.model.search import Search, SearchStatus
from lyra.research.searches import no_progress

if TYPE_CHECKING:
    from lyra.app import Lyra

EXTENSION = "io.modelcontextprotocol/tasks"
_POLL_MS = 2000
_MISSING_CAPABILITY = -32021
_STATES = {SearchStatus.RUNNING: "working", SearchStatus.CANCELLED: "cancelled"}


class _TaskParams(types.RequestParams):
    task_id: str = Field(alias="taskId")


class _ResultIn(Input):
    search_id: str


async def _result(context: CallContext, given: _ResultIn) -> SearchAnswer:
    return SearchAnswer.from_report(await context.lyra.searches.wait(given.search_id, 0))


_RESULT = Tool("search", "Result of a search", "", _ResultIn, SearchAnswer, _result)


class SearchTasks:
    """Answers `tasks/get`, `tasks/update` and `tasks/cancel` from the table of searches."""

    def __init__(self, lyra: "Lyra") -> None:
        self._lyra = lyra
        self._boundary = Boundary(
            lyra,
            (_RESULT,),
            max_answer_bytes=lyra.settings.server.max_answer_bytes,
            person=lyra.person,
            find_warnings=lyra.warnings.flagged_pages,
            redactor=redactor_for(lyra.settings),
        )

    def is_wanted(self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> bool:
        """Whether this call may be answered by a task: a search without a wait of its own, and the client knows how."""
        options = (params.arguments or {}).get("options") or {}
        has_no_wait = isinstance(options, Mapping) and options.get("wait_seconds") is None
        return params.name == "search" and has_no_wait and _is_declared(ctx)

    async def created(self, search_id: str) -> dict[str, Any]:
        """The handle of a search that is under way."""
        return {"resultType": "task", **_task(await self._lyra.searches.get(search_id))}

    async def get(self, ctx: ServerRequestContext[Any], params: _TaskParams) -> dict[str, Any]:
        search = await self._find(ctx, params)
        task = {"resultType": "complete", **_task(search)}
        if task["status"] == "completed":
            task["result"] = _result_fields(await self._boundary.call("search", {"search_id": search.id}, no_progress))
        elif task["status"] == "working":
            await self._lyra.tasks.record_call(search.task_id)  # a client that polls keeps the search from being paused
        return task

    async def update(self, ctx: ServerRequestContext[Any], params: _TaskParams) -> dict[str, Any]:
        """Nothing to do: a search never asks for input."""
        await self._find(ctx, params)
        return {"resultType": "complete"}

    async def cancel(self, ctx: ServerRequestContext[Any], params: _TaskParams) -> dict[str, Any]:
        search = await self._find(ctx, params)
        await self._lyra.searches.cancel(search.id)
        return {"resultType": "complete"}

    async def _find(self, ctx: ServerRequestContext[Any], params: _TaskParams) -> Search:
        if not _is_declared(ctx):
            needed: dict[str, Any] = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
            raise MCPError(_MISSING_CAPABILITY, "Missing required client capability", needed)
        named = ctx.request.headers.get("mcp-name") if ctx.request is not None else None
        if named is not None and named.strip() != params.task_id:
            raise MCPError(HEADER_MISMATCH, "The header Mcp-Name does not name the task of the request.")
        try:
            return await self._lyra.searches.get(params.task_id)
        except InvalidParams as exc:
            raise MCPError(types.INVALID_PARAMS, exc.message) from exc


def add_search_tasks(
    server: Server[Any], opened: Callable[[ServerRequestContext[Any]], Awaitable[SearchTasks]]
) -> None:
    """Announce the extension and serve its methods."""

    async def get(ctx: ServerRequestContext[Any], params: _TaskParams) -> dict[str, Any]:
        return await (await opened(ctx)).get(ctx, params)

    async def update(ctx: ServerRequestContext[Any], params: _TaskParams) -> dict[str, Any]:
        return await (await opened(ctx)).update(ctx, params)

    async def cancel(ctx: ServerRequestContext[Any], params: _TaskParams) -> dict[str, Any]:
        return await (await opened(ctx)).cancel(ctx, params)

    server.extensions[EXTENSION] = {}
    for name, answer in (("get", get), ("update", update), ("cancel", cancel)):
        server.add_request_handler(f"tasks/{name}", _TaskParams, answer)


def _result_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """An answer of the boundary as the result of a tool call on the wire."""
    content = [{"type": "text", "text": as_text(fields)}]
    return {"content": content, "structuredContent": fields, "isError": not fields["ok"]}


def _task(search: Search) -> dict[str, Any]:
    message = search.reason or f"{search.phase}: {search.pages_fetched} pages read"
    return {
        "taskId": search.id,
        "status": _STATES.get(search.status, "completed"),
        "statusMessage": message,
        "createdAt": stamp(search.created_at),
        "lastUpdatedAt": stamp(search.finished_at or search.started_at or search.created_at),
        "ttlMs": None,
        "pollIntervalMs": _POLL_MS,
    }


def _is_declared(ctx: ServerRequestContext[Any]) -> bool:
    capabilities = ctx.session.client_capabilities
    declared = capabilities.extensions if capabilities else None
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and EXTENSION in (declared or {})
