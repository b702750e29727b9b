"""Claims follow their evidence in every task, and data of an older Lyra is looked at once."""

from dataclasses import replace
from typing import Any

import pytest

from lyra.model.edge import Edge, Relation
from lyra.model.page import PageNotice
from lyra.model.trust import TrustLevel
from lyra.model.work import Work
from lyra.research.assessing import Assessor
from lyra.research.recompute import complete_older_data, reassess
from lyra.research.search_run import SearchParts
from lyra.storage import claims, domains, edges, pages, votes, works
from lyra.storage.database import Database

TASK, OTHER = "task_00000000000a", "task_00000000000b"
YES = Relation.SUPPORTS
ACADEMIC, UNVERIFIED = TrustLevel.ACADEMIC, TrustLevel.UNVERIFIED
DOI = "10.5555/jni.2022.0319"


@pytest.fixture
def told(said: Any) -> list[Any]:
    return [
        said("https://www.jni-online.org/0319", "jni-online.org", "Errors fell by 52%.", YES, 0.9, ACADEMIC, doi=DOI),
        said("https://ward.example/a", "ward.example", "On our ward half the slips were gone.", YES, 0.9, UNVERIFIED),
    ]


async def standing(db: Database, claim_id: str) -> tuple[str, str, int]:
    found = await db.read(claims.get, claim_id)
    assert found is not None
    assessment = found.assessment
    return assessment.verdict.value, assessment.verification_status.value, assessment.independent_sources


async def test_a_retraction_reaches_the_claims_of_every_task(
    parts: SearchParts, db: Database, write: Any, told: list[Any]
) -> None:
    """Heard of in one task, it takes the vote and the promoted domain away in the other; nothing is left to do."""
    claim = await db.write(write, "Errors are halved.", told, task_id=OTHER)
    await Assessor(parts, OTHER).assess([claim])
    before = await standing(db, claim)
    lifted = await db.read(domains.get, "ward.example")
    await db.write(works.save, Work(f"doi:{DOI}", "Fewer slips", is_retracted=True))

    await reassess(parts)

    fallen = await db.read(domains.get, "ward.example")
    assert (before, await standing(db, claim)) == (("supported", "verified", 2), ("supported", "pending", 1))
    assert lifted is not None
    assert fallen is not None
    assert (lifted.trust_level, fallen.trust_level) == (TrustLevel.LOW, None)
    assert await db.read(votes.claims_to_assess) == {}


async def test_a_deleted_sentence_does_not_outvote_the_present_one(
    parts: SearchParts, db: Database, write: Any, said: Any
) -> None:
    """The page was corrected: what it said before stays as an edge without a vote."""
    old = said("https://herald.example/cost", "herald.example", "It cost 4.1 million dollars.", YES, 0.9, UNVERIFIED)
    claim = await db.write(write, "It cost 4.1 million dollars.", [old])
    await Assessor(parts, TASK).assess([claim])
    before = await standing(db, claim)
    new = replace(old, words="It cost 410,400 dollars.")
    fragment = replace(new.fragment, id="f_new")

    await db.write(pages.save, new.page, [fragment])
    await reassess(parts)

    (row,) = await db.read(edges.evidence_of_claims, [claim])
    assert (before, await standing(db, claim)) == (("supported", "pending", 1), ("unverified", "pending", 0))
    assert (row.relation, row.no_vote) == (YES, "superseded")


