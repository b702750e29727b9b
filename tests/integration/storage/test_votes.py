"""Who may vote follows from what is stored: works, pages, versions and judged texts."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from lyra.model.edge import Relation
from lyra.model.page import Identifier, PageNotice
from lyra.model.work import Work
from lyra.storage import claims, edges, pages, tasks, votes, works
from lyra.storage.database import Database

DOI = Identifier("doi", "10.5555/jni.2022.0319")
WORK = Work("doi:10.5555/jni.2022.0319", "Fewer slips", identifiers=(DOI,), source_api="openalex")
WORDS = "Errors fell by 52%."
RETRACTED = PageNotice(retraction="retracted", retracted_on="2024-11-19")


@pytest.fixture
async def page(db: Database, make: Any) -> Any:
    """A page with one sentence that supports one claim, as an index's work."""
    page = make.page("https://www.jni-online.org/0319", "jni-online.org", text=WORDS, date="2022-10-27")
    fragment = make.fragment(page, WORDS)
    claim = make.claim("Errors are halved.")

    def store(connection: Any) -> None:
        tasks.insert(connection, make.task())
        pages.save(connection, page, [fragment])
        works.link(connection, page.id, works.save(connection, WORK).id)
        claims.insert_many(connection, [claim])
        edges.insert_many(connection, [make.stance(fragment, claim, Relation.SUPPORTS, 0.9, quote=WORDS)])

    await db.write(store)
    return page


async def reasons(db: Database, make: Any) -> list[str]:
    """Why each edge of the task has no vote."""
    return [row.no_vote for row in await db.read(edges.evidence_of_task, make.task_id)]


async def years(db: Database) -> list[int | None]:
    return [year for (year,) in await db.read(lambda c: c.execute("select year from edges order by id").fetchall())]


async def test_an_edge_votes_unless_something_speaks_against_it(db: Database, make: Any, page: Any) -> None:
    """A work in good standing, a page that still holds the words."""
    assert await reasons(db, make) == [""]


async def test_a_retracted_work_loses_its_vote_and_marks_its_claims(db: Database, make: Any, page: Any) -> None:
    """As soon as an index says so; the claim waits to be assessed again."""
    await db.write(votes.mark_assessed, [make.claim("Errors are halved.").id])

    await db.write(works.save, replace(WORK, is_retracted=True, retracted_by="openalex"))

    assert await reasons(db, make) == ["retracted"]
    assert await db.read(votes.claims_to_assess) == {make.task_id: [make.claim("Errors are halved.").id]}


@pytest.mark.parametrize(
    ("later", "told"),
    [
        (replace(WORK, is_retracted=False), ""),
        (replace(WORK, is_retracted=None), "retracted"),
        (replace(WORK, is_retracted=None, source_api="semantic_scholar"), "retracted"),
        (replace(WORK, is_retracted=False, source_api="another"), "retracted"),
    ],
    ids=["the same index: reinstated", "the same index, silent", "an index without a flag", "another index"],
)
async def test_an_index_takes_back_its_own_word_only(
    db: Database, make: Any, page: Any, later: Work, told: str
) -> None:
    """A retraction that is itself taken back gives the vote back; silence does not."""
    await db.write(works.save, replace(WORK, is_retracted=True, retracted_by="openalex"))

    await db.write(works.save, later)

    assert await reasons(db, make) == [told]


async def test_a_work_retracted_before_it_was_kept_who_said_so_is_decided_by_the_next_word(
    db: Database, make: Any, page: Any
) -> None:
    """Data of an older Lyra names nobody."""
    await db.write(lambda c: c.execute("update works set is_retracted = 1, retracted_by = ''"))

    await db.write(works.save, replace(WORK, is_retracted=False))

    assert await reasons(db, make) == [""]


async def test_a_page_that_says_it_is_retracted_loses_its_vote(db: Database, make: Any, page: Any) -> None:
    """Whatever the index says; and the vote comes back when the page says that it was reinstated."""
    await db.write(pages.save, replace(page, notice=RETRACTED), [make.fragment(page, WORDS)])
    retracted = await reasons(db, make)
    await db.write(works.save, replace(WORK, is_retracted=True, retracted_by="openalex"))
    reinstated = replace(page, notice=PageNotice(retraction="reinstated"), fetched_at=make.now + timedelta(days=1))

    await db.write(pages.save, reinstated, [make.fragment(page, WORDS)])

    assert (retracted, await reasons(db, make)) == (["retracted"], [""])


async def test_what_one_page_of_a_work_says_holds_for_all(db: Database, make: Any, page: Any) -> None:
    """The journal's page says retracted; the abstract of the same work elsewhere has no vote either."""
    journal = make.page("https://doi.org/10.5555/jni.2022.0319", "doi.org", notice=RETRACTED)
    await db.write(pages.save, journal, [])

    await db.write(works.link, journal.id, WORK.id)

    assert await reasons(db, make) == ["retracted"]


