"""Tools that explore the Evidence Graph: query_graph, vector_search."""

from lyra.mcp.contracts import QueryGraphIn, QueryGraphOut, QueryOptions, VectorSearchIn, VectorSearchOut
from lyra.mcp.tool import Call, Tool
from lyra.research.answers import similar_fields


async def _query_graph(call: Call, given: QueryGraphIn) -> QueryGraphOut:
    options = given.options or QueryOptions.model_validate({})
    found = await call.lyra.graph.query(
        given.sql,
        limit=options.limit,
        timeout_ms=options.timeout_ms,
        max_vm_steps=options.max_vm_steps,
        include_schema=options.include_schema,
    )
    return QueryGraphOut.model_validate(
        {
            "rows": found.rows,
            "row_count": found.row_count,
            "columns": list(found.columns),
            "truncated": found.truncated,
            "elapsed_ms": found.elapsed_ms,
            "schema": found.schema,
        }
    )


async def _vector_search(call: Call, given: VectorSearchIn) -> VectorSearchOut:
    found = await call.lyra.graph.similar(
        given.query,
        target=given.target,
        task_id=given.task_id,
        top_k=given.top_k,
        min_similarity=given.min_similarity,
    )
    return VectorSearchOut.model_validate(similar_fields(found))


TOOLS = (
    Tool(
        name="query_graph",
        title="Query the Evidence Graph",
        description=(
            "One read-only SELECT over the evidence tables and views, e.g. SELECT * FROM v_contradictions WHERE "
            "task_id='…'. include_schema lists tables, columns and what each view is for. FTS: SELECT … FROM "
            "fragments_fts WHERE fragments_fts MATCH '…'."
        ),
        takes=QueryGraphIn,
        gives=QueryGraphOut,
        answer=_query_graph,
        is_read_only=True,
        is_idempotent=True,
    ),
    Tool(
        name="vector_search",
        title="Search by meaning",
        description="Claims or fragments nearest in meaning to a text; then read them whole with query_graph.",
        takes=VectorSearchIn,
        gives=VectorSearchOut,
        answer=_vector_search,
        is_read_only=True,
        is_idempotent=True,
    ),
)
