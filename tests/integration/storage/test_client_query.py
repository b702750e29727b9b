"""The executor of query_graph: what it refuses, what it stops, what it lets through."""

import asyncio

import pytest

from lyra.errors import InvalidParams, StorageError, TimedOut
from lyra.model.edge import Relation
from lyra.model.person import OWNER, Person, Role
from lyra.storage import client_query, edges, embeddings, graph_schema, graph_views
from tests.graph_queries import run_query

ONLY_READING = "Only reading is allowed: one SELECT statement, no PRAGMA, ATTACH or changes."
BUILT = "printf('%.*c', 990000, 'a')"


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("with x as (select 1) delete from claims", ONLY_READING),
        ("with x as (select 1) update claims set claim_text = 'x'", ONLY_READING),
        ("with x as (select 'c') insert into claims (id) select * from x", ONLY_READING),
        ("select load_extension('/tmp/x.so')", "The function load_extension() is not allowed."),
        ("select fts5_source_id()", "The function fts5_source_id() is not allowed."),
        ("select zeroblob(100000000)", "The function zeroblob() is not allowed."),
        ("select hex(randomblob(900000))", "The function randomblob() is not allowed."),
        ("select json_patch('{}', '{}')", "The function json_patch() is not allowed."),
        ("select sqlite_version()", "The function sqlite_version() is not allowed."),
        ("select * from sqlite_master", "The table 'sqlite_master' cannot be read."),
        ("select count(*) from SQLITE_SCHEMA", "The table 'sqlite_schema' cannot be read."),
        ("select 1 from sqlite_sequence", "The table 'sqlite_sequence' cannot be read."),
        ("select * from jobs", "The table 'jobs' cannot be read."),
        ("select count(*) from JOBS", "The table 'jobs' cannot be read."),
        ("select count(*) from main.leases", "The table 'leases' cannot be read."),
        ("select (select answer from serp_cache)", "The table 'serp_cache' cannot be read."),
        ("select * from claims where exists (select 1 from robots_cache)", "The table 'robots_cache' cannot be read."),
        ("select * from claims join event_log on 1", "The table 'event_log' cannot be read."),
        ("select * from intervention_queue", "The table 'intervention_queue' cannot be read."),
        ("select * from leases", "The table 'leases' cannot be read."),
        ("select * from meta", "The table 'meta' cannot be read."),
        ("select * from fragments_fts_data", "The table 'fragments_fts_data' cannot be read."),
        ("select count(*) from claims_fts_idx", "The table 'claims_fts_idx' cannot be read."),
        ("select * from pragma_table_info('jobs')", "The table 'pragma_table_info' cannot be read."),
        ("select count(*) from pragma_database_list", "The table 'pragma_database_list' cannot be read."),
        ("select count(*) from dbstat", "The table 'dbstat' cannot be read."),
        ("with jobs as (select 1) select count(*) from jobs", "The table 'jobs' cannot be read."),
        ("select stance from claims", "SQLite refuses the statement: no such column: stance."),
        ("select * from nowhere", "SQLite refuses the statement: no such table: nowhere."),
        ("select readfile('/etc/passwd')", "SQLite refuses the statement: no such function: readfile."),
        ("select 'never ended", 'SQLite refuses the statement: unrecognized token: "\'never ended".'),
        ("select * from claims_fts where claims_fts match 'a-b'", "SQLite refuses the statement: no such column: b."),
        ("select * from claims where id = ?", "Parameters such as ? are not taken."),
        ("select cast(x'ff' as text)", "A text in the result is not UTF-8."),
        (f"select {BUILT} || {BUILT}", "A value of the query is larger than 1000000 bytes."),
        (f"select replace({BUILT}, 'a', {BUILT})", "A value of the query is larger than 1000000 bytes."),
        (
            f"select {BUILT} like '%' || printf('%.*c', 40000, 'a') || 'b'",
            "SQLite refuses the statement: LIKE or GLOB pattern too complex.",
        ),
        (
            "select " + " + ".join(["(1 like 2)"] * 13),
            "At most 200 functions and 12 LIKE or GLOB patterns are taken.",
        ),
        (
            "select " + "+".join(["1"] * 300),
            "SQLite refuses the statement: Expression tree is too large (maximum depth 200).",
        ),
    ],
)
async def test_hostile_or_wrong_statements_are_refused(db, sql, message):
    """Default deny: what is not known to be safe is refused with the reason."""
    with pytest.raises(InvalidParams) as refused:
        await run_query(db.path, sql)

    assert refused.value.message == message