async def test_words_that_the_page_no_longer_holds_have_no_vote(db: Database, make: Any, page: Any) -> None:
    """Read again without them it is superseded; read again with them it votes as before."""
    changed = replace(page, text="This page has moved.")
    await db.write(pages.save, changed, [make.fragment(changed, "This page has moved.")])
    gone = await reasons(db, make)

    await db.write(pages.save, page, [make.fragment(page, WORDS)])

    assert (gone, await reasons(db, make)) == (["superseded"], [""])


async def test_words_that_stand_in_another_paragraph_still_vote(db: Database, make: Any, page: Any) -> None:
    """The fragment is gone, the quote is not."""
    longer = f"On eight wards something changed. {WORDS}"
    changed = replace(page, text=longer)

    await db.write(pages.save, changed, [make.fragment(changed, longer)])

    assert await reasons(db, make) == [""]


async def test_a_notice_has_no_vote_and_a_retraction_comes_first(db: Database, make: Any, page: Any) -> None:
    """The reason told is the first that applies; when it ends the other one shows."""
    (edge,) = await db.read(edges.of_task, make.task_id)
    await db.write(votes.note_notices, {edge.id: True})
    notice = await reasons(db, make)
    await db.write(works.save, replace(WORK, is_retracted=True, retracted_by="openalex"))
    both = await reasons(db, make)

    await db.write(works.save, replace(WORK, is_retracted=False))

    assert (notice, both, await reasons(db, make)) == (["notice"], ["retracted"], ["notice"])


async def test_evidence_is_dated_by_the_version_that_was_read(db: Database, make: Any, page: Any) -> None:
    """Words that are still there take the year of the update; words that are gone keep theirs."""
    updated = replace(page, updated="2024-11-19")
    first = await years(db)
    await db.write(pages.save, updated, [make.fragment(page, WORDS)])
    second = await years(db)
    changed = replace(page, updated="2025-06-01", text="This page has moved.")

    await db.write(pages.save, changed, [make.fragment(changed, "This page has moved.")])

    assert (first, second, await years(db)) == ([2022], [2024], [2024])


@pytest.mark.parametrize(("date", "updated"), [("2099-01-01", None), ("2022-10-27", "2099-01-01"), ("9999", "9999")])
async def test_a_date_in_the_future_counts_as_the_year_of_the_reading(
    db: Database, make: Any, page: Any, date: str, updated: str | None
) -> None:
    """The words were there when they were read, in 2026."""
    await db.write(pages.save, replace(page, date=date, updated=updated), [make.fragment(page, WORDS)])

    assert await years(db) == [2026]


async def test_the_years_of_a_claim_hold_what_votes(db: Database, make: Any, page: Any) -> None:
    """The digests behind the views follow the vote, both ways."""
    statement = "select (select sum(supports) from claim_years), (select sum(fragments) from task_years)"
    before = await db.read(lambda c: c.execute(statement).fetchone())
    await db.write(works.save, replace(WORK, is_retracted=True, retracted_by="openalex"))
    without = await db.read(lambda c: c.execute(statement).fetchone())

    await db.write(works.save, replace(WORK, is_retracted=False))

    assert (before, without) == ((1, 1), (None, None))
    assert await db.read(lambda c: c.execute(statement).fetchone()) == (1, 1)


async def test_an_edge_that_loses_its_vote_takes_nothing_else_away(db: Database, make: Any, page: Any) -> None:
    """What another text counts for in the same claim stays counted."""
    other = make.page("https://b.example/1", "b.example", text="Half as many errors.", date="2022")
    fragment = make.fragment(other, "Half as many errors.")
    stance = make.stance(fragment, make.claim("Errors are halved."), Relation.SUPPORTS, 0.9)
    await db.write(pages.save, other, [fragment])
    await db.write(edges.insert_many, [stance])

    await db.write(works.save, replace(WORK, is_retracted=True, retracted_by="openalex"))

    assert await db.read(lambda c: c.execute("select year, supports from claim_years").fetchall()) == [(2022, 1)]


async def test_a_claim_of_retracted_pages_alone_says_so(db: Database, make: Any, page: Any) -> None:
    """Until a page in good standing states it too: then that one is its source."""
    claim, other = make.claim("Errors are halved."), make.page("https://b.example/", "b.example", text=WORDS)
    first, second = make.fragment(page, WORDS), make.fragment(other, WORDS)
    await db.write(claims.add_mentions, [make.mention(claim, first)])
    before = await db.read(claims.get, claim.id)
    await db.write(works.save, replace(WORK, is_retracted=True, retracted_by="openalex"))
    retracted = await db.read(claims.get, claim.id)
    await db.write(pages.save, other, [second])
    await db.write(claims.add_mentions, [make.mention(claim, second)])

    after = await db.read(claims.get, claim.id)

    assert [(one.source_url, one.is_retracted) for one in (before, retracted, after)] == [
        ("https://www.jni-online.org/0319", False),
        ("https://www.jni-online.org/0319", True),
        ("https://b.example/", False),
    ]
