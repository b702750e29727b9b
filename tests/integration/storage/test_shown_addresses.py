"""No statement of a client gets a secret out of an address: it is gone before the statement computes with it."""

from typing import Any

import pytest

from lyra.errors import InvalidParams
from lyra.model.person import OWNER, Person, Role
from lyra.storage import graph_schema, graph_views, shown_addresses, tasks
from lyra.storage.database import Database
from tests.graph_queries import run_query

from .conftest import OTHER_TASK, TASK

READER = Person("p_00000000000a", "Sato", Role.READER)
TOKEN = "6f1b0c9d3e5a47f28b64c0d1e2f3a4b5"
SIGNED = f"https://files.example/a?access_token={TOKEN}"
CLEAN = "https://files.example/a?access_token=redacted"
PEOPLE = pytest.mark.parametrize("person", [OWNER, READER], ids=["owner", "reader"])


@pytest.fixture
async def signed(db: Database, graph: Any) -> None:
    """The known graph with both tasks shared, and a secret in every column that holds addresses."""
    for task_id in (TASK, OTHER_TASK):
        await db.write(tasks.set_shared, task_id, is_shared=True)

    def sign(connection: Any) -> None:
        connection.execute("pragma foreign_keys = off")
        for table, columns in shown_addresses.ADDRESSES.items():
            if table not in ("recheck_runs", "resource_index", "page_links", "task_references", "page_files"):
                for column in columns:
                    connection.execute(f"update {table} set {column} = ? || '&n=' || abs(random())", (SIGNED,))

    await db.write(sign)


@PEOPLE
@pytest.mark.parametrize(
    "expression",
    [
        "url",
        "'x' || url",
        "replace(url, 'http:', '')",
        "cast(url as text)",
        "lower(url)",
        "substr(url, 20)",
        "replace(replace(url, '=', '~'), '?', '!')",
        "json_array(url)",
        "(select group_concat(o.url, '') from pages o)",
    ],
)
async def test_no_function_gets_the_secret_back(db: Database, signed: None, expression: str, person: Person) -> None:
    """Whatever is computed is computed from the address without it."""
    answer = await run_query(db.path, f"select {expression} as x from pages", person=person)

    assert TOKEN not in str(answer.rows)
    assert "redacted" in str(answer.rows)


@PEOPLE
async def test_hex_and_comparisons_know_no_secret(db: Database, signed: None, person: Person) -> None:
    """Neither digits of its letters nor guesses letter by letter."""
    shown = await run_query(db.path, "select hex(url) as x from pages", person=person)
    guessed = await run_query(
        db.path, f"select count(*) as n from pages where instr(url, '{TOKEN[:3]}') > 0", person=person
    )

    assert TOKEN.encode().hex().upper() not in str(shown.rows)
    assert guessed.rows == ({"n": 0},)


@PEOPLE
@pytest.mark.parametrize("name", sorted({*graph_schema.TABLES, *graph_views.purposes()} - set(graph_schema.FTS_TABLES)))
async def test_no_table_or_analysis_shows_a_secret(db: Database, signed: None, name: str, person: Person) -> None:
    """Every column of each, whoever asks."""
    answer = await run_query(db.path, f"select * from {name}", person=person, limit=200, timeout_ms=2000)

    assert TOKEN not in str(answer.rows)


@PEOPLE
async def test_a_page_is_found_by_its_id_and_by_the_address_as_shown(
    db: Database, signed: None, person: Person
) -> None:
    """And not by the plain address, whose secret could then be guessed."""
    pages = await run_query(db.path, "select id, url from pages order by id limit 1", person=person)
    page = pages.rows[0]

    by_id = await run_query(db.path, f"select url from pages where id = '{page['id']}'", person=person)
    by_shown = await run_query(db.path, f"select id from pages where url = '{page['url']}'", person=person)
    whole = page["url"].replace("redacted", TOKEN)
    by_whole = await run_query(db.path, f"select id from pages where url = '{whole}'", person=person)

    assert page["url"].startswith(CLEAN)
    assert (by_id.rows, by_shown.rows, by_whole.rows) == (({"url": page["url"]},), ({"id": page["id"]},), ())


@PEOPLE
async def test_columns_still_tell_where_they_come_from(db: Database, graph: Any, person: Person) -> None:
    """An address without a secret is shown as it is stored, and traces its row."""
    await db.write(tasks.set_shared, TASK, is_shared=True)

    answer = await run_query(db.path, "select url, upper(title) as t from pages", person=person)

    assert answer.origins == (("pages", "url"), None)
    assert answer.is_row_by_row is True


@pytest.mark.parametrize("name", ["main.pages", "temp.sqlite_schema", "sqlite_schema"])
async def test_there_is_no_way_past_the_views(db: Database, signed: None, name: str) -> None:
    """Not by the name of the database either, even under a name of WITH that is a view's."""
    with pytest.raises(InvalidParams):
        await run_query(db.path, f"with pages as (select * from {name}) select * from pages")


@PEOPLE
async def test_a_changed_address_traces_no_row(db: Database, signed: None, person: Person) -> None:
    """It is not the one by which a flagged page is known: what stands beside it counts as text of any page."""
    answer = await run_query(db.path, "select url, upper(title) as t from pages", person=person)
    after = await run_query(db.path, "select upper(title) as t, id from pages", person=person)

    assert answer.origins == (None, None)
    assert after.origins == (None, ("pages", "id"))