async def test_a_second_statement_does_not_run_even_if_the_text_hid_it(db, monkeypatch):
    """Guards in depth: should a trick ever pass the check of the text, SQLite still stops before the second."""
    monkeypatch.setattr(client_query, "check_text", lambda sql: None)

    with pytest.raises(InvalidParams) as refused:
        await run_query(db.path, "select 1 as one; select 2 as two")

    assert refused.value.message == "There is more than one statement."


@pytest.mark.parametrize(
    ("sql", "limit"),
    [
        ("with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n", "VM steps"),
        ("with recursive n(i) as (select 1 union all select i + 1 from n) select max(m.i) from n, n as m", "VM steps"),
        (f"with recursive n(s) as (select {BUILT} union all select s from n) select s from n order by s", "memory"),
        ("select count(*) from json_each('[' || replace(printf('%.*c', 99999, '1'), '1', '1,') || '1]') a, "
         "json_each('[' || replace(printf('%.*c', 99999, '1'), '1', '1,') || '1]') b", "VM steps"),
    ],
    ids=["endless recursion", "recursion joined with itself", "sorting megabytes", "cross join"],
)  # fmt: skip
async def test_bombs_are_stopped(db, sql, limit):
    """Each ends at one of the limits it was given, and says which."""
    with pytest.raises(TimedOut) as stopped:
        await run_query(db.path, sql, timeout_ms=2000)

    assert stopped.value.details == {"limit": limit}


async def test_time_stops_what_steps_do_not(db):
    """A statement of few but long instructions ends at its time, here 50 ms."""
    numbers = "with recursive n(i) as (select 1 union all select i + 1 from n)"
    sql = f"{numbers} select sum(length(upper({BUILT} || i))) from n"

    with pytest.raises(TimedOut) as stopped:
        await run_query(db.path, sql, timeout_ms=50, max_vm_steps=5_000_000)

    assert stopped.value.message == "The query was stopped at its limit of 50 ms."
    assert stopped.value.details == {"limit": "time"}


async def test_the_event_loop_goes_on_while_a_query_runs(db):
    """Other calls are answered while one client's query burns its time."""
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    query = asyncio.create_task(run_query(db.path, endless, timeout_ms=300, max_vm_steps=5_000_000))
    await asyncio.sleep(0)

    await asyncio.gather(*(asyncio.sleep(0) for _ in range(100)))
    was_running = not query.done()

    await asyncio.gather(query, return_exceptions=True)
    assert was_running


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("select replace('a;b', ';', ', drop ') as x", [("a, drop b",)]),
        ("select '; drop table claims --' as x", [("; drop table claims --",)]),
        ("/* why */ -- and how\nselect 1 as one;", [(1,)]),
        ("with recursive n(i) as (select 1 union all select i + 1 from n where i < 10) select sum(i) from n", [(55,)]),
        ("with a as (select 1), b as (select 2) select count(*) from a, b", [(1,)]),
        ("select count(*) from CLAIMS", [(5,)]),
        ("select count(*) from v_contradictions where task_id = 'task_00000000000a'", [(2,)]),
        ("select row_number() over (order by year) as n, year from pages limit 2", [(1, 2004), (2, 2013)]),
        ("select json_extract(authors, '$[0]') as a, '[7]' ->> 0 as b from pages limit 1", [(None, 7)]),
        ("select value from json_each('[1, \"二\"]')", [(1,), ("二",)]),
        ("select median(year) from pages", [(2014.0,)]),
        ("select distinct upper(relation) from edges where relation glob 's*'", [("SUPPORTS",)]),
        ("select strftime('%Y', '2026-03-14') as y", [("2026",)]),
        ("select x'00ff' as b, 9e999 as big, -9e999 as small, 9e999 - 9e999 as none",
         [({"blob_bytes": 2}, "Infinity", "-Infinity", None)]),
        ("select f.text_content from fragments_fts x join fragments f on f.seq = x.rowid "
         "where fragments_fts match '低下' order by rank", [("HbA1cの低下は認められなかった。",)]),
        ("select snippet(fragments_fts, 0, '[', ']', '…', 4) from fragments_fts where fragments_fts match 'rise'",
         [("…failure did not [rise].",)]),
        ("select claim_text from claims_fts where claims_fts match '\"心不全\" OR prolong' order by rowid",
         [("DPP-4阻害薬は心不全による入院を増やす。",), ("Gliptins prolong life.",)]),
    ],
)  # fmt: skip
async def test_ordinary_questions_are_answered(db, graph, sql, rows):
    """Words in literals, comments, views, full text in both languages, windows and JSON are all free to use."""
    answer = await run_query(db.path, sql)

    assert [tuple(row.values()) for row in answer.rows] == rows


