"""Full text over the stored graph: kept in step with the rows, in both languages."""

import subprocess
import sys

import apsw
import pytest

from lyra.errors import StorageError
from lyra.storage import pages, tokenizer
from lyra.storage.database import Database

PROGRAM = """
import apsw, sys
from lyra.storage import tokenizer
c = apsw.Connection(":memory:")
tokenizer.register(c)
c.execute("create virtual table t using fts5 (b, tokenize = 'lyra')")
c.execute("insert into t values ('Sitagliptin lowers HbA1c')")
c.execute("select * from t where t match 'hba1c'").fetchall()
print("sudachipy" in sys.modules)
c.execute("insert into t values ('血糖')")
print("sudachipy" in sys.modules)
"""


async def matching(db: Database, query: str) -> list[str]:
    sql = "select f.text_content from fragments_fts x join fragments f on f.seq = x.rowid where fragments_fts match ?"
    return await db.read(lambda c: sorted(text for (text,) in c.execute(sql, (query,))))


async def test_stored_fragments_are_found_by_words_and_headings(db, graph):
    """Text and heading context are indexed when a page is saved."""
    found = [await matching(db, query) for query in ("低下", "admitted", "heading_context : results")]

    assert [len(rows) for rows in found] == [1, 1, 6]
    assert found[0] == ["HbA1cの低下は認められなかった。"]


async def test_the_index_follows_changed_headings_and_deleted_fragments(db, make):
    """Saving a page anew must not leave old words in the index, nor break it."""
    page = make.page("https://example.org/a")
    kept = make.fragment(page, "Pancreatitis was rare.")
    gone = make.fragment(page, "Gallstones were common.", 1)
    await db.write(pages.save, page, [kept, gone])
    moved = make.fragment(page, "Pancreatitis was rare.", heading_context="Safety")

    await db.write(pages.save, page, [moved])

    found = [await matching(db, query) for query in ("gallstones", "results", "safety")]
    sound = "insert into fragments_fts (fragments_fts, rank) values ('integrity-check', 1)"
    await db.write(lambda c: c.execute(sound))
    assert found == [[], [], ["Pancreatitis was rare."]]


def test_sudachi_stays_away_until_japanese_occurs():
    """The dictionary costs 80 MB: indexing and asking in English must not load it."""
    printed = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout

    assert printed.split() == ["False", "True"]


async def made_by(db: Database) -> list[str]:
    sql = "select sql from sqlite_schema where name in ('fragments_fts', 'claims_fts') order by name"
    return await db.read(lambda c: [made.split("tokenize = ")[1].split("\n")[0] for (made,) in c.execute(sql)])


async def test_full_text_follows_the_dictionary(db, graph, monkeypatch):
    """Without the extra it is made again in pairs of characters, with it by words; nothing is lost either way."""
    monkeypatch.setattr("lyra.text.has_dictionary", lambda: False)
    without = await Database.open(db.path)
    pairs = await made_by(without), await matching(without, "低下"), await matching(without, "認められ")
    await without.close()
    monkeypatch.undo()

    again = await Database.open(db.path)

    words = await made_by(again), await matching(again, "低下"), len(await matching(again, "admitted"))
    await again.close()
    sentence = "HbA1cの低下は認められなかった。"
    assert pairs == (["'lyra pairs'", "'lyra pairs'"], [sentence], [sentence])
    assert words == (["'lyra'", "'lyra'"], [sentence], 1)


async def test_the_index_follows_changes_in_pairs_too(db, make, monkeypatch):
    """What is deleted leaves the index as it came."""
    monkeypatch.setattr("lyra.text.has_dictionary", lambda: False)
    paired = await Database.open(db.path)
    page = make.page("https://example.org/a")
    kept, gone = make.fragment(page, "血糖が下がった。"), make.fragment(page, "膵炎は稀だった。", 1)
    await paired.write(pages.save, page, [kept, gone])

    await paired.write(pages.save, page, [kept])

    found = [await matching(paired, query) for query in ("血糖", "膵炎")]
    sound = "insert into fragments_fts (fragments_fts, rank) values ('integrity-check', 1)"
    await paired.write(lambda c: c.execute(sound))
    await paired.close()
    assert found == [["血糖が下がった。"], []]


def test_a_dictionary_that_is_missing_is_named(monkeypatch):
    """Another process, which has the extra, may have made the table anew meanwhile."""
    monkeypatch.setattr("lyra.text.has_dictionary", lambda: False)
    connection = apsw.Connection(":memory:")
    tokenizer.register(connection)
    connection.execute("create virtual table t using fts5 (b, tokenize = 'lyra')")

    with pytest.raises(StorageError) as caught:
        connection.execute("insert into t values ('血糖')")

    assert caught.value.remedy == "pip install 'lyra-mcp[japanese]'"


async def test_nothing_of_a_long_page_that_was_deleted_stays_in_the_file(db, make):
    """The index of its words is in one part then, which SQLite would leave as it is."""
    page = make.page("https://registry.example.org/cases")
    texts = [f"In ward {number} the zygomaticus was seen in {number + 3} patients." for number in range(600)]
    fragments = [make.fragment(page, text, at) for at, text in enumerate(texts)]
    await db.write(pages.save, page, fragments)
    await db.write(lambda connection: connection.execute("delete from fragments where page_id = ?", (page.id,)))

    await db.compact()

    assert b"zygomaticus" not in db.path.read_bytes()
    assert await matching(db, "x") == []
