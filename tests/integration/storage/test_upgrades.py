"""Databases and backups of every earlier schema: they open, keep their rows, and say what they said."""

import asyncio
import functools
import re
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from lyra.backup import make_backup, restore_backup
from lyra.clock import stamp
from lyra.settings import Settings
from lyra.storage import derived, graph_views, migrate, votes
from lyra.storage.connection import connect
from lyra.storage.database import Database
from lyra.storage.rows import read_dicts
from tests.integration.storage.conftest import make_at_schema

# Every step by its number: those to the schema that new databases begin with, and those from there.
STEPS = {
    **migrate._migrations("upgrades"),
    **{number: sql for number, sql in migrate._migrations("migrations").items() if number > 20},
}
EARLIER = sorted(STEPS)[:-1]
# A few rows for every table, by the number of the schema that brought it. Figures that a table's triggers keep are not
# among them: they come by the triggers of that schema.
ROWS = {
    1: """
        insert into meta values ('kept', 'yes');
        insert into tasks (id, query, status, max_pages, max_seconds, created_at)
        values ('t1', 'Are gliptins safe?', 'exploring', 10, 60, '2026-01-01T00:00:00.000Z'),
            ('t2', 'Do they prolong life?', 'created', 10, 60, '2026-01-01T00:00:00.000Z');
        insert into queries (id, task_id, query, status, pages_fetched, useful_fragments, harvest_rate, novelty_score,
            created_at)
        values ('s1', 't1', 'gliptins', 'partial', 2, 4, 2.0, 0.5, '2026-01-01T00:00:00.000Z');
        insert into event_log (task_id, search_id, cause_id, kind, created_at)
        values ('t1', 's1', 's1', 'novelty', '2026-01-01T00:00:00.000Z');
        insert into works (id, title, year) values ('w1', 'SAVOR', 2013);
        insert into pages (id, url, domain, year, work_id, fetched_at)
        values ('p1', 'https://a.example/', 'a.example', 2014, 'w1', '2026-01-01T00:00:00.000Z'),
            ('p2', 'https://b.example/', 'b.example', 2021, null, '2026-01-01T00:00:00.000Z');
        insert into page_versions (page_id, text_version, text_content, fetched_at)
        values ('p1', 'v1', 'Earlier words.', '2025-01-01T00:00:00.000Z');
        insert into serp_items (id, query_id, url, engine, rank, state, page_id)
        values ('i1', 's1', 'https://a.example/', 'mojeek', 1, 'fetched', 'p1'),
            ('i2', 's1', 'https://b.example/', 'mojeek', 2, 'fetched', 'p2');
        insert into fragments (id, page_id, text_content, fragment_type, position, char_start, char_end, text_hash)
        values ('f1', 'p1', 'Gliptins were safe.', 'paragraph', 0, 0, 19, 'h1'),
            ('f2', 'p2', 'They were not safe.', 'paragraph', 0, 0, 19, 'h2'),
            ('f3', 'p2', 'Some were safe.', 'paragraph', 1, 20, 35, 'h3');
        insert into resource_index values ('doi', '10.1/savor', 'p1', 'w1');
        insert into claims (id, task_id, claim_text, created_at)
        values ('c1', 't1', 'Gliptins are safe.', '2026-01-01T00:00:00.000Z'),
            ('c2', 't2', 'Gliptins prolong life.', '2026-01-01T00:00:00.000Z');
        insert into claim_mentions values ('c1', 'f1', 'Gliptins were safe.', 0, 19, 'q1');
        insert into edges (id, source_type, source_id, target_type, target_id, relation, task_id, page_id, year,
            nli_confidence, created_at)
        values ('e1', 'fragment', 'f1', 'claim', 'c1', 'supports', 't1', 'p1', 2014, 0.75, '2026-01-01T00:00:00.000Z'),
            ('e2', 'fragment', 'f2', 'claim', 'c1', 'refutes', 't1', 'p2', 2021, 0.5, '2026-01-01T00:00:00.000Z'),
            ('e3', 'fragment', 'f3', 'claim', 'c1', 'supports', 't1', 'p2', 2021, 0.25, '2026-01-01T00:00:00.000Z'),
            ('e4', 'fragment', 'f1', 'claim', 'c2', 'neutral', 't2', 'p1', 2014, 0.5, '2026-01-01T00:00:00.000Z');
        insert into edges (id, source_type, source_id, target_type, target_id, relation, citation_source, created_at)
        values ('e5', 'page', 'p2', 'page', 'p1', 'cites', 'link', '2026-01-01T00:00:00.000Z');
        insert into embeddings (id, target_type, target_id, model_id, embedding_blob, dimension)
        values ('m1', 'claim', 'c1', 'model', x'0000803f', 1);
        insert into domains (domain, trust_level, trust_reason, cooldown_until, failures, last_outcome, updated_at)
        values ('a.example', null, '', '2026-01-01T00:30:00.000Z', 2, 'blocked', '2026-01-01T00:00:00.000Z'),
            ('b.example', 'blocked', 'Orders.', null, 0, null, '2026-01-01T00:00:00.000Z'),
            ('c.example', 'blocked', 'Hidden.', null, 1, 'timed_out', '2026-01-01T00:00:00.000Z'),
            ('d.example', null, '', null, 0, null, '2026-01-01T00:00:00.000Z');
        insert into engine_health (engine, state, failures, open_until, last_outcome, last_reason, updated_at)
        values ('mojeek', 'open', 2, '2026-01-01T01:00:00.000Z', 'blocked', '403', '2026-01-01T00:00:00.000Z');
        insert into jobs (id, kind, state, task_id, lease_owner, lease_until, created_at)
        values ('j1', 'search', 'done', 't1', null, null, '2026-01-01T00:00:00.000Z'),
            ('j2', 'search', 'running', 't1', 'process', '2026-01-01T00:01:00.000Z', '2026-01-01T00:00:00.000Z');
        insert into leases (name, owner) values ('domain:a.example', 'process');
        insert into serp_cache values ('k1', '{}', '2026-01-01T00:00:00.000Z');
        insert into robots_cache values ('https://a.example', '', 200, '2026-01-01T00:00:00.000Z');
    """,
    2: """
        insert into intervention_queue (id, task_id, domain, url, auth_type, queued_at)
        values ('a1', 't1', 'c.example', 'https://c.example/', 'login', '2026-01-01T00:00:00.000Z');
    """,
    3: """
        insert into calibration_samples (id, source, language, basis, prediction, actual, created_at)
        values ('x1', 'llm_extract', 'en', 'base', 0.5, 'true', '2026-01-01T00:00:00.000Z');
        insert into calibration_parameters values ('llm_extract', 1, 'en', 'base', 'platt', '[1, 0]', 30, 0.25, 0.125,
            1, 1, '', '2026-01-01T00:00:00.000Z');
        insert into calibration_evaluations values ('v1', 'llm_extract', 0.25, null, 0, 0.125, 30, '[]', 1,
            '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');
        insert into calibration_rollbacks values ('b1', 'llm_extract', 'base', 2, 1, '', 0, '2026-01-01T00:00:00.000Z');
    """,
    4: """
        insert into claim_sources (task_id, claim_id, source, supports, refutes, confidence_without,
            independent_sources_without, verdict_without, verification_without, adoption_without)
        values ('t1', 'c1', 'work:w1', 1, 0, 0.5, 0, 'unverified', 'pending', 'pending');
        insert into deleted_tasks values ('t0', '2026-01-01T00:00:00.000Z');
        insert into deleted_task_pages values ('t0', 'p2');
    """,
    5: """
        insert into page_links values ('p1', 'url', 'https://d.example/', 'https://d.example/'),
            ('p2', 'url', 'https://d.example/', 'https://d.example/');
        insert into page_groups values ('t1', 'loop', 'p1', 'p1'), ('t1', 'loop', 'p1', 'p2');
        insert into sentence_vectors values ('h1', 'model', x'0000803f', 1, '2026-01-01T00:00:00.000Z');
        insert into citation_flows (task_id, citing_page_id, cited_page_id, hop_distance, citation_source)
        values ('t1', 'p2', 'p1', 1, 'link');
    """,
    6: """
        insert into domain_policies (domain, updated_at) values ('a.example', '2026-01-01T00:00:00.000Z');
        insert into fetch_days (day, domain, rung) values ('2026-01-01', 'a.example', 'http');
        insert into mementos (page_id, snapshot_at, url, fetched_at)
        values ('p1', '2020-01-01', 'https://archive.example/', '2026-01-01T00:00:00.000Z');
    """,
    7: """
        insert into archive_records (record_id, kind, url, url_key, archived_at, warc_path, warc_offset, warc_length)
        values ('r1', 'response', 'https://a.example/', 'example,a)/', '2026-01-01T00:00:00.000Z', 'a.warc.gz', 0, 9);
    """,
    8: """
        insert into derived_queries (id, query_id, text, parent, rule, family, created_at)
        values ('d1', 's1', 'gliptins', 'gliptins', 'asked', 'asked', '2026-01-01T00:00:00.000Z');
        insert into site_searches (domain, updated_at) values ('a.example', '2026-01-01T00:00:00.000Z');
    """,
    9: """
        insert into user_questions (id, prompt, asked_at, expires_at)
        values ('u1', 'Which?', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z');
        insert into slot_uses
        values ('use', 'gpu', 'exclusive', 0, 0, '2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z'),
            ('waits', 'gpu', 'exclusive', null, 50, '2026-01-01T00:00:00.000Z', '2026-01-01T00:01:00.000Z');
        insert into knobs (name, value, short, long, updated_at)
        values ('slots', 2, 0.5, 0.5, '2026-01-01T00:00:00.000Z');
    """,
    14: """
        insert into contained_originals values ('f3', 'f1');
        insert into tasks_to_reassess values ('t1');
    """,
    15: """
        insert into stale_claims values ('c1');
        insert into promotions values ('c1', 'a.example', '["work:w1"]', 'Two sources.');
    """,
    16: """
        insert into reviews (id, edge_id, task_id, claim_id, actual, reviewer, judged_relation, created_at)
        values ('y1', 'e1', 't1', 'c1', 'supports', 'person', 'supports', '2026-01-01T00:00:00.000Z');
        insert into review_queue values ('t1', 'c1', 'domain:b.example', 'refutes', 'e2', 1, 0.5, 1);
    """,
    21: """
        insert into page_scans values ('p1', 'injection/1', 'v1', '2026-01-01T00:00:00.000Z');
        insert into injection_findings (id, page_id, kind, severity, char_start, char_end, score, found_at)
        values ('inj1', 'p1', 'order', 'medium', 0, 10, 0.9, '2026-01-01T00:00:00.000Z');
    """,
    22: """
        insert into deleted_tasks values ('t9', '2026-01-01T00:00:00.000Z');
        insert into deleted_task_records values ('t9', '<urn:1>', 1);
        insert into records_to_erase values ('<urn:1>', '20260101/a.warc.gz', 'remove');
    """,
    23: """
        insert into rechecks (task_id, every_s, max_pages, max_seconds, snapshot, created_at)
        values ('t1', 604800, 10, 60, '{}', '2026-01-01T00:00:00.000Z');
        insert into recheck_runs (id, task_id, state, due_at, started_at, max_pages, max_seconds)
        values ('rc1', 't1', 'done', '2026-01-08T00:00:00.000Z', '2026-01-08T00:00:00.000Z', 10, 60);
    """,
    24: """
        insert into unread_bodies values ('k1', 1, 'It took too long.', '2026-01-01T00:00:00.000Z');
    """,
    25: """
        insert into people (id, name, role, token_hash, created_at, revoked_at)
        values ('u1', 'Aoi', 'admin', 'h1', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z');
    """,
    26: """
        insert into libraries (id, name, path, kind, added_at)
        values ('l1', 'papers', x'2f70', 'folder', '2026-01-01T00:00:00.000Z');
        insert into library_files (seq, library_id, path, size_bytes, mtime_ns, state)
        values (1, 'l1', x'2f702f61', 1, 1, 'indexed');
        insert into library_documents (key, url, content_hash, content_type, title, text_content, language, authors)
        values ('k1', 'library://k1.papers.library/a', 'h1', 'text/plain', 'A', 'Words.', 'en', '[]');
        insert into library_parts (file_seq, place, key) values (1, 0, 'k1');
        insert into page_files (page_id, url, path) values ('p1', 'library://k1.papers.library/a', '/p/a');
    """,
    27: """
        insert into entities values ('n1', 'organisation', 'Aoba', '2026-01-01T00:00:00.000Z'),
            ('n2', 'organisation', 'Aoba KK', '2026-01-01T00:00:00.000Z');
        insert into entity_keys values ('n1', 'p1', 'name', 'aoba', 'Aoba');
        insert into entity_facts values ('ef1', 'n1', 'website', 'a.example', null, 'wikidata', 'p1', 'f1', 'Words', 0,
            5, '2026-01-01T00:00:00.000Z');
        insert into same_entities values ('n1', 'n2', 0.6, '[]');
    """,
    34: """
        insert into sites_to_forget values ('rests.example');
    """,
}
# Tables that only triggers used: nobody's rows are in them.
_INTERNAL = {"stale_years", "fragment_years", "claim_decades"}
_RENAMED = {"stale_claims": "claims_to_assess"}
DERIVED = {
    "claim_years": [("t1", "c1", 2014, 1, 0, 0.75, 0.0), ("t1", "c1", 2021, 1, 1, 0.25, 0.5)],
    "claim_spans": [("t1", "c1", 2014, 2021, 2, 2, 1, 2021, 2021, 6056 / 3, 0.0, 0.5, 0.0)],
    "task_years": [("t1", 2014, 1, 1, 1, 0, 0.75, 0.0), ("t1", 2021, 2, 1, 1, 1, 0.25, 0.5)],
    "task_decades": [("t1", 201, 1, 0, 0.75, 0.0), ("t1", 202, 1, 1, 0.25, 0.5)],
    "page_stances": [("t1", "p1", 1, 0, 0), ("t1", "p2", 1, 1, 0), ("t2", "p1", 0, 0, 1)],
    "task_fragments": [("t1", "f1"), ("t1", "f2"), ("t1", "f3"), ("t2", "f1")],
    "task_pages": [("t1", "p1"), ("t1", "p2"), ("t2", "p1")],
}
REFERENCES = [
    ("t1", "url", "https://d.example/", "https://d.example/", 2),
    ("t2", "url", "https://d.example/", "https://d.example/", 1),
]
# What was a table of its own before schema 20.
_JOINED = {
    "engine_health": "select *, substr(name, 8) as engine from service_health where name glob 'engine:*'",
    "slot_uses": """
        select owner as use, slot, substr(name, 6, instr(name, '/') - 6) as room,
            cast(substr(name, instr(name, '/') + 1) as integer) as seat, priority, asked_at, until
        from leases
        where name glob 'slot:*'
        union all
        select owner, slot, substr(name, 6, instr(name, '/') - 6), null, priority, asked_at, until
        from leases
        where name glob 'line:*'
    """,
    "jobs": """
        select jobs.*, owner as lease_owner, until as lease_until
        from jobs
        left join leases on name = 'job:' || id
    """,
    "domains": "select * from domains",
}
# The last schema whose triggers counted what follows from edges.
_COUNTING = 18
# The schema that brought links between pages.
_LINKS = 5
_TABLES = """
select name
from sqlite_schema
where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like '%\\_fts%' escape '\\'
"""


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """A database of each earlier number, made when it is first asked for; nobody writes to it."""
    folder = tmp_path_factory.mktemp("samples")

    @functools.cache
    def make(number: int) -> Path:
        path = folder / f"{number}.db"
        connection = make_at_schema(path, min(number, _COUNTING))
        for since, sql in ROWS.items():
            if since <= min(number, _COUNTING):
                connection.execute(sql)
        for step in (one for one in STEPS if _COUNTING < one <= number):
            connection.execute(STEPS[step])
            connection.pragma("user_version", step)
            connection.execute(ROWS.get(step, ""))
        connection.close()
        return path

    return make