async def test_columns_of_one_name_are_told_apart(db, graph):
    """A row is an object: the second `id` must not swallow the first."""
    answer = await run_query(db.path, "select 1 as id, 2 as id, 3 as id")

    assert answer.columns == ("id", "id_2", "id_3")
    assert answer.rows == ({"id": 1, "id_2": 2, "id_3": 3},)


async def test_column_names_are_cleaned_like_values(db, graph):
    """A name that the client wrote turns no text around and hides nothing; names that become equal are told apart."""
    answer = await run_query(db.path, 'select 1 as "<script>\u202e", 2 as "<scr\u200bipt>"')

    assert answer.columns == ("<script>", "<script>_2")
    assert answer.rows == ({"<script>": 1, "<script>_2": 2},)


async def test_an_empty_answer_still_has_its_columns(db):
    """A client that asks about an empty table learns what it would have got."""
    answer = await run_query(db.path, "select id, claim_text from claims")

    assert (answer.columns, answer.rows, answer.row_count, answer.truncated) == (("id", "claim_text"), (), 0, False)


@pytest.mark.parametrize(("limit", "row_count", "truncated"), [(4, 4, True), (5, 5, False), (200, 5, False)])
async def test_rows_beyond_the_limit_are_left_out_and_said_so(db, graph, limit, row_count, truncated):
    """Five pages: exactly at the limit nothing is missing."""
    answer = await run_query(db.path, "select id from pages", limit=limit)

    assert (answer.row_count, answer.truncated) == (row_count, truncated)


async def test_a_large_answer_is_cut(db):
    """A cell of 990,000 characters comes back as its beginning; rows past the size limit are left out."""
    one = await run_query(db.path, f"select {BUILT} as a")
    many = await run_query(db.path, f"select {BUILT} as a from json_each('[{','.join(['1'] * 30)}]')")

    assert (one.rows[0]["a"], one.truncated) == ("a" * client_query.MAX_CELL_CHARS, True)
    assert (many.row_count, many.truncated) == (client_query.MAX_RESULT_CHARS // client_query.MAX_CELL_CHARS, True)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("limit", 0, "limit is 0; it may be 1 to 200."),
        ("limit", 201, "limit is 201; it may be 1 to 200."),
        ("timeout_ms", 2001, "timeout_ms is 2001; it may be 1 to 2000."),
        ("max_vm_steps", 5_000_001, "max_vm_steps is 5000001; it may be 1 to 5000000."),
    ],
)
async def test_limits_out_of_range_are_refused(db, name, value, message):
    """SPEC §2 fixes how far a client may raise its own limits."""
    with pytest.raises(InvalidParams) as refused:
        await run_query(db.path, "select 1", **{name: value})

    assert refused.value.message == message


