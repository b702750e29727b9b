"""Opening files: new, old, newer, foreign, damaged and out of reach."""

import hashlib
from pathlib import Path

import apsw
import pytest

from lyra.clock import stamp
from lyra.errors import DatabaseTooNew, StorageError
from lyra.model.edge import Relation
from lyra.model.trust import TrustLevel
from lyra.storage import claims, domains, edges, journal, migrate, reassessments, searches, tasks, votes
from lyra.storage.connection import connect
from lyra.storage.database import Database

_DECADES = "select decade, claims, contested, round(support_weight, 6), round(refute_weight, 6) from task_decades"
_OLD_TASK = """
    insert into tasks (id, query, status, max_pages, max_seconds, created_at)
    values (?, 'Are gliptins safe?', 'created', 10, 60, ?)
"""
_OLD_PAGE = "insert into pages (id, url, domain, fetched_at) values (?, ?, 'nejm.org', ?)"
_OLD_FRAGMENT = """
insert into fragments (id, page_id, text_content, fragment_type, position, char_start, char_end, text_hash)
values (?, ?, ?, 'paragraph', 0, 0, ?, ?)
"""
_OLD_EDGE = """
insert into edges (id, source_type, source_id, target_type, target_id, relation, task_id, page_id, nli_label,
    nli_confidence, nli_raw, model_id, source_trust_level, created_at)
values (?, 'fragment', ?, 'claim', ?, 'supports', ?, ?, 'supports', 0.9, 0.9, 'stance-1', 'unverified', ?)
"""

_OLD_SEARCH = """
insert into queries (id, task_id, query, status, pages_fetched, useful_fragments, harvest_rate, created_at)
values (?, ?, 'gliptins', 'partial', ?, ?, ?, ?)
"""
_OLD_ITEM = """
insert into serp_items (id, query_id, url, engine, rank, state, page_id) values (?, ?, ?, 'mojeek', 1, 'reused', ?)
"""
_FIGURES = "select id, harvest_rate, novelty_score, error_remedy, is_retryable from queries order by id"


def fingerprint(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


async def refused(path: Path) -> StorageError:
    with pytest.raises(StorageError) as caught:
        await Database.open(path)
    return caught.value


async def test_a_new_file_has_the_latest_schema_and_lyras_mark(path):
    """`user_version` is the number of the last migration, `application_id` says whose file it is."""
    database = await Database.open(path)

    marks = await database.read(lambda c: (c.pragma("user_version"), c.pragma("application_id")))

    await database.close()
    assert marks == (migrate.latest(), 0x4C797261)


async def test_opening_again_changes_nothing(path):
    """Migrations and views are made once."""
    await (await Database.open(path)).close()
    before = fingerprint(path.parent)

    await (await Database.open(path)).close()

    assert fingerprint(path.parent) == before


async def test_a_newer_database_is_refused_and_untouched(path):
    """An older Lyra must not write what a newer one would misread: refused from the bytes, not one of them changed."""
    await (await Database.open(path)).close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 99)
    connection.close()
    before = fingerprint(path.parent)

    error = await refused(path)

    assert type(error) is DatabaseTooNew
    assert error.details == {"found": 99, "known": migrate.latest()}
    assert error.remedy == "Update Lyra, or choose another data directory with LYRA_DATA_DIR."
    assert fingerprint(path.parent) == before


async def test_what_a_newer_lyra_left_in_its_log_stays_there(path, tmp_path):
    """After a crash of the newer one the log holds its last writes; refusing must not fold them into the file."""
    await (await Database.open(path)).close()
    newer = connect(path)
    newer.pragma("user_version", 99)
    newer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    newer.execute("create table of_the_future (id text)")
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    for name in ("lyra.db", "lyra.db-wal"):
        (crashed / name).write_bytes((path.parent / name).read_bytes())
    newer.close()
    before = fingerprint(crashed)

    error = await refused(crashed / "lyra.db")

    assert type(error) is DatabaseTooNew
    assert fingerprint(crashed) == before


async def test_a_newer_version_that_only_the_log_knows_is_refused_too(path):
    """While a newer Lyra has the file open, its version may stand in the write-ahead log alone."""
    await (await Database.open(path)).close()
    newer = connect(path)
    newer.pragma("user_version", 99)

    error = await refused(path)

    version = newer.pragma("user_version")
    newer.close()
    assert type(error) is DatabaseTooNew
    assert version == 99


@pytest.mark.parametrize(
    "content",
    [b"PK\x03\x04 not a database at all", b"x" * 5000, b"SQLite format 3\x00" + b"\xff" * 4000],
    ids=["zip", "text", "broken header"],
)
async def test_a_file_that_is_no_database_is_refused_and_untouched(path, content):
    """The user may have put anything there; it is not ours to overwrite."""
    path.parent.mkdir()
    path.write_bytes(content)

    error = await refused(path)

    assert error.code == "INTERNAL_ERROR"
    assert path.read_bytes() == content


