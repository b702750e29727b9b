"""Asking the user through the client's own window, where the client has one, in either protocol version.

Since revision 2026-07-28 a call is answered with a request for input and then repeated with it; before, the server
sends a request of its own. Either way the question is in the database, so that a terminal may answer it first.
"""

import asyncio
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from lyra.errors import InvalidParams
from lyra.mcp.inputs import WaitForUserIn, WaitOptions
from lyra.mcp.tools.handoff import new_question
from lyra.model.handoff import Question
from lyra.observe.log import get_logger

if TYPE_CHECKING:
    from lyra.app import Lyra

TOOL = "wait_for_user"
_KEY = "answer"
_VIA = "the client's window"
_log = get_logger(__name__)


class Elicitation:
    """Puts the questions of `wait_for_user` to the client's user."""

    def __init__(self, lyra: "Lyra") -> None:
        self._lyra = lyra
        # Windows that stay open after their call has answered "pending"; an answer there is still stored.
        self._open: set[asyncio.Task[None]] = set()

    def is_wanted(self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> bool:
        """Whether this call asks a new question and the client can show it."""
        options = (params.arguments or {}).get("options")
        is_new = not (isinstance(options, dict) and options.get("wait_id"))
        return params.name == TOOL and is_new and _can_ask(ctx)

    async def take_answer(self, params: types.CallToolRequestParams) -> str | None:
        """Store the answer that a repeated call brings; the id of its question, None where it brings none."""
        given = (params.input_responses or {}).get(_KEY)
        if params.name != TOOL or params.request_state is None or not isinstance(given, types.ElicitResult):
            return None
        await self._store(params.request_state, given)
        return params.request_state

    async def ask(
        self, ctx: ServerRequestContext[Any], arguments: dict[str, Any]
    ) -> types.InputRequiredResult | dict[str, Any]:
        """Ask by a request for input, which answers this call, or by a request of our own while the call waits.

        Otherwise returns the arguments with which the call continues: for waiting, or the invalid ones unchanged.
        """
        try:
            given = WaitForUserIn.model_validate(arguments)
            options = given.options or WaitOptions.model_validate({})
            question = await new_question(self._lyra, given.prompt, options)
        except (ValidationError, InvalidParams):
            return arguments
        schema = _schema(question.choices)
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            form = types.ElicitRequestFormParams(message=question.prompt, requested_schema=schema)
            asked = {_KEY: types.ElicitRequest(params=form)}
            return types.InputRequiredResult(input_requests=asked, request_state=question.id)
        limit_s = (question.expires_at - self._lyra.clock.now()).total_seconds()
        asking = asyncio.create_task(self._ask(ctx, question, schema, limit_s))
        self._open.add(asking)
        asking.add_done_callback(self._open.discard)
        return {"options": {"wait_id": question.id, "wait_seconds": options.wait_seconds}}

    async def _ask(
        self, ctx: ServerRequestContext[Any], question: Question, schema: dict[str, Any], limit_s: float
    ) -> None:
        try:
            async with asyncio.timeout(limit_s):
                given = await ctx.session.elicit_form(question.prompt, schema, ctx.request_id)
        except (TimeoutError, MCPError) as exc:
            _log.info("the client's window gave no answer", wait_id=question.id, error=type(exc).__name__)
            return
        await self._store(question.id, given)

    async def _store(self, wait_id: str, given: types.ElicitResult) -> None:
        """A closed window leaves the question open; an invalid answer is ignored."""
        answer = (given.content or {}).get(_KEY)
        try:
            if given.action == "accept" and answer is not None:
                await self._lyra.questions.answer(wait_id, str(answer), _VIA)
            elif given.action == "decline":
                await self._lyra.questions.decline(wait_id, _VIA)
        except InvalidParams as exc:
            _log.info("the client's window gave no usable answer", wait_id=wait_id, error=exc.message)


def _schema(choices: tuple[str, ...]) -> dict[str, Any]:
    field: dict[str, Any] = {"type": "string", "title": "Answer"}
    if choices:
        field["enum"] = list(choices)
    return {"type": "object", "properties": {_KEY: field}, "required": [_KEY]}


def _can_ask(ctx: ServerRequestContext[Any]) -> bool:
    """Whether the client shows forms; before modes existed, a bare capability meant that."""
    capabilities = ctx.session.client_capabilities
    offered = capabilities.elicitation if capabilities else None
    return offered is not None and (offered.form is not None or offered.url is None)
