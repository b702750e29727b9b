"""Withdrawn sources and what a review could change."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lyra.evidence.assess import assess
from lyra.evidence.whatif import Withdrawal, dependences, review_rows, withdraw
from lyra.model.claim import AdoptionStatus, SourceDependence, Verdict, VerificationStatus
from lyra.model.edge import EvidenceRow, Relation, ReviewRow
from lyra.model.trust import TrustLevel

YES, NO, SILENT = Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL


def row(
    domain: str, relation: Relation, score: float = 0.9, *, work: str | None = None, text: str = "", claim: str = "c_hf"
) -> EvidenceRow:
    return EvidenceRow(
        claim_id=claim,
        fragment_id=f"f_{domain}_{relation}_{claim}",
        page_id=f"p_{domain}",
        domain=domain,
        relation=relation,
        nli_confidence=score,
        source_trust_level=TrustLevel.ACADEMIC,
        work_id=work,
        duplicate_key=text,
    )


TRIAL = row("cardiomet-trials.org", YES, work="doi:10.5555/cardian53")
AGENCY = row("fdso.gov", YES, 0.8)
COHORT = row("jmetd.org", NO, 0.9, work="doi:10.5555/hfcohort")
WIRE = row("globewire-health.com", NO, 0.8, text="t_wire")
COPY = row("harborcourier.com", NO, 0.7, text="t_wire")
WIKI = row("wikipedia.org", SILENT)
ROWS = [TRIAL, AGENCY, COHORT, WIRE, COPY, WIKI]


@pytest.mark.parametrize(
    ("withdrawal", "supports", "refutes", "copies", "confidence"),
    [
        pytest.param(Withdrawal(works=frozenset({"doi:10.5555/cardian53"})), 1, 0, 0, 1.8 / 4.5, id="a work"),
        pytest.param(Withdrawal(domains=frozenset({"fdso.gov"})), 1, 0, 0, 1.9 / 4.6, id="a domain"),
        pytest.param(Withdrawal(pages=frozenset({"p_jmetd.org"})), 0, 1, 0, 2.7 / 4.5, id="a page"),
        pytest.param(
            Withdrawal(domains=frozenset({"globewire-health.com"})), 0, 1, 1, 2.7 / 5.3, id="its copy stays with 0.7"
        ),
        pytest.param(
            Withdrawal(domains=frozenset({"globewire-health.com", "harborcourier.com"})),
            0,
            2,
            0,
            2.7 / 4.6,
            id="both printings",
        ),
    ],
)
def test_confidence_without_a_source(
    withdrawal: Withdrawal, supports: int, refutes: int, copies: int, confidence: float
) -> None:
    """The same update over what is left; a copy elsewhere still says what the withdrawn page said."""
    (change,) = withdraw(ROWS, withdrawal, assess)

    assert (change.supports_withdrawn, change.refutes_withdrawn, change.copies_left) == (supports, refutes, copies)
    assert change.before.evidence.confidence == pytest.approx(2.7 / 5.4)
    assert change.after.evidence.confidence == pytest.approx(confidence)


def test_a_verdict_that_hangs_on_one_paper() -> None:
    """Two independent supports verify; without one of them the claim is pending, and says so."""
    rows = [TRIAL, AGENCY]

    (change,) = withdraw(rows, Withdrawal(works=frozenset({"doi:10.5555/cardian53"})), assess)

    assert change.is_decisive
    assert (change.before.verification_status, change.after.verification_status) == (
        VerificationStatus.VERIFIED,
        VerificationStatus.PENDING,
    )
    assert (change.before.verdict, change.after.verdict) == (Verdict.SUPPORTED, Verdict.SUPPORTED)
    assert (change.before.adoption_status, change.after.adoption_status) == (
        AdoptionStatus.ADOPTED,
        AdoptionStatus.PENDING,
    )


def test_a_change_of_adoption_alone_is_decisive() -> None:
    """Four high sources for it and one against keep it pending at .708, which is adopted; with three it is .661: the
    verdict and the verification stay, and the report drops the claim."""
    rows = [row(f"{name}.example", YES) for name in "abcd"] + [row("e.example", NO)]

    (change,) = withdraw(rows, Withdrawal(domains=frozenset({"a.example"})), assess)

    assert (change.before.verdict, change.after.verdict) == (Verdict.SUPPORTED, Verdict.SUPPORTED)
    assert (change.before.verification_status, change.after.verification_status) == (
        VerificationStatus.PENDING,
        VerificationStatus.PENDING,
    )
    assert (change.before.adoption_status, change.after.adoption_status) == (
        AdoptionStatus.ADOPTED,
        AdoptionStatus.PENDING,
    )
    assert change.is_decisive


def test_claims_that_change_come_first_and_untouched_ones_not_at_all() -> None:
    """A reader looks for what would fall; a claim of which the source says nothing is not listed."""
    rows = [
        row("a.example", YES, claim="c_1"),
        *(row(f"{name}.example", YES, claim="c_1") for name in "bcd"),
        row("a.example", YES, claim="c_2"),
        row("b.example", YES, claim="c_2"),
        row("a.example", SILENT, claim="c_3"),
        row("b.example", YES, claim="c_3"),
        row("b.example", YES, claim="c_4"),
    ]

    found = withdraw(rows, Withdrawal(domains=frozenset({"a.example"})), assess)

    assert [(change.claim_id, change.is_decisive) for change in found] == [("c_2", True), ("c_1", False)]


def test_dependence_lists_each_independent_source_once() -> None:
    """Two printings of one wire story are one source; a silent page is none."""
    found = dependences("c_hf", ROWS, (), assess)

    assert [(one.source, one.members, one.supports, one.refutes) for one in found] == [
        ("domain:fdso.gov", ("domain:fdso.gov",), 1, 0),
        ("domain:globewire-health.com", ("domain:globewire-health.com", "domain:harborcourier.com"), 0, 2),
        ("work:doi:10.5555/cardian53", ("work:doi:10.5555/cardian53",), 1, 0),
        ("work:doi:10.5555/hfcohort", ("work:doi:10.5555/hfcohort",), 0, 1),
    ]
    assert [one.without.independent_sources for one in found] == [1, 2, 1, 2]


def test_pages_that_tell_one_story_are_one_source() -> None:
    """A narrative cluster is withdrawn as a whole."""
    joined = [frozenset({"p_fdso.gov", "p_cardiomet-trials.org"})]

    found = dependences("c_hf", [TRIAL, AGENCY], joined, assess)

    assert found == (
        SourceDependence(
            claim_id="c_hf",
            source="domain:fdso.gov",
            members=("domain:fdso.gov", "work:doi:10.5555/cardian53"),
            supports=2,
            refutes=0,
            without=assess("c_hf", []),
        ),
    )


_rows = st.lists(
    st.builds(
        EvidenceRow,
        claim_id=st.sampled_from(["c_1", "c_2"]),
        fragment_id=st.uuids().map(str),
        page_id=st.sampled_from(["p_1", "p_2", "p_3"]),
        domain=st.sampled_from(["a.example", "b.example", "c.example"]),
        relation=st.sampled_from([YES, NO, SILENT]),
        nli_confidence=st.one_of(st.none(), st.floats(0, 1)),
        source_trust_level=st.sampled_from(TrustLevel),
        work_id=st.sampled_from([None, "doi:10.1/x"]),
        duplicate_key=st.sampled_from(["", "f_wire"]),
    ),
    max_size=10,
)


@given(_rows, st.sampled_from(["a.example", "b.example"]))
def test_withdrawing_is_assessing_what_is_left(rows: list[EvidenceRow], domain: str) -> None:
    """Whatever the rows: before and after are exactly the assessments with and without them."""
    found = withdraw(rows, Withdrawal(domains=frozenset({domain})), assess)

    own = {one.claim_id: [row for row in rows if row.claim_id == one.claim_id] for one in found}
    assert [(one.before, one.after) for one in found] == [
        (
            assess(one.claim_id, own[one.claim_id]),
            assess(one.claim_id, [row for row in own[one.claim_id] if row.domain != domain]),
        )
        for one in found
    ]


@given(_rows, st.permutations(list(TrustLevel)))
def test_trust_never_enters_confidence(rows: list[EvidenceRow], order: list[TrustLevel]) -> None:
    """The same edges with all trust levels permuted: every figure that rests on evidence stays, for each claim and
    for each source thought away (EV decision 3)."""
    other = dict(zip(TrustLevel, order, strict=True))
    permuted = [dataclasses.replace(one, source_trust_level=other[one.source_trust_level]) for one in rows]

    figures = [
        [
            (one.source, one.without.evidence, one.without.text_confidence, one.without.verdict)
            for claim in ("c_1", "c_2")
            for one in dependences(claim, [row for row in given if row.claim_id == claim], (), assess)
        ]
        for given in (rows, permuted)
    ]
    whole = [
        [assess(claim, [row for row in given if row.claim_id == claim]).evidence for claim in ("c_1", "c_2")]
        for given in (rows, permuted)
    ]

    assert figures[0] == figures[1]
    assert whole[0] == whole[1]


YES, NO, SILENT = Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL


def review_row(domain: str, relation: Relation, score: float | None = 0.9, *, at: int = 0) -> EvidenceRow:
    return EvidenceRow(
        claim_id="c_1",
        fragment_id=f"f_{domain}_{at}",
        page_id=f"p_{domain}_{at}",
        domain=domain,
        relation=relation,
        nli_confidence=score,
        duplicate_key=f"t_{domain}_{at}",
    )


def test_a_lone_support_turns_the_verdict() -> None:
    """0.655 is supported; without it, or against it, the claim is not."""
    found = review_rows("c_1", [review_row("nimeth.gov", YES)], (), assess)

    assert found == (ReviewRow("c_1", "domain:nimeth.gov", YES, "f_nimeth.gov_0", 1, 0.9, turns_verdict=True),)


def test_one_of_eight_supports_turns_nothing() -> None:
    """Seven against one refutation are 0.787: well supported all the same."""
    rows = [review_row(f"site{number}.example", YES) for number in range(8)]

    found = review_rows("c_1", rows, (), assess)

    assert [(one.edges, one.turns_verdict) for one in found] == [(1, False)] * 8


def test_a_neutral_text_that_might_support_turns_the_verdict() -> None:
    """Neutral rows are in the queue: a support that was missed is a mistake too."""
    found = review_rows("c_1", [review_row("blog.example", SILENT, 0.6)], (), assess)

    assert found == (ReviewRow("c_1", "domain:blog.example", SILENT, "f_blog.example_0", 1, 0.6, turns_verdict=True),)


def test_edges_of_a_source_with_one_relation_are_one_row() -> None:
    """The strongest stance is shown, which is the source's vote; of neutral texts the least sure."""
    rows = [
        review_row("nimeth.gov", YES, 0.7, at=0),
        review_row("nimeth.gov", YES, 0.9, at=1),
        review_row("nimeth.gov", NO, 0.6, at=2),
        review_row("nimeth.gov", SILENT, 0.9, at=3),
        review_row("nimeth.gov", SILENT, 0.55, at=4),
    ]

    found = review_rows("c_1", rows, (), assess)

    assert [(one.relation, one.fragment_id, one.edges, one.probability) for one in found] == [
        (SILENT, "f_nimeth.gov_4", 2, 0.55),
        (NO, "f_nimeth.gov_2", 1, 0.6),
        (YES, "f_nimeth.gov_1", 2, 0.9),
    ]