async def test_another_programs_database_is_refused_and_untouched(path):
    """A valid SQLite file with foreign tables is not turned into Lyra's."""
    path.parent.mkdir()
    connection = apsw.Connection(str(path))
    connection.execute("create table bookmarks (url text)")
    connection.close()
    before = fingerprint(path.parent)

    error = await refused(path)

    assert error.message == "The file lyra.db is not a database of Lyra."
    assert fingerprint(path.parent) == before


async def test_an_empty_file_becomes_a_database(path):
    """An empty file is what a first start that was killed at once leaves behind."""
    path.parent.mkdir()
    path.touch()

    database = await Database.open(path)

    version = await database.read(lambda c: c.pragma("user_version"))
    await database.close()
    assert version == migrate.latest()


async def test_a_damaged_database_is_named_as_such(path):
    """Overwritten pages give a StorageError with a remedy, not a crash."""
    await (await Database.open(path)).close()
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xa5" * 4000)

    error = await refused(path)

    assert error.message == "The database lyra.db is damaged (database disk image is malformed)."
    assert error.remedy == (
        "Restore it from a backup, or move it away to start with a new one; the archive is unchanged."
    )


@pytest.mark.parametrize(
    ("place", "why"), [("file/lyra.db", "File exists"), ("file/deeper/lyra.db", "Not a directory")]
)
async def test_a_directory_that_cannot_be_made_is_a_storage_error(tmp_path, place, why):
    """Where the data directory should be there is a file."""
    (tmp_path / "file").write_text("in the way")

    error = await refused(tmp_path / place)

    assert error.message == f"The database lyra.db cannot be used: {why}."
    assert error.remedy == "Make its directory writable for this user, or choose another with LYRA_DATA_DIR."


async def test_a_directory_in_place_of_the_file_is_a_storage_error(path):
    """A directory named lyra.db cannot be opened."""
    path.mkdir(parents=True)

    error = await refused(path)

    assert error.message == "The database lyra.db cannot be used: Is a directory."


async def test_a_process_that_has_the_file_open_stops_writing_when_a_newer_one_upgrades_it(db, make):
    """Its next write is refused as a whole: what follows from it may be another thing by now."""
    await db.write(tasks.insert, make.task())
    newer = connect(db.path)
    newer.pragma("user_version", 99)
    newer.close()

    with pytest.raises(DatabaseTooNew) as caught:
        await db.write(tasks.insert, make.task(make.other_task_id))

    assert caught.value.details == {"found": 99, "known": migrate.latest()}
    assert [task.id for task in await db.read(tasks.recent, 10)] == [make.task_id]


async def test_a_migration_that_fails_leaves_no_trace(path, monkeypatch):
    """Each migration is one transaction with its record: a broken one leaves the schema of the one before."""
    sound = migrate._migrations
    broken = {migrate.latest() + 1: "create table half (id text); insert into nowhere values (1);"}
    monkeypatch.setattr(migrate, "_migrations", lambda folder: {**sound(folder), **broken})
    error = await refused(path)
    monkeypatch.setattr(migrate, "_migrations", sound)

    database = await Database.open(path)

    half = await database.read(lambda c: c.execute("select count(*) from sqlite_schema where name = 'half'").get)
    await database.close()
    assert error.message == "The database reported an error: no such table: nowhere."
    assert half == 0


async def test_later_migrations_follow_on_new_and_on_older_files(path, tmp_path, at_schema, monkeypatch):
    """A new file begins with the whole schema, an older one with the upgrades; then both take the same steps."""
    sound = migrate._migrations
    number = migrate.latest() + 1
    later = {number: "create table of_the_future (id text);"}
    folders = {"migrations": {**sound("migrations"), **later}, "upgrades": sound("upgrades")}
    at_schema(4).close()
    monkeypatch.setattr(migrate, "_migrations", folders.__getitem__)

    databases = [await Database.open(one) for one in (path, tmp_path / "new" / "lyra.db")]

    marks = [
        await one.read(lambda c: (c.pragma("user_version"), c.execute("select count(*) from of_the_future").get))
        for one in databases
    ]
    for one in databases:
        await one.close()
    assert marks == [(number, 0), (number, 0)]