async def test_older_data_is_looked_at_once(parts: SearchParts, db: Database, write: Any, said: Any) -> None:
    """Pages and edges that were stored before anybody looked for notices get their answer, and claims follow."""
    notice = "A study that claimed that errors are halved has been retracted."
    told = [
        said("https://news.example/a", "news.example", notice, YES, 0.9, UNVERIFIED),
        said("https://blog.example/a", "blog.example", "This article has been retracted.", YES, 0.9, UNVERIFIED),
        said("https://ward.example/a", "ward.example", "Half the slips were gone.", YES, 0.9, UNVERIFIED),
    ]
    claim = await db.write(write, "Errors are halved.", told)
    await db.write(lambda c: c.execute("update edges set is_notice = null, no_vote = ''; delete from claims_to_assess"))

    await complete_older_data(parts)
    await reassess(parts)

    rows = await db.read(edges.evidence_of_claims, [claim])
    assert {row.domain: row.no_vote for row in rows} == {
        "news.example": "notice",
        "blog.example": "retracted",
        "ward.example": "",
    }
    assert await standing(db, claim) == ("supported", "pending", 1)
    assert await db.read(votes.unchecked_pages, 10) == ()
    assert await db.read(votes.unchecked_texts, 10) == ()


async def test_a_page_keeps_what_it_says_of_itself(db: Database, said: Any, write: Any) -> None:
    """Stored and read back, with the days."""
    notice = PageNotice("retracted", "2024-11-19", True, "2024-11-01")
    page = replace(said("https://a.example/1", "a.example", "It rose.", YES, 0.9, UNVERIFIED).page, notice=notice)

    await db.write(pages.save, page, [])

    stored = await db.read(pages.get, page.id)
    assert stored is not None
    assert stored.notice == notice


async def test_who_only_retells_a_retracted_work_loses_the_vote_and_gets_it_back(
    parts: SearchParts, db: Database, write: Any, said: Any
) -> None:
    """ "A study found" beside one retracted study; when the retraction is taken back both vote again."""
    work = said("https://www.jni-online.org/0319", "jni-online.org", "Errors fell by 52%.", YES, 0.9, ACADEMIC, doi=DOI)
    page = said("https://scoop.example/a", "scoop.example", "A study found half the errors.", YES, 0.9, UNVERIFIED)
    claim = await db.write(write, "Errors are halved.", [work, page])
    found = []

    for is_retracted in (True, False):
        await db.write(works.save, Work(f"doi:{DOI}", "Errors", is_retracted=is_retracted, source_api="openalex"))
        await Assessor(parts, TASK).assess([claim])
        rows = await db.read(edges.evidence_of_claims, [claim])
        found.append((sorted((row.domain, row.no_vote) for row in rows), await standing(db, claim)))

    assert found == [
        (
            [("jni-online.org", "retracted"), ("scoop.example", "retells_retracted")],
            ("unverified", "pending", 0),
        ),
        ([("jni-online.org", ""), ("scoop.example", "")], ("supported", "verified", 2)),
    ]


async def test_who_retells_what_a_newspaper_corrected_loses_the_vote(
    parts: SearchParts, db: Database, write: Any, said: Any, clock: Any
) -> None:
    """The newspaper's article now says the opposite and that it was corrected; a page that links to it alone repeats
    what it had said, and a third page speaks for itself."""
    article = said("https://courier.example/a", "courier.example", "Break-ins fell.", Relation.REFUTES, 0.9, UNVERIFIED)
    notice = PageNotice("", None, is_corrected=True, corrected_on="2024-10-22")
    leaflet = said("https://leaflet.example/b", "leaflet.example", "Break-ins rose.", YES, 0.9, UNVERIFIED)
    guard = said("https://guard.example/c", "guard.example", "We met more burglars.", YES, 0.9, UNVERIFIED)
    claim = await db.write(write, "Break-ins increased.", [article, leaflet, guard])
    await db.write(pages.save, replace(article.page, notice=notice), [])
    await db.write(
        edges.insert_many,
        [Edge("e_link", "page", leaflet.page.id, "page", article.page.id, Relation.CITES, clock.now())],
    )

    await Assessor(parts, TASK).assess([claim])

    rows = await db.read(edges.evidence_of_claims, [claim])
    assert sorted((row.domain, row.no_vote) for row in rows) == [
        ("courier.example", ""),
        ("guard.example", ""),
        ("leaflet.example", "retells_corrected"),
    ]
