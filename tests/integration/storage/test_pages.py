"""Pages and fragments: reuse, change, and evidence that outlives a change."""

from datetime import timedelta

import pytest

from lyra.errors import StorageError
from lyra.ids import derived_id
from lyra.model.edge import Relation
from lyra.model.page import ArchiveRef
from lyra.model.work import Work
from lyra.storage import claims, edges, embeddings, pages, tasks, works

URL = "https://www.example.org/trial"
FIRST = "Sitagliptin lowered HbA1c."
SECOND = "No rise in heart failure was seen."
THIRD = "追跡期間は三年であった。"


@pytest.fixture
def page(make):
    return make.page(
        URL,
        text=f"{FIRST} {SECOND}",
        date="2015-06-08",
        updated="2016-01",
        authors=("Green J", "田中 一郎"),
        content_hash="h1",
        etag='"v1"',
        archive=ArchiveRef("2026/a.warc.gz", 10, 200, "urn:uuid:1"),
        site_name="Hythe Courier",
    )


async def test_page_and_fragments_come_back_as_stored(db, make, page):
    """Every field survives, and fragments come in reading order."""
    fragments = (make.fragment(page, FIRST), make.fragment(page, SECOND, 1, page_number=3, language="en"))

    await db.write(pages.save, page, reversed(fragments))

    assert await db.read(pages.get, page.id) == page
    assert await db.read(pages.fragments_of, page.id) == fragments


async def test_a_page_is_found_by_address_and_alias(db, page):
    """A redirect's address leads to the same page."""
    await db.write(pages.save, page, [])
    await db.write(pages.index, "url", "https://example.org/moved", page_id=page.id)

    found = [
        await db.read(pages.by_url, URL),
        await db.read(pages.by_url, "https://example.org/moved"),
        await db.read(pages.by_url, "https://example.org/unknown"),
    ]

    assert found == [page, page, None]


async def test_the_names_of_sites_are_stored_in_a_column_of_their_own(db, make, page):
    """Null where it was not looked for, as of pages that an earlier version stored."""
    older = make.page("https://www.example.org/older", text=FIRST)
    await db.write(pages.save, page, [])
    await db.write(pages.save, older, [])

    stored = await db.read(lambda c: dict(c.execute("select id, site_name from pages").fetchall()))

    assert stored == {page.id: "Hythe Courier", older.id: None}
    heads = await db.read(pages.heads_of, [page.id, older.id])
    assert {one: head.site_name for one, head in heads.items()} == {page.id: "Hythe Courier", older.id: ""}


async def test_saving_again_keeps_the_id_and_unchanged_fragments(db, make, page, later):
    """A page found again is the same page: its fragments, and what refers to them, stay."""
    fragments = (make.fragment(page, FIRST), make.fragment(page, SECOND, 1))
    await db.write(pages.save, page, fragments)
    await db.write(embeddings.put_many, "fragment", [(fragments[0].id, [1.0, 0.0])], "minilm")
    newer = make.page(URL, text=page.text, fetched_at=later, etag='"v2"', date="2015-06-08")

    await db.write(pages.save, newer, fragments)

    rows = await db.read(lambda c: c.execute("select count(*) from embeddings").get)
    assert await db.read(pages.get, page.id) == newer
    assert await db.read(pages.fragments_of, page.id) == fragments
    assert rows == 1


async def test_a_changed_page_loses_fragments_that_are_no_evidence(db, make, page, later):
    """What is gone from the page and nobody refers to goes, with its embedding; positions may move."""
    fragments = (make.fragment(page, FIRST), make.fragment(page, SECOND, 1))
    await db.write(pages.save, page, fragments)
    await db.write(embeddings.put_many, "fragment", [(f.id, [1.0, 0.0]) for f in fragments], "minilm")
    newer = make.page(URL, text=f"{THIRD} {SECOND}", fetched_at=later, content_hash="h2")
    current = (make.fragment(newer, THIRD), make.fragment(newer, SECOND, 1))

    await db.write(pages.save, newer, current)

    vectors = await db.read(lambda c: c.execute("select target_id from embeddings").fetchall())
    versions = await db.read(lambda c: c.execute("select count(*) from page_versions").get)
    assert await db.read(pages.fragments_of, page.id) == current
    assert await db.read(pages.fragments, [fragments[0].id]) == ()
    assert vectors == [(fragments[1].id,)]
    assert versions == 0


async def test_evidence_stays_with_the_version_it_was_read_from(db, make, page, later):
    """A quote must stay provable after the page changed: words, offsets, text and archived bytes of that version."""
    quoted, other = make.fragment(page, FIRST), make.fragment(page, SECOND, 1)
    await db.write(tasks.insert, make.task())
    await db.write(pages.save, page, (quoted, other))
    claim = make.claim("Sitagliptin lowers HbA1c.")
    await db.write(claims.insert_many, [claim])
    await db.write(edges.insert_many, [make.stance(quoted, claim, Relation.SUPPORTS, 0.9)])
    newer = make.page(URL, text=THIRD, fetched_at=later, content_hash="h2")
    current = make.fragment(newer, THIRD)

    await db.write(pages.save, newer, [current])

    source = await db.read(pages.source_of, quoted.id)
    assert await db.read(pages.fragments_of, page.id) == (current,)
    assert await db.read(pages.fragments, [quoted.id, other.id]) == (quoted,)
    assert source.text[quoted.char_start : quoted.char_end] == FIRST
    assert (source.archive, source.date, source.fetched_at) == (page.archive, "2015-06-08", make.now)
    assert await db.read(pages.source_of, current.id) == newer


