"""Time and trust in the report: the timeline, outdated evidence, retracted work, what would restore a claim."""

from dataclasses import replace

import pytest

from lyra.evidence.assess import assess
from lyra.evidence.timeline import timelines
from lyra.model.claim import Claim
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.report import DatedEvidence, QuotedEvidence, ReportClaim
from lyra.model.trust import TrustLevel
from lyra.report.content import report
from lyra.report.document import Figure
from lyra.report.figures import EvidenceOverTime, YearOfEvidence
from tests.report_data import NOON, TASK, findings, quoted, report_text, section

REGISTRY = quoted(
    Relation.SUPPORTS,
    "In 2009 sitagliptin cut mortality by a third.",
    "https://www.jmetd.org/article/2014/0666",
    title="A registry study",
    domain="jmetd.org",
    published_date="2014-08-19",
    trust_level="unverified",
    no_vote="retracted",
)
NEWS = quoted(
    Relation.REFUTES,
    "Mortality did not change.",
    "https://www.nimeth.gov/news",
    domain="nimeth.gov",
    fragment_id="f_2",
    published_date="2021-04-02",
)


def dated(one: QuotedEvidence, **more: object) -> DatedEvidence:
    return DatedEvidence(
        claim_id=one.claim_id,
        fragment_id=one.fragment_id,
        page_id=one.page_id,
        url=one.url,
        domain=one.domain,
        relation=one.relation,
        quote=one.quote,
        seen_at="2026-03-01T12:00:00.000Z",
        published_date=one.published_date,
        is_retracted=one.is_retracted,
        retraction_seen_at="2026-03-02T08:00:00.000Z" if one.is_retracted else None,
        no_vote=one.no_vote,
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


def timeline_of(claim: ReportClaim, *rows: DatedEvidence) -> list[str]:
    text = report_text(claim, histories=timelines(rows))
    return [
        line.removesuffix(": Sitagliptin lowers mortality.") for line in section(text, "Timeline").split("\n") if line
    ]


def test_timeline_tells_events_in_order(claim: ReportClaim) -> None:
    """Published, first seen, found retracted, and words that a page no longer holds, each with its day.

    A retracted source is marked at all that it did."""
    told = timeline_of(claim, dated(REGISTRY), dated(NEWS, superseded_at="2026-04-01T10:00:00.000Z"))

    assert told == [
        "- **2014-08-19** published on jmetd.org (for) **RETRACTED**",
        "- **2021-04-02** published on nimeth.gov (against)",
        "- **2026-03-01** first seen on jmetd.org (for) **RETRACTED**",
        "- **2026-03-02** noticed: the paper on jmetd.org is RETRACTED (for)",
        "- **2026-04-01** noticed: no longer on nimeth.gov (against)",
    ]


def test_what_is_dated_stands_on_its_day(claim: ReportClaim) -> None:
    """The retraction and the change name their days: nothing was merely noticed."""
    changed = dated(NEWS, superseded_at="2026-04-01T10:00:00.000Z", superseded_on="2026-02-20")

    told = timeline_of(claim, dated(REGISTRY, retracted_on="2016-05-12"), changed)

    assert told[1] == "- **2016-05-12** the paper on jmetd.org was RETRACTED (for)"
    assert told[3] == "- **2026-02-20** no longer on nimeth.gov (against)"


def test_quote_from_retracted_work_says_so_and_stays(claim: ReportClaim) -> None:
    """It is shown with the reason why it is not counted; the other side counts."""
    lines = section(report_text(claim), "Reservations").splitlines()

    sides = [line for line in lines if line.startswith(("- **For", "- **Against"))]
    assert [line.endswith(" — **not counted: the work was retracted**") for line in sides] == [True, False]


def test_old_statements_on_newer_pages_are_named(claim: ReportClaim) -> None:
    """The registry's page is of 2014 and speaks of 2009: a fact beside the claim, no judgement."""
    text = report_text(claim, histories=timelines([dated(REGISTRY), dated(NEWS)]))

    assert (
        "- Old statement on a newer page: speaks of 2009, the page is of 2014-08-19: "
        "https://www.jmetd.org/article/2014/0666 **RETRACTED**\n"
    ) in section(text, "Reservations")


def test_outdated_evidence_is_named(claim: ReportClaim) -> None:
    """The newest of the task is of 2026; this claim's is of 2021."""
    newer = replace(dated(NEWS), claim_id="c_2", published_date="2026-01-01")

    text = report_text(claim, histories=timelines([dated(REGISTRY), dated(NEWS), newer]))

    assert "- Outdated: the newest dated evidence (2021-04-02) lies over two years" in section(text, "Reservations")


def test_rejected_claim_says_what_would_restore_it(claim: ReportClaim) -> None:
    """SPEC §1 decision 10: shown where the claim is."""
    told = section(report_text(claim), "Reservations")

    assert told.count("- Would restore it: ") == 2
    assert "gives jmetd.org high trust" in told


def test_retracted_evidence_is_counted_apart_over_time(claim: ReportClaim) -> None:
    """The figure of years shows the registry as retracted and the news against."""
    shown = [block.data for block in report(findings(claim)).blocks if isinstance(block, Figure)]

    assert EvidenceOverTime((YearOfEvidence(2014, 0, 0, 1), YearOfEvidence(2021, 0, 1, 0))) in shown
