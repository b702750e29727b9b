"""The graph of a task, or of what is around one claim: as a drawing, and as a list for those who do not see it."""

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lyra.model.dashboard import GraphNode, TaskGraph
from lyra.model.task import Task
from lyra.redact.redactor import PLAIN
from lyra.storage import claims, dashboard, task_graphs
from lyra.text import strip_control_chars
from lyra.translate import say
from lyra.web.pages.parts import lyra_of, not_found
from lyra.web.render import page

_MAX_NODES = 2000
_LISTED = 25


async def graph(request: Request) -> Response:
    """The screen; the drawing loads its data by itself."""
    task, found, claim = await _graph(request)
    by_degree = sorted(found.nodes, key=lambda node: (-node.degree, node.label))
    lyra = lyra_of(request)
    listed_claims = [node for node in by_degree if node.kind != "page"][:_LISTED]
    listed_pages = [node for node in by_degree if node.kind == "page"][:_LISTED]
    return page(
        request,
        "graph.html",
        task=task,
        found=found,
        claim=claim,
        claims=listed_claims,
        pages=listed_pages,
        retracted=await lyra.db.read(dashboard.retracted_sources, [node.id for node in listed_claims]),
        retracted_pages=await lyra.db.read(dashboard.retracted_pages, [node.id for node in listed_pages]),
    )


async def graph_data(request: Request) -> Response:
    """Nodes, and links as places of their ends among them."""
    task, found, _ = await _graph(request)
    is_own = lyra_of(request).person.may_change(task.owner)
    places = {node.id: place for place, node in enumerate(found.nodes)}
    drawn = [node.id for node in found.nodes if node.kind == "page"]
    retracted = await lyra_of(request).db.read(dashboard.retracted_pages, drawn)
    nodes = [{**asdict(node), "label": _label(node, is_own, node.id in retracted)} for node in found.nodes]
    links = [(places[link.source], places[link.target], link.relation) for link in found.links]
    return JSONResponse({"nodes": nodes, "links": links})


def _label(node: GraphNode, is_own: bool, is_retracted: bool) -> str:
    label = strip_control_chars(node.label if is_own else PLAIN.address(node.label))
    return say("{name} (retracted)", name=label) if is_retracted else label


async def _graph(request: Request) -> tuple[Task, TaskGraph, str | None]:
    lyra = lyra_of(request)
    task = await lyra.tasks.get(request.path_params["task_id"])
    claim_id = request.query_params.get("claim")
    if claim_id is None:
        return task, await lyra.db.read(task_graphs.of_task, task.id, _MAX_NODES), None
    centre = await lyra.db.read(claims.get, claim_id)
    if centre is None or centre.claim.task_id != task.id:
        raise not_found()
    found = await lyra.db.read(task_graphs.around_claim, task.id, claim_id, _MAX_NODES)
    return task, found, centre.claim.claim_text