@pytest.fixture
def older(path: Path, samples: Callable[[int], Path]) -> Callable[[int], Path]:
    """A database of an earlier number of the test's own, with a few rows in every table that there was."""

    def make(number: int) -> Path:
        path.parent.mkdir()
        shutil.copyfile(samples(number), path)
        return path

    return make


@pytest.fixture(scope="module")
def upgraded(
    samples: Callable[[int], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], Awaitable[Path]]:
    """A database of each earlier number after its upgrade, upgraded once; nobody writes to it."""
    folder = tmp_path_factory.mktemp("upgraded")

    async def upgrade(number: int) -> Path:
        path = folder / f"{number}.db"
        if not path.exists():
            shutil.copyfile(samples(number), path)
            await (await Database.open(path)).close()
        return path

    return upgrade


def contents(connection: apsw.Connection) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table by the names of its columns, and of tables that went into others as they were."""
    tables = {str(name) for (name,) in connection.execute(_TABLES).fetchall()}
    found = {name: read_dicts(connection, f"select * from {name}") for name in tables}
    if "service_health" in tables:
        found |= {name: read_dicts(connection, sql) for name, sql in _JOINED.items()}
    return found


def lost(before: dict[str, list[dict[str, Any]]], after: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Rows that a table no longer has, by the columns that it still has."""
    found = {}
    for table, rows in before.items():
        now = after.get(_RENAMED.get(table, table), [])
        columns = {name for row in now[:1] for name in row}
        short = [{name: value for name, value in row.items() if name in columns} for row in rows]
        gone = [row for row in short if not any(row.items() <= other.items() for other in now)]
        found.update({table: gone} if gone and table not in _INTERNAL else {})
    return found


