"""Time and trust in the report: the timeline, outdated evidence, retracted work, what would restore a claim."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lyra.evidence.assess import assess
from lyra.evidence.timeline import timelines
from lyra.model.claim import Claim
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.report import DatedEvidence, QuotedEvidence, ReportClaim
from lyra.model.task import Budget, Task, TaskStatus
from lyra.model.trust import TrustLevel
from lyra.report.write import render

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TASK = Task("task_0123456789ab", "Do gliptins prolong life?", TaskStatus.COMPLETED, NOON, Budget())
REGISTRY = QuotedEvidence(
    claim_id="c_1",
    relation=Relation.SUPPORTS,
    quote="In 2009 sitagliptin cut mortality by a third.",
    fragment_id="f_1",
    page_id="p_1",
    url="https://www.jmetd.org/article/2014/0666",
    title="A registry study",
    domain="jmetd.org",
    heading_context="",
    published_date="2014-08-19",
    fetched_at=NOON,
    nli_confidence=0.91,
    trust_level="unverified",
    is_origin=True,
    char_start=0,
    no_vote="retracted",
)
NEWS = replace(
    REGISTRY,
    relation=Relation.REFUTES,
    quote="Mortality did not change.",
    fragment_id="f_2",
    page_id="p_2",
    url="https://www.nimeth.gov/news",
    domain="nimeth.gov",
    published_date="2021-04-02",
    trust_level="government",
    no_vote="",
)


def dated(quoted: QuotedEvidence, **more: object) -> DatedEvidence:
    return DatedEvidence(
        claim_id=quoted.claim_id,
        fragment_id=quoted.fragment_id,
        page_id=quoted.page_id,
        url=quoted.url,
        domain=quoted.domain,
        relation=quoted.relation,
        quote=quoted.quote,
        seen_at="2026-03-01T12:00:00.000Z",
        published_date=quoted.published_date,
        is_retracted=quoted.is_retracted,
        retraction_seen_at="2026-03-02T08:00:00.000Z" if quoted.is_retracted else None,
        no_vote=quoted.no_vote,
        **more,  # type: ignore[arg-type]
    )


@pytest.fixture
def claim() -> ReportClaim:
    rows = [
        EvidenceRow("c_1", one.fragment_id, one.page_id, one.domain, one.relation, 0.9, TrustLevel(one.trust_level))
        for one in (REGISTRY, NEWS)
    ]
    text = "Sitagliptin lowers mortality."
    return ReportClaim(Claim("c_1", TASK.id, text, "en", NOON), assess("c_1", rows), (REGISTRY,), (NEWS,))


def section(report: str, name: str) -> str:
    return report.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]


def test_the_timeline_tells_events_in_order(claim: ReportClaim) -> None:
    """Published, first seen, found retracted, and words that a page no longer holds, each with its day."""
    rows = [dated(REGISTRY), dated(NEWS, superseded_at="2026-04-01T10:00:00.000Z")]

    report = render(TASK, (claim,), (), timelines(rows))

    said = [line.split(" “")[0] for line in section(report, "Timeline").strip().splitlines()]
    assert said == [
        "- 2014-08-19: published on jmetd.org, supports",
        "- 2021-04-02: published on nimeth.gov, refutes",
        "- 2026-03-01: first seen (jmetd.org):",
        "- 2026-03-02: the paper was found retracted; it supports (noticed, jmetd.org)",
        "- 2026-04-01: the page no longer holds the words with which it refutes (noticed, nimeth.gov)",
    ]


def test_what_is_dated_stands_on_its_day(claim: ReportClaim) -> None:
    """The retraction and the change name their days: nothing was merely noticed."""
    rows = [
        dated(REGISTRY, retracted_on="2016-05-12"),
        dated(NEWS, superseded_at="2026-04-01T10:00:00.000Z", superseded_on="2026-02-20"),
    ]

    report = render(TASK, (claim,), (), timelines(rows))

    said = [line.split(" “")[0] for line in section(report, "Timeline").strip().splitlines()]
    assert said[1] == "- 2016-05-12: the paper was retracted; it supports (jmetd.org)"
    assert said[3] == "- 2026-02-20: the page no longer holds the words with which it refutes (nimeth.gov)"


def test_a_quote_from_retracted_work_says_so_and_stays(claim: ReportClaim) -> None:
    """It is shown with the reason why it has no vote; the other side votes."""
    report = render(TASK, (claim,), (), timelines([dated(REGISTRY), dated(NEWS)]))

    lines = [
        line for line in section(report, "Reservations").splitlines() if line.startswith(("- Supports", "- Refutes"))
    ]
    assert [line.endswith(" — **no vote: the work was retracted**") for line in lines] == [True, False]


def test_old_statements_on_newer_pages_are_named(claim: ReportClaim) -> None:
    """The registry's page is of 2014 and speaks of 2009: a fact beside the claim, no judgement."""
    report = render(TASK, (claim,), (), timelines([dated(REGISTRY), dated(NEWS)]))

    assert (
        "- Old statement on a newer page: speaks of 2009, the page is of 2014-08-19 "
        "(https://www.jmetd.org/article/2014/0666)."
    ) in section(report, "Reservations")


def test_outdated_evidence_is_named(claim: ReportClaim) -> None:
    """The newest of the task is of 2026; this claim's is of 2021."""
    newer = replace(dated(NEWS), claim_id="c_2", published_date="2026-01-01")

    report = render(TASK, (claim,), (), timelines([dated(REGISTRY), dated(NEWS), newer]))

    assert "- Outdated: the newest dated evidence (2021-04-02) lies over two years" in section(report, "Reservations")


def test_a_rejected_claim_says_what_would_restore_it(claim: ReportClaim) -> None:
    """SPEC §1 decision 10: shown where the claim is."""
    report = render(TASK, (claim,), (), ())

    assert section(report, "Reservations").count("- Would restore it: ") == 2
    assert "gives jmetd.org high trust" in section(report, "Reservations")
