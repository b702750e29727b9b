"""The data of a report's figures."""

from lyra.evidence.assess import assess
from lyra.evidence.interval import credible_interval
from lyra.model.claim import ClaimSource
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.report import CitedSource, ReviewProgress
from lyra.model.trust import TrustLevel
from lyra.report.content import report
from lyra.report.document import Figure
from lyra.report.figures import (
    ClaimGraph,
    GraphSource,
    HypothesisStance,
    ReviewCurve,
    ReviewPoint,
    SourceGroup,
    SourceGroups,
    StanceBars,
)
from lyra.report.findings import claim_graph_of, source_groups_of, stance_bars_of, with_votes
from tests.report_data import NOON, claim, findings, refuting, supporting

AGENCY, PAPER, STUDY = "https://agency.example/1", "https://paper.example/2", "https://doi.org/10.1/x"
KEYS = {AGENCY: "domain:agency.example", PAPER: "domain:paper.example", STUDY: "work:doi:10.1/x"}
KNOWN = claim(
    "It is safe.",
    0.8,
    (
        supporting("Safe.", AGENCY, domain="agency.example", title="News"),
        supporting("Safe.", PAPER, domain="paper.example", title="News"),
    ),
    (refuting("Not safe.", STUDY, domain="doi.org", title="A study"),),
    is_hypothesis=True,
    claim_id="c_1",
)
INDEPENDENT = (
    ClaimSource("c_1", "domain:agency.example", ("domain:agency.example", "domain:paper.example"), 2, 0),
    ClaimSource("c_1", "work:doi:10.1/x", ("work:doi:10.1/x",), 0, 1),
    ClaimSource("c_2", "domain:other.example", ("domain:other.example",), 1, 0),
)


def test_pages_are_gathered_by_the_source_they_count_as() -> None:
    """Two papers with one agency's text are one source; a work has its title; other claims' sources are left out."""
    groups = source_groups_of(findings(KNOWN, independent=INDEPENDENT, keys=KEYS))

    assert groups == SourceGroups(
        (SourceGroup("agency.example", (AGENCY, PAPER), 2, 0), SourceGroup("A study", (STUDY,), 0, 1))
    )


def test_retracted_source_is_a_group_without_a_vote() -> None:
    """It is shown, and counts for nothing."""
    retracted = CitedSource(STUDY, STUDY, "A study", "doi.org", NOON, is_retracted=True)
    known = claim("It is safe.", 0.8, KNOWN.supports, KNOWN.refutes, counts=(2, 0), claim_id="c_1")

    groups = source_groups_of(findings(known, independent=INDEPENDENT[:1], keys=KEYS, sources=(retracted,)))

    assert groups.groups[1] == SourceGroup("A study", (STUDY,), 0, 0, is_retracted=True)


def test_groups_that_do_not_make_up_the_claims_figures_are_left_out() -> None:
    """While a search runs a claim may be assessed again and its sources not yet."""
    assert source_groups_of(findings(KNOWN, independent=INDEPENDENT[:1], keys=KEYS)) == SourceGroups(())


def test_source_has_a_vote_only_on_sides_where_it_counts() -> None:
    """Of a page with both sides only the stronger one: the agency has texts against, and no vote there."""
    rows = [
        EvidenceRow("c_1", fragment, page, domain, relation, score, TrustLevel.GOVERNMENT)
        for fragment, page, domain, relation, score in (
            ("f_1", AGENCY, "agency.example", Relation.SUPPORTS, 0.9),
            ("f_2", AGENCY, "agency.example", Relation.REFUTES, 0.8),
            ("f_3", PAPER, "paper.example", Relation.SUPPORTS, 0.7),
            ("f_4", STUDY, "doi.org", Relation.REFUTES, 0.9),
            ("f_5", STUDY + "2", "doi.org", Relation.SUPPORTS, 0.9),
        )
    ]
    stances = (
        ClaimSource("c_1", "domain:agency.example", ("domain:agency.example", "domain:paper.example"), 2, 1),
        ClaimSource("c_1", "domain:doi.org", ("domain:doi.org",), 1, 1),
    )

    votes = with_votes(stances, rows)

    evidence = assess("c_1", rows, joined_pages=[{AGENCY, PAPER}]).evidence
    assert [(one.supports, one.refutes) for one in votes] == [(1, 0), (1, 1)]
    assert (evidence.supporting_count, evidence.refuting_count) == (2, 1)


def test_graph_has_the_strongest_quote_of_each_page_in_its_group() -> None:
    """With the trust and the year of the page."""
    graph = claim_graph_of(findings(KNOWN, independent=INDEPENDENT, keys=KEYS), KNOWN)

    assert graph == ClaimGraph(
        "It is safe.",
        "Well supported",
        (
            GraphSource("agency.example", "domain:agency.example", True, 0.91, "government", "2016"),
            GraphSource("paper.example", "domain:agency.example", True, 0.91, "government", "2016"),
            GraphSource("doi.org", "work:doi:10.1/x", False, 0.91, "government", "2016"),
        ),
    )


def test_reviewed_task_shows_its_review_curve() -> None:
    """Corrections as they were made, and what is left; without reviews there is no such figure."""
    progress = ReviewProgress((False, True, True), waiting=5, turning=2)

    shown = [
        [block.data for block in report(findings(KNOWN, **more)).blocks if isinstance(block, Figure)]
        for more in ({"reviews": progress}, {})
    ]

    curve = ReviewCurve((ReviewPoint(1, 0), ReviewPoint(2, 1), ReviewPoint(3, 2)), 5, 2)
    assert [curve in figures for figures in shown] == [True, False]
    assert [len(figures) for figures in shown] == [4, 3]


def test_range_holds_the_confidence_with_95_percent() -> None:
    """The same range that every other face shows."""
    low, high = credible_interval(KNOWN.assessment.evidence.alpha, KNOWN.assessment.evidence.beta)

    bars = stance_bars_of((KNOWN,))

    assert bars == StanceBars((HypothesisStance("It is safe.", "Well supported", 2, 1, 0.655, low, high),))
    assert (round(low, 2), round(high, 2)) == (0.14, 0.99)