def schema(connection: apsw.Connection) -> dict[str, str]:
    """What every table, index and trigger is made by, whatever its spaces, letters and comments."""
    rows = connection.execute(
        "select name, sql from sqlite_schema where sql is not null and type <> 'view' order by name"
    ).fetchall()
    return {str(name): _normal(str(sql)) for name, sql in rows}


def _normal(sql: str) -> str:
    words = re.sub(r"--[^\n]*", "", sql).replace('"', "").lower()
    return re.sub(r"\s*([(),;])\s*", r"\1", re.sub(r"\s+", " ", words)).strip()


async def opened(path: Path, look: Callable[[apsw.Connection], Any]) -> Any:
    database = await Database.open(path)
    try:
        return await database.read(look)
    finally:
        await database.close()


def seen(path: Path) -> dict[str, list[dict[str, Any]]]:
    connection = connect(path, read_only=True)
    try:
        return contents(connection)
    finally:
        connection.close()


@pytest.fixture(scope="module")
def new_schema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a database that is made today is made by."""
    found: dict[str, str] = asyncio.run(opened(tmp_path_factory.mktemp("new") / "lyra.db", schema))
    return found


@pytest.mark.parametrize("number", EARLIER)
def test_every_table_of_a_schema_has_rows_before_it_is_upgraded(samples, number):
    """Otherwise losing them would not show."""
    before = seen(samples(number))

    assert {table for table, rows in before.items() if not rows} - {"stale_years"} == set()


@pytest.mark.parametrize("number", EARLIER)
async def test_a_database_of_an_earlier_number_keeps_its_rows(older, number):
    """Every row of every table is there by its columns, every reference holds, and the file is sound."""
    path = older(number)
    before = seen(path)

    after = await opened(path, contents)

    checks = await opened(
        path,
        lambda c: (c.pragma("user_version"), c.execute("pragma foreign_key_check").fetchall(), c.pragma("quick_check")),
    )
    assert lost(before, after) == {}
    assert checks == (migrate.latest(), [], "ok")


@pytest.mark.parametrize("number", EARLIER)
async def test_a_backup_of_an_earlier_number_keeps_its_rows(older, number, make, tmp_path):
    """Taken before the upgrade and restored after it; tokens of people are revoked by it, and nothing else changes."""
    path = older(number)
    before = seen(path)
    before["people"] = [row | {"revoked_at": row["revoked_at"] or stamp(make.now)} for row in before.get("people", [])]
    make_backup(Settings(data_dir=path.parent), tmp_path / "lyra.zip", make.now)
    restore_backup(tmp_path / "lyra.zip", tmp_path / "again", make.now)

    after = await opened(tmp_path / "again" / "lyra.db", contents)

    assert lost(before, after) == {}
    assert {table: _tuples(after[table]) for table in DERIVED} == DERIVED


@pytest.mark.parametrize("number", EARLIER)
async def test_what_follows_from_edges_is_the_same_after_every_upgrade(upgraded, number):
    """Whichever schema had counted it."""
    after = seen(await upgraded(number))

    assert {table: _tuples(after[table]) for table in DERIVED} == DERIVED


@pytest.mark.parametrize("number", [one for one in EARLIER if one >= _LINKS])
async def test_references_are_the_same_after_every_upgrade(upgraded, number):
    """What the pages of each task link to, and how many of them do."""
    after = seen(await upgraded(number))

    assert _tuples(after["task_references"]) == REFERENCES


async def test_counting_anew_after_an_upgrade_changes_nothing(older):
    """What the triggers had counted is what `storage.derived` counts."""
    path = older(_COUNTING)
    before = await opened(path, contents)
    database = await Database.open(path)

    await database.write(derived.edges_written, ["e1", "e2", "e3", "e4"])

    after = await database.read(contents)
    await database.close()
    assert after == before


def _tuples(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in rows)


@pytest.mark.parametrize("number", EARLIER)
async def test_an_upgraded_database_has_the_schema_of_a_new_one(upgraded, new_schema, number):
    """Tables, columns and their order, checks, indexes and triggers, whatever the way they came."""
    assert await opened(await upgraded(number), schema) == new_schema


@pytest.mark.parametrize("number", EARLIER)
async def test_full_text_finds_what_was_stored_before(upgraded, number):
    """The index is the one that the file had."""
    found = await opened(
        await upgraded(number),
        lambda c: c.execute(
            "select c.id from claims_fts x join claims c on c.seq = x.rowid where claims_fts match 'prolong'"
        ).fetchall(),
    )

    assert found == [("c2",)]


async def test_triggers_serve_full_text_and_what_goes_with_a_deleted_row_alone(path):
    """What follows from edges is written by `storage.derived`."""
    asked = "select name from sqlite_schema where type = 'trigger' order by name"

    names = await opened(path, lambda c: [name for (name,) in c.execute(asked)])

    assert names == [
        "claims_fts_delete",
        "claims_fts_insert",
        "claims_leave",
        "embeddings_count_removals",
        "entity_facts_leave",
        "fragments_fts_delete",
        "fragments_fts_insert",
        "fragments_fts_update",
        "fragments_keep_words",
        "fragments_leave",
        "library_fts_delete",
        "library_fts_insert",
        "library_fts_update",
        "pages_leave",
    ]


async def test_a_database_with_its_views_is_upgraded(older):
    """Views of the last schema name tables that are made again; a view that came later is not there yet."""
    path = older(_COUNTING)
    connection = connect(path)
    graph_views.install(connection)
    for later in ("v_rechecks", "v_entities", "v_entity_facts", "v_same_entities", "v_contradictions"):
        connection.execute(f"drop view {later}")
    connection.close()
    asked = "select decade, controversial_claims from v_controversy_by_era"

    rows = await opened(path, lambda c: c.execute(asked).fetchall())

    assert rows == [(2010, 0), (2020, 1)]


async def test_claims_that_wait_to_be_assessed_wait_on(older):
    """The note moves to another table with the upgrade, and is still read."""
    waiting = await opened(older(_COUNTING), votes.claims_to_assess)

    assert waiting == {"t1": ["c1"]}


async def test_an_older_process_that_has_the_file_open_cannot_write_edges(older):
    """Its statements name tables that are gone, so that its transactions are refused as a whole."""
    path = older(_COUNTING)
    old = connect(path)
    await opened(path, contents)

    refused = []
    for statement in ("insert into stale_years values ('t1', 'c1')", "insert into stale_claims values ('c1')"):
        with pytest.raises(apsw.SQLError) as caught:
            old.execute(statement)
        refused.append(str(caught.value))

    old.close()
    assert refused == ["no such table: stale_years", "no such table: stale_claims"]


@pytest.mark.parametrize("version", [27, 28, 35])
async def test_what_texts_name_as_their_source_is_looked_for_anew(older, version):
    """Links and authors tell sources too since schema 28, institutions since 29, speakers since 36."""
    path = older(version)
    with apsw.Connection(str(path)) as before:
        before.execute("update edges set origins = json_array('person:jane doe') where source_type = 'fragment'")

    found = await opened(
        path,
        lambda c: (
            c.execute("select count(*) from edges where origins is not null").get,
            c.execute("select group_concat(task_id) from (select task_id from tasks_to_reassess order by 1)").get,
            c.execute("select group_concat(id) from (select distinct task_id as id from claims order by 1)").get,
        ),
    )

    assert found == (0, "t1,t2", "t1,t2")


async def test_pages_of_before_have_no_name_of_their_site(older):
    """Names of sites are kept since schema 30; what was read before is not fetched again for that."""
    path = older(29)

    names = await opened(
        path, lambda c: c.execute("select group_concat(distinct coalesce(site_name, 'null')) from pages").get
    )

    assert names == "null"


async def test_claims_are_assessed_anew_for_sources_that_were_corrected(older):
    """Since schema 33 who retells what its source has corrected has no vote: every task of before is looked at once."""
    path = older(32)
    with apsw.Connection(str(path)) as before:
        before.execute("delete from tasks_to_reassess")

    waiting = await opened(path, lambda c: c.execute("select count(*) from tasks_to_reassess").get)

    assert waiting == 2