async def test_the_schema_names_tables_views_and_their_purpose(db):
    """include_schema is how a client finds its way: every entry can be read, and the vectors are left out."""
    answer = await run_query(db.path, "select 1", include_schema=True)

    entries = {entry["name"]: entry for entry in answer.schema or ()}
    counts = [await run_query(db.path, f"select count(*) from {name}") for name in entries]
    assert set(entries) == {*graph_views.rendered(), *graph_schema.TABLES}
    assert {count.row_count for count in counts} == {1}
    assert entries["v_hub_pages"]["purpose"] == (
        "Central sources: pages that support two or more claims. Citations are those known to the graph."
    )
    assert entries["embeddings"]["columns"] == [
        "seq", "id", "target_type", "target_id", "model_id", "dimension", "created_at",
    ]  # fmt: skip
    assert {"jobs", "leases", "event_log", "meta", "sqlite_schema"} & set(entries) == set()


async def test_without_being_asked_there_is_no_schema(db):
    """Nine kilobytes of schema in every answer would fill the client's context."""
    answer = await run_query(db.path, "select 1")

    assert answer.schema is None


async def test_a_column_that_nothing_fills_is_not_shown(db, graph):
    """`tasks.warnings` would say of every task that there are none; the schema does not offer it."""
    answer = await run_query(db.path, "select warnings from tasks limit 1", include_schema=True)

    columns = next(one["columns"] for one in answer.schema if one["name"] == "tasks")
    assert answer.rows == ({"warnings": None},)
    assert columns == [
        "id",
        "query",
        "status",
        "language",
        "max_pages",
        "max_seconds",
        "pages_used",
        "seconds_used",
        "priority_domains",
        "final_status",
        "reason",
        "settings_digest",
        "created_at",
        "last_call_at",
        "held_at",
        "owner",
        "is_shared",
    ]


async def test_vectors_themselves_are_not_readable(db, graph):
    """Whoever selects everything from embeddings gets null for the vector."""
    await db.write(embeddings.put_many, "claim", [(graph.c1.id, [0.6, 0.8])], "minilm")

    answer = await run_query(db.path, "select target_id, embedding_blob, dimension from embeddings")

    assert answer.rows == ({"target_id": graph.c1.id, "embedding_blob": None, "dimension": 2},)


async def test_a_query_sees_what_was_just_written(db, graph, make):
    """The guarded connection reads the write-ahead log like any other."""
    extra = make.stance(graph.f5, graph.c1, Relation.NEUTRAL, 0.4)
    await db.write(edges.insert_many, [extra])

    answer = await run_query(db.path, f"select relation from edges where id = '{extra.id}'")

    assert answer.rows == ({"relation": "neutral"},)


async def test_a_missing_database_is_a_storage_error(tmp_path):
    """Asking must not create a file."""
    with pytest.raises(StorageError) as missing:
        await run_query(tmp_path / "lyra.db", "select 1")

    assert missing.value.message == "The database lyra.db cannot be used: unable to open database file."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("sql", "origins", "read", "is_row_by_row"),
    [
        (
            "select text_content as id from fragments",
            (("fragments", "text_content"),),
            {("fragments", "text_content")},
            True,
        ),
        ("select upper(text_content) from fragments", (None,), {("fragments", "text_content")}, True),
        ("select group_concat(text_content) from fragments", (None,), {("fragments", "text_content")}, False),
        (
            "with x as (select upper(text_content) as t from fragments) select t from x",
            (None,),
            {("fragments", "text_content")},
            False,
        ),
        (
            "select kind from injection_findings union select text_content from fragments",
            (None,),
            {("injection_findings", "kind"), ("fragments", "text_content")},
            False,
        ),
        ("select claim_id from v_contradictions", (("claims", "id"),), {("v_contradictions", "claim_id")}, False),
    ],
    ids=["as stored", "computed", "of many rows", "in WITH", "two parts", "view"],
)
@pytest.mark.parametrize("person", [OWNER, Person("p_00000000000a", "Sato", Role.READER)], ids=["owner", "reader"])
async def test_a_result_says_where_its_columns_come_from(db, graph, person, sql, origins, read, is_row_by_row):
    """Which stored column each shows, if any, and which columns the statement names; for whoever asks."""
    answer = await run_query(db.path, sql, person=person)

    assert (answer.origins, answer.read, answer.is_row_by_row) == (origins, read, is_row_by_row)
