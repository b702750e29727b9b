"""Tools about tasks, searches and the graph: create_task, get_status, stop_task, search, query_graph, vector_search."""

from dataclasses import replace

from lyra.answers.research import (
    CreateTaskAnswer,
    QueryAnswer,
    SimilarTextsAnswer,
    StatusAnswer,
    StopTaskAnswer,
)
from lyra.answers.search import SearchAnswer
from lyra.errors import InvalidParams
from lyra.mcp.inputs import (
    CreateTaskIn,
    GetStatusIn,
    QueryGraphIn,
    QueryOptions,
    SearchIn,
    StopTaskIn,
    VectorSearchIn,
)
from lyra.mcp.tool import CallContext, Tool
from lyra.model.person import Role
from lyra.model.search import Search, SearchOptions, Source, Vertical
from lyra.model.task import Budget, Granularity, Hypothesis, Polarity, TaskConfig


async def _create_task(context: CallContext, given: CreateTaskIn) -> CreateTaskAnswer:
    task, claim_ids = await context.lyra.tasks.create(given.query, _task_config(context, given))
    return CreateTaskAnswer.from_task(task, claim_ids)


def _task_config(context: CallContext, given: CreateTaskIn) -> TaskConfig:
    defaults = context.lyra.settings.research
    budget = Budget(defaults.max_pages, defaults.max_seconds)
    if given.config is None:
        return TaskConfig(budget=budget)
    config = given.config
    return TaskConfig(
        # What the client leaves out comes from the settings, not from the defaults of the schema.
        budget=replace(budget, **config.budget.model_dump(exclude_unset=True)) if config.budget else budget,
        priority_domains=tuple(config.priority_domains),
        language=config.language,
        hypotheses=tuple(
            Hypothesis(h.text, Polarity(h.expected_polarity), Granularity(h.granularity)) for h in config.hypotheses
        ),
    )


async def _get_status(context: CallContext, given: GetStatusIn) -> StatusAnswer:
    report = await context.lyra.status.wait(
        given.task_id, given.wait_seconds, context.progress, until_done=given.until == "done"
    )
    answer = StatusAnswer.from_report(report)
    for row in answer.searches or ():
        row.created_at = None  # only for `lyra task show`
    return answer


async def _stop_task(context: CallContext, given: StopTaskIn) -> StopTaskAnswer:
    stopped = await context.lyra.tasks.stop(given.task_id, given.reason)
    return StopTaskAnswer.from_stopped(given.task_id, stopped)


async def _search(context: CallContext, given: SearchIn) -> SearchAnswer:
    options = given.options
    search = await _started(context, given)
    asked_s = options.wait_seconds if options else None
    # Clients hang up after a time that they do not tell: unless they ask for more, what they have waited counts.
    limit_s = context.lyra.settings.server.wait_seconds - context.elapsed_s if asked_s is None else asked_s
    return SearchAnswer.from_report(await context.lyra.searches.wait(search.id, limit_s, context.progress))


async def _started(context: CallContext, given: SearchIn) -> Search:
    """A new search, or the one that the client goes on waiting for."""
    searches, options = context.lyra.searches, given.options
    if options is not None and options.search_id is not None:
        search = await searches.get(options.search_id)
        if search.task_id != given.task_id:
            raise InvalidParams(
                f"The search {search.id} is not one of this task.", remedy="get_status lists the task's searches."
            )
        return search
    extra = options.extend_budget if options else None
    return await searches.start(
        given.task_id,
        given.query,
        _search_options(given),
        extend_pages=extra.pages if extra else 0,
        extend_seconds=extra.seconds if extra else 0.0,
    )


def _search_options(given: SearchIn) -> SearchOptions:
    options = given.options
    if options is None:
        return SearchOptions()
    return SearchOptions(
        engines=tuple(options.engines) if options.engines else None,
        sources=tuple(Source(name) for name in options.sources) if options.sources else None,
        max_pages=options.max_pages,
        seek_primary=options.seek_primary,
        refute=options.refute,
        claim_ids=tuple(options.claim_ids),
        auth_priority=options.auth_priority,
        vertical=Vertical(options.vertical) if options.vertical else None,
    )


async def _query_graph(context: CallContext, given: QueryGraphIn) -> QueryAnswer:
    options = given.options or QueryOptions.model_validate({})
    return QueryAnswer.from_result(await context.lyra.graph.query(given.sql, **options.model_dump()))


async def _vector_search(context: CallContext, given: VectorSearchIn) -> SimilarTextsAnswer:
    found = await context.lyra.graph.similar(
        given.query,
        target=given.target,
        task_id=given.task_id,
        top_k=given.top_k,
        min_similarity=given.min_similarity,
    )
    return SimilarTextsAnswer.from_hits(found)


TOOLS = (
    Tool(
        name="create_task",
        title="Create a research task",
        description=(
            "Start a research task. Break the question into atomic hypotheses yourself; they become claims that every "
            "finding is judged against. Returns task_id and claim ids."
        ),
        input_model=CreateTaskIn,
        answer_model=CreateTaskAnswer,
        handler=_create_task,
        needs=Role.RESEARCHER,
    ),
    Tool(
        name="get_status",
        title="Task status",
        description=(
            "All about a task: hypotheses with verdicts, searches with what they changed, metrics, budget, "
            "auth queue, blocked domains. With wait_seconds it answers when a search moves on, or with until=done when "
            "none runs. A failed search tells error_code and remedy."
        ),
        input_model=GetStatusIn,
        answer_model=StatusAnswer,
        handler=_get_status,
        is_read_only=True,
        is_idempotent=True,
    ),
    Tool(
        name="stop_task",
        title="Stop a task",
        description="End a task and sum it up. Its graph stays; a new search goes on with it.",
        input_model=StopTaskIn,
        answer_model=StopTaskAnswer,
        handler=_stop_task,
        needs=Role.RESEARCHER,
        is_idempotent=True,
    ),
    Tool(
        name="search",
        title="Search and judge",
        description=(
            "Run your query: search web and academic indexes, read pages, extract claims, judge what "
            "supports and refutes them. Answers in 4 s with your hypotheses, which verdicts changed, and this query's "
            'claims; if status is "running" the work goes on: get_status with until=done, or search with its '
            "search_id. Confidence is evidence alone: 0.5 means nothing known."
        ),
        input_model=SearchIn,
        answer_model=SearchAnswer,
        handler=_search,
        needs=Role.RESEARCHER,
        is_open_world=True,
    ),
    Tool(
        name="query_graph",
        title="Query the Evidence Graph",
        description=(
            "One read-only SELECT over the evidence tables and views, e.g. SELECT * FROM v_contradictions WHERE "
            "task_id='…'. include_schema lists tables, columns and what each view is for. FTS: SELECT … FROM "
            "fragments_fts WHERE fragments_fts MATCH '…'."
        ),
        input_model=QueryGraphIn,
        answer_model=QueryAnswer,
        handler=_query_graph,
        is_read_only=True,
        is_idempotent=True,
    ),
    Tool(
        name="vector_search",
        title="Search by meaning",
        description="Claims or fragments nearest in meaning to a text; then read them whole with query_graph.",
        input_model=VectorSearchIn,
        answer_model=SimilarTextsAnswer,
        handler=_vector_search,
        is_read_only=True,
        is_idempotent=True,
    ),
)
