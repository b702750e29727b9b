"""Data of an older version: every claim is assessed by the present rules once, and the journal says what changed."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from apsw import Connection

from lyra.app import Lyra
from lyra.evidence.assess import assess
from lyra.model.claim import AdoptionStatus, Assessment, Verdict
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.trust import TrustLevel
from lyra.research.assessing import Assessor
from lyra.storage import claims, edges, pages, reassessments
from lyra.storage.database import Database

CLAIM = "Gliptins prolong life."
STUDY = "Patients who took gliptins lived longer. The study followed them for two years."
TASK = "task_00000000000a"


@pytest.fixture
async def old(settings, db, said, write):
    """Six farm pages, which the older version took for six texts: well supported, and adopted."""
    told = [
        said(
            f"https://farm{at}.example/a", f"farm{at}.example", f"Tip number {at} of the day is here. {STUDY}",
            Relation.SUPPORTS, 0.9, TrustLevel.UNVERIFIED, f"202{at}-01-01",
        )
        for at in range(6)
    ]  # fmt: skip
    claim_id = await db.write(write, CLAIM, told)
    await db.write(claims.save_assessments, [_as_before(claim_id)], told[0].page.fetched_at)
    await db.write(lambda c: c.execute("insert into tasks_to_reassess (task_id) values (?)", (TASK,)) and None)
    return claim_id


def _as_before(claim_id: str) -> Assessment:
    row = EvidenceRow(claim_id, "f", "p", "a.example", Relation.SUPPORTS, 0.9)
    rows = [replace(row, fragment_id=f"f{at}", page_id=f"p{at}", domain=f"{at}.example") for at in range(6)]
    return assess(claim_id, rows)


def _journal(connection: Connection) -> list[Any]:
    rows = connection.execute("select subject, task_id, details from event_log where kind = 'verdict_changed'")
    return [(subject, task_id, json.loads(str(details))) for subject, task_id, details in rows]


async def test_claims_are_assessed_anew_when_the_data_is_opened(settings, db: Database, old: str) -> None:
    """Six copies of one text, each with a tip of its own before it, are one source."""
    before = await db.read(claims.get, old)

    async with Lyra.open(settings) as lyra:
        after = await lyra.db.read(claims.get, old)
        waiting = await lyra.db.read(reassessments.pending)

    assert (before.assessment.verdict, before.assessment.adoption_status) == (
        Verdict.WELL_SUPPORTED,
        AdoptionStatus.ADOPTED,
    )
    assert (after.assessment.verdict, after.assessment.adoption_status) == (Verdict.SUPPORTED, AdoptionStatus.PENDING)
    assert (after.assessment.independent_sources, after.assessment.evidence.supporting_count) == (1, 1)
    assert waiting == {}


async def test_a_changed_verdict_stands_in_the_journal_once(settings, db: Database, old: str) -> None:
    """Before, after and why; opening again adds nothing."""
    async with Lyra.open(settings):
        pass
    async with Lyra.open(settings):
        pass

    assert await db.read(_journal) == [
        (
            old,
            TASK,
            {
                "before": {
                    "verdict": "well_supported",
                    "verification_status": "verified",
                    "adoption_status": "adopted",
                },
                "after": {"verdict": "supported", "verification_status": "pending", "adoption_status": "pending"},
                "reason": "assessed again by the rules of this version: each independent source counts once",
            },
        )
    ]


async def test_what_a_crash_left_half_done_is_done_again(settings, db: Database, old: str) -> None:
    """The claims were written, the task was not yet marked as done: the journal gets no second line."""
    async with Lyra.open(settings) as lyra:
        await lyra.db.write(claims.save_assessments, [_as_before(old)], lyra.clock.now())
        await lyra.db.write(lambda c: c.execute("delete from event_log") and None)
        await Assessor(lyra.parts, TASK).assess([old], why="stopped after this")
        await lyra.db.write(lambda c: c.execute("insert into tasks_to_reassess values (?)", (TASK,)) and None)

    async with Lyra.open(settings) as lyra:
        waiting = await lyra.db.read(reassessments.pending)

    assert [details["reason"] for _, _, details in await db.read(_journal)] == ["stopped after this"]
    assert waiting == {}


async def test_two_that_open_at_once_write_one_line(settings, db: Database, old: str) -> None:
    """Each client starts its own server over the same data."""

    async def opened() -> None:
        async with Lyra.open(settings, with_worker=True):
            pass

    await asyncio.gather(opened(), opened())

    assert [subject for subject, _, _ in await db.read(_journal)] == [old]


async def test_copies_of_an_older_version_are_looked_for_again(settings, db: Database, old: str) -> None:
    """It knew no containment: all but the earliest page turn out to repeat it."""
    async with Lyra.open(settings):
        pass

    found = await db.read(pages.fragments_of_task, TASK)
    texts = {one.id: one.text_content[:12] for one in found}
    repeats = [texts.get(one.near_duplicate_of) for one in sorted(found, key=lambda one: one.text_content)]
    assert repeats == [None, *["Tip number 0"] * 5]


async def test_what_texts_credit_is_found_with_their_pages(settings, db: Database, said, write) -> None:
    """An older version knew no institutions: two retellings and the own page of one turn out to be one source."""
    words = {
        "times.example": "Gliptins prolong life by years, according to figures from the Data Guardian.",
        "post.example": "According to the Data Guardian, patients live longer thanks to gliptins.",
        "dataguardian.gov": "We have found that the life of patients is prolonged.",
    }
    told = [
        said(f"https://{host}/a", host, text, Relation.SUPPORTS, 0.9, TrustLevel.UNVERIFIED, "2020-01-01")
        for host, text in words.items()
    ]
    claim_id = await db.write(write, CLAIM, told)
    await db.write(lambda c: c.execute("update edges set origins = null") and None)
    await db.write(lambda c: c.execute("insert into tasks_to_reassess (task_id) values (?)", (TASK,)) and None)

    async with Lyra.open(settings) as lyra:
        after = await lyra.db.read(claims.get, claim_id)
        rows = await lyra.db.read(edges.evidence_of_claims, [claim_id])

    assert {row.domain: row.origins for row in rows} == {
        "times.example": ("institution:data guardian",),
        "post.example": ("institution:data guardian",),
        "dataguardian.gov": (),
    }
    assert after.assessment.independent_sources == 1


async def test_what_is_looked_for_anew_knows_the_names_of_sites(settings, db: Database, said, write) -> None:
    """A page with a stored name of its site answers to it where its edges are looked at again."""
    text = "We have found that the life of patients is prolonged."
    own = said("https://a.example/a", "a.example", text, Relation.SUPPORTS, 0.9, TrustLevel.UNVERIFIED, "2020-01-01")
    claim_id = await db.write(write, CLAIM, [own])
    await db.write(lambda c: c.execute("update pages set site_name = 'Hythe Courier'") and None)
    await db.write(lambda c: c.execute("update edges set origins = null") and None)
    await db.write(lambda c: c.execute("insert into tasks_to_reassess (task_id) values (?)", (TASK,)) and None)

    async with Lyra.open(settings) as lyra:
        rows = await lyra.db.read(edges.evidence_of_claims, [claim_id])

    assert [row.origins for row in rows] == [("own:hythe courier", "ends:courier")]
