"""Sources thought away: what changes, what does not, and that the two ways to ask agree."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lyra.evidence.assess import assess
from lyra.evidence.whatif import Withdrawal, dependences, withdraw
from lyra.model.claim import AdoptionStatus, SourceDependence, Verdict, VerificationStatus
from lyra.model.edge import EvidenceRow, Relation
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