async def test_evidence_that_returns_to_the_page_is_current_again(db, make, page, later):
    """A correction taken back: the fragment is the page's once more and the kept version is dropped."""
    quoted = make.fragment(page, FIRST)
    await db.write(tasks.insert, make.task())
    await db.write(pages.save, page, [quoted])
    claim = make.claim("Sitagliptin lowers HbA1c.")
    await db.write(claims.insert_many, [claim])
    await db.write(claims.add_mentions, [make.mention(claim, quoted)])
    changed = make.page(URL, text=THIRD, fetched_at=later)
    await db.write(pages.save, changed, [make.fragment(changed, THIRD)])
    back = make.page(URL, text=f"{THIRD} {FIRST}", fetched_at=later + timedelta(days=1))

    await db.write(pages.save, back, [make.fragment(back, THIRD), make.fragment(back, FIRST, 1)])

    versions = await db.read(lambda c: c.execute("select count(*) from page_versions").get)
    source = await db.read(pages.source_of, quoted.id)
    assert versions == 0
    assert source == back


async def test_an_id_with_other_words_is_refused(db, make, page):
    """Judgements are about words: the same id must never come to mean others, and the page is not half-saved."""
    fragment = make.fragment(page, FIRST)
    await db.write(pages.save, page, [fragment])

    with pytest.raises(StorageError) as refused:
        await db.write(pages.save, page, [make.fragment(page, SECOND, id=fragment.id)])

    assert refused.value.message == f"Fragment {fragment.id} is already stored with other words."
    assert await db.read(pages.fragments_of, page.id) == (fragment,)


async def test_the_schema_keeps_the_words_of_a_fragment(db, make, page):
    """Not even a plain UPDATE may change them."""
    await db.write(pages.save, page, [make.fragment(page, FIRST)])

    with pytest.raises(StorageError) as refused:
        await db.write(lambda c: c.execute("update fragments set text_content = 'changed'"))

    assert refused.value.message == "The database reported an error: the words of a fragment never change."


async def test_near_duplicates_point_to_the_first_text(db, make, page):
    """A syndicated copy names its original; deleting the original's page frees the copy."""
    copy_page = make.page("https://copy.example.com/a")
    original, copied = make.fragment(page, FIRST), make.fragment(copy_page, FIRST)
    await db.write(pages.save, page, [original])
    await db.write(pages.save, copy_page, [copied])
    await db.write(pages.set_near_duplicates, [(copied.id, original.id)])
    (before,) = await db.read(pages.fragments_of, copy_page.id)
    await db.write(lambda c: c.execute("delete from pages where id = ?", (page.id,)))

    (after,) = await db.read(pages.fragments_of, copy_page.id)

    assert (before.near_duplicate_of, after.near_duplicate_of) == (original.id, None)


async def test_fragments_of_a_task_are_those_that_speak_of_its_claims(db, make, graph):
    """Judged or mentioning, in the order they were stored; the other task has only its own."""
    own = await db.read(pages.fragments_of_task, make.task_id)
    others = await db.read(pages.fragments_of_task, make.other_task_id)

    assert own == (graph.f1, graph.f2, graph.f2b, graph.f3, graph.f4, graph.f5)
    assert others == (graph.f2b,)


@pytest.mark.parametrize(
    ("date", "year"), [("2015-06-08", 2015), ("2015", 2015), ("June 2015", None), (None, None), ("20", None)]
)
async def test_the_year_is_taken_from_the_date(db, make, date, year):
    """Only a date that begins with a year gives one."""
    page = make.page(URL, date=date)

    await db.write(pages.save, page, [])

    assert await db.read(lambda c: c.execute("select year from pages").get) == year


async def test_a_page_that_gets_its_year_later_dates_its_evidence(db, make):
    """The year of a work arrives after judging: edges and the digest by year follow."""
    page = make.page(URL)
    fragment, claim = make.fragment(page, FIRST), make.claim("Sitagliptin lowers HbA1c.")
    await db.write(tasks.insert, make.task())
    await db.write(pages.save, page, [fragment])
    await db.write(claims.insert_many, [claim])
    await db.write(edges.insert_many, [make.stance(fragment, claim, Relation.REFUTES, 0.8)])
    work = await db.write(works.save, Work("doi:10.1/x", "Trial", year=2015))

    await db.write(works.link, page.id, work.id)

    years = await db.read(lambda c: c.execute("select year from edges").fetchall())
    digest = await db.read(
        lambda c: c.execute("select claim_id, year, supports, refutes, refute_weight from claim_years").fetchall()
    )
    assert years == [(2015,)]
    assert digest == [(claim.id, 2015, 0, 1, 0.8)]


async def test_a_page_is_the_one_of_its_address(db, make):
    """Another id for a known address is refused by the schema: addresses are unique."""
    await db.write(pages.save, make.page(URL), [])
    imposter = make.page(URL, id=derived_id("p", "another"))

    await db.write(pages.save, imposter, [])

    assert [await db.read(pages.get, imposter.id), (await db.read(pages.by_url, URL)).id] == [
        None,
        derived_id("p", URL),
    ]


@pytest.mark.parametrize(
    ("url", "is_own"),
    [
        ("https://www.example.org/trial", False),
        ("http://example.org/", False),
        ("library://0a1b.home.library/notes.pdf", True),
        ("file:///home/me/notes.pdf", True),
        ("httpfile://x/y", True),
        ("zz://x", True),
    ],
)
async def test_documents_of_ones_own_are_known_by_their_address(db, make, url, is_own):
    """Whatever is not an address of the web is the user's own."""
    await db.write(pages.save, make.page(url, text=FIRST), [])

    assert await db.read(pages.has_own_documents) is is_own
