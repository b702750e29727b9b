"""The dates behind stances, as the storage has them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from lyra.model.edge import Relation
from lyra.model.event import Event
from lyra.model.page import PageNotice
from lyra.model.report import DatedEvidence
from lyra.model.work import Work
from lyra.storage import claims, edges, journal, pages, tasks, timeline, works
from lyra.storage.database import Database


async def test_a_stance_has_the_dates_of_the_page_it_was_read_from(db: Database, make: Any) -> None:
    """The page changed and lost the words: they keep the dates of their version, and the day they were missed."""
    old = make.page("https://www.fdso.gov/pancreas", "fdso.gov", date="2013-03-01", text="No signal was found.")
    fragment = make.fragment(old, "No signal was found.")
    new = replace(old, date="2013-03-01", updated="2018-06-01", text="A signal was found.", fetched_at=make.now)
    claim = make.claim("Gliptins cause pancreatitis.")

    def store(connection: Any) -> None:
        tasks.insert(connection, make.task())
        pages.save(connection, old, [fragment])
        claims.insert_many(connection, [claim])
        edges.insert_many(connection, [make.stance(fragment, claim, Relation.REFUTES, 0.9)])
        pages.save(connection, new, [make.fragment(new, "A signal was found.")])

    await db.write(store)

    assert await db.read(timeline.of_task, make.task_id) == (
        DatedEvidence(
            claim_id=claim.id,
            fragment_id=fragment.id,
            page_id=old.id,
            url=old.url,
            domain="fdso.gov",
            relation=Relation.REFUTES,
            quote="No signal was found.",
            seen_at="2026-03-14T09:30:00.000Z",
            published_date="2013-03-01",
            updated_date=None,
            superseded_at="2026-03-14T09:30:00.000Z",
            superseded_on="2018-06-01",
            no_vote="superseded",
        ),
    )


async def test_a_retraction_is_known_with_the_day_it_was_heard_of(db: Database, make: Any, graph: Any) -> None:
    """SAVOR is called retracted by a later answer: every stance of its page says so, and none is gone."""
    before = await db.read(timeline.of_task, make.task_id)

    await db.write(works.save, Work("doi:10.1056/savor", "SAVOR", is_retracted=True))
    await db.write(lambda c: c.execute("update works set updated_at = '2026-05-01T00:00:00.000Z'"))

    after = await db.read(timeline.of_task, make.task_id)
    assert [replace(one, is_retracted=False, retraction_seen_at=None, no_vote="") for one in after] == list(before)
    assert {(one.domain, one.retraction_seen_at) for one in after if one.is_retracted} == {
        ("nejm.org", "2026-05-01T00:00:00.000Z")
    }


async def test_hearing_of_a_retraction_again_does_not_move_it(db: Database, make: Any, graph: Any) -> None:
    """The journal has the moment the task first heard of it, however often the work's record is renewed."""
    savor = Work("doi:10.1056/savor", "SAVOR", is_retracted=True)
    heard = Event("retraction", make.now, savor.id, task_id=make.task_id)
    await db.write(works.save, savor)
    await db.write(journal.append, [heard])

    await db.write(works.save, savor)
    await db.write(journal.append, [replace(heard, created_at=make.now + timedelta(days=30))])

    known = [one for one in await db.read(timeline.of_task, make.task_id) if one.is_retracted]
    assert {one.retraction_seen_at for one in known} == {"2026-03-14T09:30:00.000Z"}


async def test_a_retraction_has_the_day_that_a_page_of_the_work_names(db: Database, make: Any, graph: Any) -> None:
    """The journal's page says when; the stance on another page of the same work knows it, too."""
    notice = PageNotice(retraction="retracted", retracted_on="2016-05-12")
    page = make.page("https://www.nejm.org/savor-notice", "nejm.org", notice=notice)
    await db.write(pages.save, page, [])

    await db.write(works.link, page.id, "doi:10.1056/savor")

    known = [one for one in await db.read(timeline.of_task, make.task_id) if one.is_retracted]
    assert {(one.url, one.retracted_on) for one in known} == {("https://www.nejm.org/savor", "2016-05-12")}


async def test_a_change_in_the_future_has_no_day(db: Database, make: Any) -> None:
    """A page that claims to have been updated in 2099 was not: the day of the change stays unknown."""
    old = make.page("https://www.fdso.gov/pancreas", "fdso.gov", date="2013-03-01", text="No signal was found.")
    fragment = make.fragment(old, "No signal was found.")
    new = replace(old, updated="2099-06-01", text="A signal was found.")
    claim = make.claim("Gliptins cause pancreatitis.")

    def store(connection: Any) -> None:
        tasks.insert(connection, make.task())
        pages.save(connection, old, [fragment])
        claims.insert_many(connection, [claim])
        edges.insert_many(connection, [make.stance(fragment, claim, Relation.REFUTES, 0.9)])
        pages.save(connection, new, [make.fragment(new, "A signal was found.")])

    await db.write(store)

    (found,) = await db.read(timeline.of_task, make.task_id)
    assert (found.superseded_at, found.superseded_on) == ("2026-03-14T09:30:00.000Z", None)
