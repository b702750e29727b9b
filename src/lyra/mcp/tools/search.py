"""The tool that works: search."""

from lyra.mcp.contracts import LyraMeta, SearchIn, SearchOut
from lyra.mcp.tool import Call, Tool
from lyra.model.search import SearchOptions, Source, Vertical
from lyra.research.answers import search_fields
from lyra.research.searches import SearchReport


async def _search(call: Call, given: SearchIn) -> SearchOut:
    wanted = given.options
    extra = wanted.extend_budget if wanted else None
    search = await call.lyra.searches.start(
        given.task_id,
        given.query,
        _options(given),
        extend_pages=extra.pages if extra else 0,
        extend_seconds=extra.seconds if extra else 0.0,
    )
    asked = wanted.wait_seconds if wanted else None
    limit = call.lyra.settings.server.wait_seconds if asked is None else asked
    return answer_of(await call.lyra.searches.wait(search.id, limit, call.progress))


def answer_of(report: SearchReport) -> SearchOut:
    """A search as it stands, as the tool answers it."""
    meta = LyraMeta(unverified_domains=list(report.unverified_domains), blocked_domains=list(report.blocked_domains))
    return SearchOut.model_validate({**search_fields(report), "_lyra_meta": meta})


def _options(given: SearchIn) -> SearchOptions:
    wanted = given.options
    if wanted is None:
        return SearchOptions()
    return SearchOptions(
        engines=tuple(wanted.engines) if wanted.engines else None,
        sources=tuple(Source(name) for name in wanted.sources) if wanted.sources else None,
        max_pages=wanted.max_pages,
        seek_primary=wanted.seek_primary,
        refute=wanted.refute,
        claim_ids=tuple(wanted.claim_ids),
        auth_priority=wanted.auth_priority,
        vertical=Vertical(wanted.vertical) if wanted.vertical else None,
    )


TOOLS = (
    Tool(
        name="search",
        title="Search and judge",
        description=(
            "Run your query: search the web and academic indexes, fetch and read pages, extract claims, judge what "
            'supports and refutes them. Answers within 20 s; if status is "running" the work goes on, poll get_status. '
            "refute=true looks for evidence against. Confidence is evidence alone: 0.5 means nothing known."
        ),
        takes=SearchIn,
        gives=SearchOut,
        answer=_search,
        is_open_world=True,
    ),
)
