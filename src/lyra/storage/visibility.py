"""What a person with a token reads in SQL: every table and view as if only the tasks existed that the person sees.

The database is attached under a name that the client cannot know, and under the names that it does know stand views of
the rows that belong to visible tasks. So a statement cannot reach past them, however it names a table.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from apsw import Connection

from lyra.storage import graph_views
from lyra.storage.shown_addresses import ADDRESSES, LOOKED_UP, LOOKING_UP, VIEWED, ShownAddresses

VISIBLE_TASKS = "visible_tasks"
# Stands in the text of the analyses for the beginning of names that are drawn for each connection.
_WHOLE = "before_whole_"
_SEEN = f"select id from temp.{VISIBLE_TASKS}"
_BY_TASK = f"t.task_id in ({_SEEN})"


def _page(page_id: str) -> str:
    """That a visible task has reached the page."""
    return f"exists (select 1 from {{db}}.task_pages r where r.page_id = {page_id} and r.task_id in ({_SEEN}))"


def _work(work_id: str) -> str:
    return f"exists (select 1 from {{db}}.pages p where p.work_id = {work_id} and {_page('p.id')})"


def _claim(claim_id: str) -> str:
    return f"exists (select 1 from {{db}}.claims c where c.id = {claim_id} and c.task_id in ({_SEEN}))"


def _fragment(fragment_id: str) -> str:
    return f"exists (select 1 from {{db}}.fragments f where f.id = {fragment_id} and {_page('f.page_id')})"


def _entity(entity_id: str) -> str:
    return f"exists (select 1 from {{db}}.entity_keys k where k.entity_id = {entity_id} and {_page('k.page_id')})"


_BY_SEARCH = f"exists (select 1 from {{db}}.queries q where q.id = t.query_id and q.task_id in ({_SEEN}))"
_BY_PAGE = _page("t.page_id")

# Which rows of a table a person sees, `t` being the row. A test holds that every readable table stands here.
ROWS: Mapping[str, str] = MappingProxyType(
    {
        "tasks": f"t.id in ({_SEEN})",
        "queries": _BY_TASK,
        "serp_items": _BY_SEARCH,
        "derived_queries": _BY_SEARCH,
        "works": _work("t.id"),
        "pages": _page("t.id"),
        "page_versions": _BY_PAGE,
        "mementos": _BY_PAGE,
        "fragments": _BY_PAGE,
        "resource_index": f"({_BY_PAGE} or {_work('t.work_id')})",
        "claims": _BY_TASK,
        "claim_mentions": _claim("t.claim_id"),
        "edges": f"({_BY_TASK} or (t.task_id is null and {_page('t.source_id')} and {_page('t.target_id')}))",
        "claim_sources": _BY_TASK,
        "reviews": _BY_TASK,
        "review_queue": _BY_TASK,
        "claim_sides": _BY_TASK,
        "claim_years": _BY_TASK,
        "claim_spans": _BY_TASK,
        "task_years": _BY_TASK,
        "task_decades": _BY_TASK,
        "task_pages": _BY_TASK,
        "page_groups": _BY_TASK,
        "citation_flows": _BY_TASK,
        "page_links": _BY_PAGE,
        "task_references": _BY_TASK,
        "embeddings": f"iif(t.target_type = 'claim', {_claim('t.target_id')}, {_fragment('t.target_id')})",
        "calibration_evaluations": "true",
        "domains": f"exists (select 1 from {{db}}.pages p where p.domain = t.domain and {_page('p.id')})",
        "promotions": _claim("t.claim_id"),
        "injection_findings": _BY_PAGE,
        "rechecks": _BY_TASK,
        "recheck_runs": _BY_TASK,
        "page_files": _BY_PAGE,
        "entities": _entity("t.id"),
        "entity_keys": _BY_PAGE,
        "entity_facts": _BY_PAGE,
        "same_entities": f"({_entity('t.first_id')} and {_entity('t.second_id')})",
        "fragments_fts": f"exists (select 1 from {{db}}.fragments f where f.seq = t.rowid and {_page('f.page_id')})",
        "claims_fts": f"exists (select 1 from {{db}}.claims c where c.seq = t.rowid and c.task_id in ({_SEEN}))",
    }
)
# Views have no row number of their own, and a full-text index has a column that `*` leaves out. Its rank is left out:
# it counts everyone's texts, and would tell how often a word stands in those that are not seen.
_COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "edges": "t.rowid, t.*",
        "fragments_fts": "t.rowid, t.*, t.fragments_fts",
        "claims_fts": "t.rowid, t.*, t.claims_fts",
    }
)


def hide_other_tasks(connection: Connection, schema: str, addresses: ShownAddresses | None = None) -> None:
    """Put views of what visible tasks hold before the tables of the database attached as `schema`; none is visible.

    With `addresses` they show these without secrets, and what looks them up whole has views with names of its own.
    """
    connection.execute(f"create temp table {VISIBLE_TASKS} (id text primary key) without rowid")
    for table, rows in ROWS.items():
        shown = _COLUMNS.get(table, "t.*")
        if addresses is not None and table in ADDRESSES:
            shown = addresses.columns(schema, table, ADDRESSES[table])
        connection.execute(
            f"create temp view {table} as select {shown} from {schema}.{table} t where {rows.format(db=schema)}"
        )
    for table in LOOKED_UP if addresses is not None else ():
        connection.execute(
            f"create temp view {schema}_{table} as select t.* from {schema}.{table} t"
            f" where {ROWS[table].format(db=schema)}"
        )


def show_tasks(connection: Connection, task_ids: Collection[str]) -> None:
    """From now on these tasks are visible, and no others."""
    with connection:
        connection.execute(f"delete from temp.{VISIBLE_TASKS}")
        connection.executemany(f"insert into temp.{VISIBLE_TASKS} values (?)", [(one,) for one in task_ids])


def add_analyses(connection: Connection, sql: str, schema: str, addresses: ShownAddresses | None = None) -> None:
    """Make the analyses that `sql` may name, where they are missing: making all takes longer than most statements."""
    asked = sql.casefold()
    for name, text in graph_views.rendered("" if addresses is None else _WHOLE).items():
        if name not in asked:
            continue
        if addresses is None or name not in LOOKING_UP:
            connection.execute(f"create temp view if not exists {name} as\n{text}")
            continue
        inner = f"{schema}_{name}"
        connection.execute(f"create temp view if not exists {inner} as\n{text.replace(_WHOLE, f'{schema}_')}")
        shown = addresses.columns("temp", inner, VIEWED[name])
        connection.execute(f"create temp view if not exists {name} as select {shown} from {inner} t")
