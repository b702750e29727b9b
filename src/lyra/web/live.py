"""Live updates: a stream of events that tells a page to load its changed parts again.

Pages are never sent by the stream: the browser asks for the same address again and puts in what has changed, so that
there is one way to make a page.
"""

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import StreamingResponse

from lyra.app import Lyra
from lyra.storage import dashboard
from lyra.web.pages.parts import lyra_of

_POLL_S = 0.5
_HEARTBEAT_S = 10.0
_RETRY_MS = 2000


async def events(request: Request) -> StreamingResponse:
    """`change` whenever something was written that a page shows, by this process or another one."""
    lyra = lyra_of(request)
    task_id = request.query_params.get("task") or None
    if task_id is not None:
        await lyra.tasks.get(task_id)
    stream = _changes(lyra, task_id, request.app.state.stopping)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


async def _changes(lyra: Lyra, task_id: str | None, stopping: asyncio.Event) -> AsyncIterator[str]:
    mark = await lyra.db.read(dashboard.change_mark, task_id)
    written = lyra.db.last_write()
    yield f"retry: {_RETRY_MS}\nevent: hello\ndata: {{}}\n\n"
    quiet_s = 0.0
    while not stopping.is_set():
        await lyra.clock.sleep(_POLL_S)
        quiet_s += _POLL_S
        if quiet_s >= _HEARTBEAT_S:
            quiet_s = 0.0
            yield ": still here\n\n"
        if (now_written := lyra.db.last_write()) == written:
            continue
        written = now_written
        if (now := await lyra.db.read(dashboard.change_mark, task_id)) != mark:
            mark = now
            yield "event: change\ndata: {}\n\n"