async def test_a_decade_that_was_wrongly_contested_is_counted_anew(path, make, at_schema):
    """Seven votes of 0.9 against three, which schema 11 took for more than 0.3, beside two against one, which are."""
    old = at_schema(11)
    found = [make.claim("Gliptins are safe."), make.claim("Gliptins prolong life.")]
    old.execute(_OLD_TASK, (make.task_id, stamp(make.now)))
    claims.insert_many(old, found)
    years = [(make.task_id, found[0].id, 2016, 7, 3, 6.3, 2.7), (make.task_id, found[1].id, 2017, 2, 1, 1.8, 0.9)]
    old.executemany("insert into claim_years values (?, ?, ?, ?, ?, ?, ?)", years)
    before = old.execute(_DECADES).fetchall()
    old.close()

    database = await Database.open(path)

    after = await database.read(lambda c: c.execute(_DECADES).fetchall())
    await database.close()
    assert (before, after) == ([(201, 2, 2, 8.1, 3.6)], [(201, 2, 1, 8.1, 3.6)])


async def test_edges_judged_before_there_were_readers_are_kept(path, make, at_schema):
    """They come back as they were, without a reader and its answers."""
    old = at_schema(12)
    claim, page = make.claim("Gliptins are safe."), make.page("https://www.nejm.org/savor")
    fragment = make.fragment(page, "Gliptins were safe.")
    edge = make.stance(fragment, claim, Relation.SUPPORTS, 0.9)
    old.execute(_OLD_TASK, (make.task_id, stamp(make.now)))
    old.execute(_OLD_PAGE, (page.id, page.url, stamp(make.now)))
    words = fragment.text_content
    old.execute(_OLD_FRAGMENT, (fragment.id, page.id, words, len(words), fragment.text_hash))
    claims.insert_many(old, [claim])
    old.execute(_OLD_EDGE, (edge.id, fragment.id, claim.id, make.task_id, page.id, stamp(make.now)))
    old.close()

    database = await Database.open(path)

    found = await database.read(edges.of_task, make.task_id)
    await database.close()
    assert found == (edge,)


async def test_tasks_with_claims_wait_to_be_assessed_anew(path, make, at_schema):
    """Schema 13 counted texts; a task without claims has nothing to wait for, and a new file no task."""
    old = at_schema(13)
    old.execute(_OLD_TASK, (make.task_id, stamp(make.now)))
    old.execute(_OLD_TASK, (make.other_task_id, stamp(make.now)))
    claims.insert_many(old, [make.claim("Gliptins are safe."), make.claim("They prolong life.")])
    old.close()

    database = await Database.open(path)

    waiting = await database.read(reassessments.pending)
    await database.close()
    assert waiting == {make.task_id: 2}


async def test_promotions_kept_before_are_derived_anew(path, make, at_schema):
    """A level that was once given does not outlive its reasons; blocks stay, and every claim is to be assessed."""
    old = at_schema(14)
    claim = make.claim("Gliptins are safe.")
    old.execute(_OLD_TASK, (make.task_id, stamp(make.now)))
    claims.insert_many(old, [claim])
    old.executemany(
        """
        insert into domains (domain, trust_level, trust_reason, cause_id, updated_at)
        values (?, ?, 'Why.', 'c_1', '2026-01-01T00:00:00.000Z')
        """,
        [("farm.example", "low"), ("danger.example", "blocked")],
    )
    old.close()

    database = await Database.open(path)

    found = [await database.read(domains.get, name) for name in ("farm.example", "danger.example")]
    stale = await database.read(votes.claims_to_assess)
    await database.close()
    assert [(one.trust_level, one.trust_reason, one.cause_id) for one in found] == [
        (None, "", None),
        (TrustLevel.BLOCKED, "Why.", "c_1"),
    ]
    assert stale == {make.task_id: [claim.id]}


async def test_figures_of_old_searches_are_those_of_today(path, make, at_schema):
    """Harvest is over pages read, from the store too; novelty is unknown without any, 0 where nothing was new."""
    old = at_schema(13)
    page = make.page("https://www.nejm.org/savor")
    old.execute(_OLD_TASK, (make.task_id, stamp(make.now)))
    at = stamp(make.now)
    old.execute(_OLD_PAGE, (page.id, page.url, at))
    searched = [
        ("s_1", make.task_id, 0, 3, 0.0, at),
        ("s_2", make.task_id, 0, 0, 0.0, at),
        ("s_3", make.task_id, 2, 4, 2.0, at),
    ]
    old.executemany(_OLD_SEARCH, searched)
    old.executemany(_OLD_ITEM, [("i_1", "s_1", page.url, page.id), ("i_3", "s_3", page.url, page.id)])
    journal.append(old, [searches.novelty_event(make.task_id, "s_3", (True,), make.now)])
    old.close()

    database = await Database.open(path)

    found = await database.read(lambda c: c.execute(_FIGURES).fetchall())
    await database.close()
    assert found == [
        ("s_1", 3.0, 0.0, None, None),
        ("s_2", 0.0, None, None, None),
        ("s_3", 4.0, 1.0, None, None),
    ]
