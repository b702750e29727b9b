"""The dashboard as one ASGI application: its addresses, its errors as pages, its files."""

import asyncio

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from lyra.app import Lyra
from lyra.errors import InvalidParams, LyraError, TaskNotFound
from lyra.remedies import for_terminal
from lyra.request_limits import RequestLimits
from lyra.translate import say, translate
from lyra.web import figures, live
from lyra.web.guard import Access, Guard
from lyra.web.pages import (
    calibration,
    claims,
    exports,
    graph,
    preferences,
    review,
    search,
    source_page,
    sources,
    tasks,
    timeline,
    waiting,
)
from lyra.web.pages.parts import BeyondLastPart
from lyra.web.preferences import LanguageChoice
from lyra.web.render import page
from lyra.web.team import TeamGuard

_ROUTES = [
    Route("/", tasks.task_list),
    Route("/tasks/{task_id}", tasks.overview),
    Route("/tasks/{task_id}/share", tasks.share, methods=["POST"]),
    Route("/tasks/{task_id}/claims", claims.claim_list),
    Route("/tasks/{task_id}/graph", graph.graph),
    Route("/tasks/{task_id}/graph.json", graph.graph_data),
    Route("/tasks/{task_id}/timeline", timeline.timeline),
    Route("/tasks/{task_id}/sources", sources.of_task),
    Route("/tasks/{task_id}/review", review.queue),
    Route("/tasks/{task_id}/review", review.decide, methods=["POST"]),
    Route("/tasks/{task_id}/review/undo", review.undo, methods=["POST"]),
    Route("/tasks/{task_id}/export/{name}", exports.export),
    Route("/claims/{claim_id}", claims.claim),
    Route("/pages/{page_id}", source_page.source_page),
    Route("/pages/{page_id}/copy", source_page.copy),
    Route("/pages/{page_id}/file", source_page.file),
    Route("/pages/{page_id}/screenshot", source_page.screenshot),
    Route("/sources", sources.all_sources),
    Route("/sources", sources.set_level, methods=["POST"]),
    Route("/waiting", waiting.waiting),
    Route("/waiting", waiting.decide, methods=["POST"]),
    Route("/calibration", calibration.calibration),
    Route("/search", search.search),
    Route("/preferences", preferences.choose, methods=["POST"]),
    Route("/live", live.events),
    Route("/figures.css", figures.style),
    Mount("/static", StaticFiles(packages=[("lyra.web", "static")])),
]


def application(lyra: Lyra, access: Access, stopping: asyncio.Event) -> ASGIApp:
    """The whole dashboard over an open Lyra; open event streams end when `stopping` is set."""
    return LanguageChoice(Guard(_screens(lyra, stopping), access))


def team_application(lyra: Lyra, owner_token: str, limits: RequestLimits, stopping: asyncio.Event) -> ASGIApp:
    """The dashboard of a shared server, where everyone signs in with their token."""
    guarded = TeamGuard(_screens(lyra, stopping), lyra.people, owner_token, limits, lyra.clock)
    return LanguageChoice(guarded)


def _screens(lyra: Lyra, stopping: asyncio.Event) -> Starlette:
    app = Starlette(
        routes=_ROUTES,
        exception_handlers={
            LyraError: _lyra_error,
            HTTPException: _http_error,
            BeyondLastPart: _last_part,
            500: _internal_error,
        },
    )
    app.state.lyra = lyra
    app.state.stopping = stopping
    return app


async def _lyra_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, LyraError)
    status = 404 if isinstance(error, TaskNotFound) else 400 if isinstance(error, InvalidParams) else 503
    return page(request, "error.html", status, message=translate(error.message), remedy=_remedy(error))


def _remedy(error: LyraError) -> str:
    """What a person can do next, by commands: whoever reads this in a browser has no tools."""
    return for_terminal(translate(error.remedy), error.retry_after_s) if error.remedy else ""


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    is_missing = error.status_code == 404
    message = say("There is nothing at this address.") if is_missing else say("This address does not take that.")
    return page(request, "error.html", error.status_code, message=message, remedy=None)


async def _last_part(request: Request, error: Exception) -> Response:
    assert isinstance(error, BeyondLastPart)
    query = request.url.include_query_params(part=error.last).query
    return RedirectResponse(f"{request.url.path}?{query}", status_code=303)


async def _internal_error(request: Request, error: Exception) -> Response:
    return page(
        request,
        "error.html",
        500,
        message=say("Something unexpected went wrong."),
        remedy=say("Load the page again; the log in the data directory has the details."),
    )