def test_the_other_relation_is_that_of_all_the_rows_edges() -> None:
    """Two texts of one publisher: were only one of them wrong, the other would hold the verdict up."""
    rows = [review_row("nimeth.gov", YES, 0.9, at=0), review_row("nimeth.gov", YES, 0.9, at=1)]

    (found,) = review_rows("c_1", rows, (), assess)

    assert (found.edges, found.turns_verdict) == (2, True)


def test_what_was_reviewed_is_not_asked_again() -> None:
    """The row goes on with the edges that nobody has looked at; without any it is gone."""
    rows = [
        review_row("nimeth.gov", YES, 0.98, at=0),
        review_row("nimeth.gov", YES, 0.7, at=1),
        review_row("blog.example", NO, 0.98),
    ]

    found = review_rows("c_1", rows, (), assess, {"f_nimeth.gov_0", "f_blog.example_0"})

    assert [(one.source, one.fragment_id, one.edges) for one in found] == [("domain:nimeth.gov", "f_nimeth.gov_1", 1)]


def test_joined_pages_are_one_source() -> None:
    """A wire story and its reprint are looked at once."""
    rows = [review_row("wire.example", YES, 0.8), review_row("courier.example", YES, 0.9)]

    found = review_rows("c_1", rows, [{"p_wire.example_0", "p_courier.example_0"}], assess)

    assert [(one.source, one.fragment_id, one.edges) for one in found] == [
        ("domain:courier.example", "f_courier.example_0", 2)
    ]


@pytest.mark.parametrize("reviewed", [(), {"f_a.example_0"}], ids=["no rows", "all reviewed"])
def test_nothing_to_review_is_no_row(reviewed: set[str]) -> None:
    """A claim without evidence, or with all of it read, has an empty queue."""
    rows = [review_row("a.example", YES)] if reviewed else []

    assert review_rows("c_1", rows, (), assess, reviewed) == ()


def test_a_missing_score_counts_half() -> None:
    """As everywhere (SPEC §1, decision 3)."""
    (found,) = review_rows("c_1", [review_row("a.example", YES, None)], (), assess)

    assert found.probability == 0.5
