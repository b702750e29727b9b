"""What if a source were withdrawn, asked of the stored graph; and the same figures in SQL."""

from typing import Any

import pytest
from apsw import Connection

from lyra.errors import InvalidParams
from lyra.model.edge import JudgedPart, JudgedText, PartRole, Relation
from lyra.model.trust import TrustLevel
from lyra.model.work import Work
from lyra.research.assessing import Assessor
from lyra.research.search_run import SearchParts
from lyra.research.whatif import WhatIf, what_if_fields
from lyra.storage import judged_texts, works
from lyra.storage.database import Database
from tests.graph_queries import run_query

TASK = "task_00000000000a"
YES, NO = Relation.SUPPORTS, Relation.REFUTES
ACADEMIC, LOW = TrustLevel.ACADEMIC, TrustLevel.LOW


@pytest.fixture
async def claim(db: Database, write: Any, said: Any) -> str:
    told = [
        said("https://www.jmetd.org/0307", "jmetd.org", "Gliptins had no effect on mortality.", YES, 0.9, ACADEMIC,
             date="2021-04-01", doi="10.5555/cmt.2021.0307"),
        said("https://www.nimeth.gov/news", "nimeth.gov", "Mortality did not change.", YES, 0.8, ACADEMIC,
             date="2021-04-02"),
        said("https://www.jmetd.org/0666", "jmetd.org", "Sitagliptin reduced mortality by 34%.", NO, 0.9, ACADEMIC,
             date="2014-08-19", doi="10.5555/jmetd.2014.0666"),
        said("https://blog.example/a", "blog.example", "They live longer.", Relation.NEUTRAL, 0.9, LOW),
    ]  # fmt: skip
    return str(await db.write(write, "Gliptins have no effect on all-cause mortality.", told))


@pytest.mark.parametrize(
    "source",
    [
        "10.5555/jmetd.2014.0666",
        "doi:10.5555/jmetd.2014.0666",
        "https://doi.org/10.5555/JMETD.2014.0666",
        "https://www.jmetd.org/0666#results",
        "www.jmetd.org/0666",
    ],
)
async def test_a_paper_thought_away(parts: SearchParts, claim: str, source: str) -> None:
    """By DOI however written, or by its page: the claim would be verified, the confidence 2.7 in 3.7."""
    fields = what_if_fields(TASK, await WhatIf(parts).assess_without(TASK, [source]))

    (row,) = fields["claims"]
    assert (fields["claims_total"], fields["claims_touched"], fields["claims_changed"]) == (1, 1, 1)
    assert (row["claim_id"], row["changes"], row["supports_withdrawn"], row["refutes_withdrawn"]) == (claim, True, 0, 1)
    assert row["before"] == {
        "verdict": "contested",
        "verification_status": "pending",
        "adoption_status": "pending",
        "confidence": 0.587,
        "report_confidence": 0.587,
        "independent_sources": 2,
    }
    assert row["after"] == {
        "verdict": "supported",
        "verification_status": "verified",
        "adoption_status": "adopted",
        "confidence": 0.73,
        "report_confidence": 0.73,
        "independent_sources": 2,
    }


async def test_the_link_of_a_doi_is_the_work_and_not_one_of_its_pages(
    parts: SearchParts, db: Database, claim: str
) -> None:
    """An abstract is stored under the link of its DOI; whoever withdraws that link means the paper wherever it lies."""
    await db.write(
        lambda c: c.execute(
            "insert into resource_index (kind, value, page_id)"
            " select 'url', 'https://doi.org/10.5555/jmetd.2014.0666', id from pages where url = ?",
            ("https://www.nimeth.gov/news",),
        )
    )

    fields = what_if_fields(TASK, await WhatIf(parts).assess_without(TASK, ["https://doi.org/10.5555/jmetd.2014.0666"]))

    assert fields["withdrawn"] == {"domains": [], "works": ["doi:10.5555/jmetd.2014.0666"], "pages": []}


async def test_a_domain_takes_all_its_pages_and_several_sources_add_up(parts: SearchParts, claim: str) -> None:
    """Without both papers of the journal and the agency nothing is left: 0.5."""
    fields = what_if_fields(TASK, await WhatIf(parts).assess_without(TASK, ["jmetd.org", "www.nimeth.gov"]))

    assert fields["withdrawn"] == {"domains": ["jmetd.org", "nimeth.gov"], "works": [], "pages": []}
    assert fields["claims"][0]["after"]["confidence"] == 0.5


async def test_a_source_that_is_only_neutral_touches_nothing(parts: SearchParts, claim: str) -> None:
    """It is known in the task, and no claim rests on it."""
    fields = what_if_fields(TASK, await WhatIf(parts).assess_without(TASK, ["blog.example"]))

    assert (fields["claims_touched"], fields["claims"]) == (0, [])


@pytest.mark.parametrize(
    "source", ["nowhere.example", "https://www.jmetd.org/unread", "jmetd.org/unread", "10.5555/other", ""]
)
async def test_a_source_that_says_nothing_in_the_task_is_refused(parts: SearchParts, claim: str, source: str) -> None:
    """A typing error must not look like a source without influence."""
    with pytest.raises(InvalidParams, match="No evidence of this task comes from"):
        await WhatIf(parts).assess_without(TASK, [source])


