"""Full text over the stored graph: kept in step with the rows, in both languages."""

import subprocess
import sys

from lyra.storage import pages
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