async def test_the_view_says_the_same_for_each_single_source(parts: SearchParts, db: Database, claim: str) -> None:
    """`v_source_dependence` is what a client asks in SQL; the refuting paper is the one that decides."""
    assessor = Assessor(parts, TASK)
    await assessor.group_pages()
    await assessor.assess([claim])

    await assessor.update_source_influence()

    found = await run_query(
        db.path,
        "select source, supports, refutes, independent_sources_without, confidence, confidence_without, verdict,"
        f" verdict_without, verification_without, is_decisive from v_source_dependence where task_id = '{TASK}'"
        " order by source",
    )
    assert [tuple(row.values()) for row in found.rows] == [
        ("domain:nimeth.gov", 1, 0, 1, 0.587, 0.5, "contested", "contested", "pending", 0),
        ("work:doi:10.5555/cmt.2021.0307", 1, 0, 1, 0.587, 0.486, "contested", "contested", "pending", 0),
        ("work:doi:10.5555/jmetd.2014.0666", 0, 1, 2, 0.587, 0.73, "contested", "supported", "verified", 1),
    ]


async def test_a_new_assessment_ends_what_was_said_of_single_sources(
    parts: SearchParts, db: Database, claim: str
) -> None:
    """Between two searches the view is empty rather than old."""
    assessor = Assessor(parts, TASK)
    await assessor.update_source_influence()

    await assessor.assess([claim])

    found = await run_query(db.path, "select count(*) as n from v_source_dependence")
    assert found.rows[0]["n"] == 0


def given(connection: Connection, title: str, quote: str) -> None:
    """The edge with this quote keeps that its reader was given the title before it."""
    start = len(title) + 2
    parts = (JudgedPart(PartRole.TITLE, 0, len(title)), JudgedPart(PartRole.DECIDING, start, start + len(quote)))
    judged = judged_texts.to_column(JudgedText(f"{title}. {quote}", parts))
    connection.execute("update edges set judged_text = ? where quote = ?", (judged, quote))


async def test_retracted_evidence_is_marked_and_has_no_vote(parts: SearchParts, db: Database, claim: str) -> None:
    """The retracted paper's edge stays in the graph; verdict and what-if agree that nothing rests on it."""
    await db.write(works.save, Work("doi:10.5555/jmetd.2014.0666", "Registry", is_retracted=True))
    await db.write(given, "Registry", "Sitagliptin reduced mortality by 34%.")

    (assessment,) = await Assessor(parts, TASK).assess([claim])

    fields = what_if_fields(TASK, await WhatIf(parts).assess_without(TASK, ["10.5555/jmetd.2014.0666"]))
    found = await run_query(
        db.path,
        f"select claim_id, relation, quote, work_id, in_context from v_retracted_evidence where task_id = '{TASK}'",
    )
    assert (assessment.evidence.refuting_count, assessment.verdict.value) == (0, "supported")
    assert (fields["claims_changed"], fields["claims"][0]["refutes_withdrawn"]) == (0, 0)
    assert fields["claims"][0]["before"] == fields["claims"][0]["after"]
    assert fields["claims"][0]["before"]["verdict"] == "supported"
    assert [tuple(row.values()) for row in found.rows] == [
        (
            claim,
            "refutes",
            "Sitagliptin reduced mortality by 34%.",
            "doi:10.5555/jmetd.2014.0666",
            "[Registry.] Sitagliptin reduced mortality by 34%.",
        )
    ]


async def test_rejected_claims_tell_why_against_what_and_what_would_restore_them(
    parts: SearchParts, db: Database, write: Any, said: Any
) -> None:
    """SPEC §1 decision 10, in one view."""
    told = [
        said("https://blog.example/b", "blog.example", "Gliptins make you live longer.", YES, 0.9, LOW),
        said("https://www.nimeth.gov/news", "nimeth.gov", "Mortality did not change.", NO, 0.8, ACADEMIC),
    ]
    claim_id = await db.write(write, "Gliptins prolong life.", told)
    await db.write(given, "News", "Mortality did not change.")

    await Assessor(parts, TASK).assess([claim_id])

    found = await run_query(db.path, "select rejected_at, reason, against, recovery from v_rejected_claims")
    assert dict(found.rows[0]) == {
        "rejected_at": "2026-03-14T09:30:00.000Z",
        "reason": "Refuted by a high-trust source, without high-trust support.",
        "against": '[{"quote":"Mortality did not change.","url":"https://www.nimeth.gov/news",'
        '"trust_level":"academic","nli_confidence":0.8,"in_context":"[News.] Mortality did not change."}]',
        "recovery": '["Support from an independent source of high trust (primary, government or academic), found by a '
        'later search on this task: the claim is then pending, with both sides kept.",'
        "\"The user's override in domains.yaml that gives blog.example high trust, from the next search on this task: "
        'the claim is then pending, with both sides kept."]',
    }
