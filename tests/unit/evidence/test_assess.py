"""Every branch of the verification, adoption and refutation rules of SPEC §13."""

import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lyra.evidence.assess import assess
from lyra.model.claim import AdoptionStatus, Assessment, RefutationStatus, Verdict, VerificationStatus
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.trust import TrustLevel

_count = itertools.count()


def row(
    relation: Relation,
    trust: TrustLevel = TrustLevel.UNVERIFIED,
    score: float | None = 0.9,
    *,
    domain: str = "",
    text: str = "",
    page: str = "",
) -> EvidenceRow:
    number = next(_count)
    return EvidenceRow(
        claim_id="c_1",
        fragment_id=f"f_{number}",
        page_id=page or f"p_{number}",
        domain=domain or f"site{number}.example",
        relation=relation,
        nli_confidence=score,
        source_trust_level=trust,
        duplicate_key=text,
    )


def supports(trust: TrustLevel = TrustLevel.UNVERIFIED, score: float | None = 0.9, **where: str) -> EvidenceRow:
    return row(Relation.SUPPORTS, trust, score, **where)


def refutes(trust: TrustLevel = TrustLevel.UNVERIFIED, score: float | None = 0.9, **where: str) -> EvidenceRow:
    return row(Relation.REFUTES, trust, score, **where)


HIGH, LOW, ACADEMIC, TRUSTED = TrustLevel.GOVERNMENT, TrustLevel.LOW, TrustLevel.ACADEMIC, TrustLevel.TRUSTED
PENDING, VERIFIED, REJECTED = VerificationStatus


@pytest.mark.parametrize(
    ("rows", "status", "reason"),
    [
        pytest.param([], PENDING, "Not yet corroborated: no source supports it yet.", id="nothing"),
        pytest.param(
            [supports()], PENDING, "Not yet corroborated: one independent source supports it.", id="one support"
        ),
        pytest.param([supports(), supports()], VERIFIED, "Supported by 2 independent sources.", id="two supports"),
        pytest.param(
            [supports(domain="a.example"), supports(domain="a.example")],
            PENDING,
            "Not yet corroborated: one independent source supports it.",
            id="two pages of one publisher",
        ),
        pytest.param(
            [supports(text="f_wire"), supports(text="f_wire"), supports(text="f_wire")],
            PENDING,
            "Not yet corroborated: one independent source supports it.",
            id="three copies of one story",
        ),
        pytest.param(
            [supports(), supports(), refutes(HIGH, 0.69)],
            VERIFIED,
            "Supported by 2 independent sources.",
            id="a refutation below 0.7 does not count",
        ),
        pytest.param(
            [supports(), supports(), refutes(HIGH, None)],
            VERIFIED,
            "Supported by 2 independent sources.",
            id="a refutation without a score does not count",
        ),
        pytest.param(
            [supports(HIGH), supports(HIGH), refutes(ACADEMIC, 0.7)],
            PENDING,
            "High-trust sources support and refute it; both sides are kept.",
            id="high against high, from 0.7 exactly",
        ),
        pytest.param(
            [supports(HIGH), supports(LOW), refutes(TRUSTED)],
            VERIFIED,
            "Supported by 2 independent sources. A low-trust refutation does not outweigh its high-trust support.",
            id="high against low, corroborated: as if it were not there",
        ),
        pytest.param(
            [supports(HIGH), refutes(LOW)],
            PENDING,
            "Not yet corroborated: one independent source supports it. "
            "A low-trust refutation does not outweigh its high-trust support.",
            id="high against low, not corroborated",
        ),
        pytest.param(
            [supports(HIGH), refutes(LOW), refutes(HIGH)],
            PENDING,
            "High-trust sources support and refute it; both sides are kept.",
            id="one high refuter among low ones is enough",
        ),
        pytest.param(
            [supports(TRUSTED), supports(LOW), refutes(HIGH)],
            REJECTED,
            "Refuted by a high-trust source, without high-trust support.",
            id="low against high",
        ),
        pytest.param(
            [supports(TRUSTED), supports(LOW), refutes(LOW)],
            REJECTED,
            "Refuted by a low-trust source, without high-trust support.",
            id="low against low",
        ),
        pytest.param(
            [refutes(HIGH)],
            REJECTED,
            "Refuted by a high-trust source, without high-trust support.",
            id="a hypothesis without support, refuted from above",
        ),
        pytest.param(
            [refutes(LOW)],
            REJECTED,
            "Refuted by a low-trust source, without high-trust support.",
            id="a hypothesis without support, refuted by a low one",
        ),
    ],
)
def test_verification(rows: list[EvidenceRow], status: VerificationStatus, reason: str) -> None:
    """The rule of SPEC §13, branch by branch, with the reason a reader is shown."""
    found = assess("c_1", rows)

    assert (found.verification_status, found.verification_reason) == (status, reason)


@pytest.mark.parametrize(
    ("rows", "search_ended", "status", "report_confidence"),
    [
        pytest.param([supports()], False, RefutationStatus.NOT_SEARCHED, 1.9 / 2.9, id="not searched"),
        pytest.param([supports()], True, RefutationStatus.NONE_FOUND, 0.95 * (1.9 / 2.9), id="searched, none found"),
        pytest.param([supports(), refutes()], False, RefutationStatus.FOUND, 0.5, id="found without a search"),
        pytest.param([supports(), refutes()], True, RefutationStatus.FOUND, 0.5, id="found by a search"),
        pytest.param(
            [supports(), refutes(score=0.69)],
            True,
            RefutationStatus.NONE_FOUND,
            0.95 * (1.9 / 3.59),
            id="only one that does not count",
        ),
    ],
)
def test_refutation_status_and_report_confidence(
    rows: list[EvidenceRow], search_ended: bool, status: RefutationStatus, report_confidence: float
) -> None:
    """SPEC §1 decision 6: absence of refutation costs the report five per cent and never touches confidence."""
    found = assess("c_1", rows, refute_search_ended=search_ended)

    assert found.refutation_status is status
    assert found.report_confidence == pytest.approx(report_confidence)
    assert found.evidence.confidence == pytest.approx(assess("c_1", rows).evidence.confidence)


@pytest.mark.parametrize(
    ("rows", "search_ended", "expected"),
    [
        pytest.param([supports(), supports()], False, AdoptionStatus.ADOPTED, id="verified"),
        pytest.param([supports()], False, AdoptionStatus.PENDING, id="pending at 0.655"),
        pytest.param(
            [supports(domain="a.example"), supports(domain="a.example")],
            False,
            AdoptionStatus.PENDING,
            id="two texts of one publisher are one source: 0.655",
        ),
        pytest.param(
            [supports(HIGH), supports(HIGH), supports(HIGH), supports(HIGH), refutes(HIGH, 0.7)],
            False,
            AdoptionStatus.ADOPTED,
            id="pending, but confidence 0.73 from four sources against one",
        ),
        pytest.param(
            [supports(HIGH), supports(HIGH), supports(HIGH), supports(HIGH, 0.6), refutes(HIGH, 0.7)],
            False,
            AdoptionStatus.ADOPTED,
            id="0.714, without a refute search that would lower it",
        ),
        pytest.param([refutes()], False, AdoptionStatus.NOT_ADOPTED, id="rejected"),
        pytest.param(
            [supports(score=1.0) for _ in range(9)] + [refutes(score=0.7)],
            False,
            AdoptionStatus.NOT_ADOPTED,
            id="rejected, however high its confidence",
        ),
        pytest.param(
            [supports(HIGH), supports(HIGH), supports(HIGH), refutes(HIGH, 0.7)],
            False,
            AdoptionStatus.PENDING,
            id="high against high at 0.685",
        ),
    ],
)
def test_adoption(rows: list[EvidenceRow], search_ended: bool, expected: AdoptionStatus) -> None:
    """Adopted when verified or report confidence ≥ 0.7, not adopted when rejected, else pending (SPEC §13)."""
    assert assess("c_1", rows, refute_search_ended=search_ended).adoption_status is expected


def test_the_whole_assessment_of_a_contested_claim() -> None:
    """Two journals for, one cohort and three printings of one wire story against: all figures at once."""
    wire = {"text": "f_wire"}
    rows = [
        supports(ACADEMIC, 0.9, domain="cardiomet-trials.org"),
        supports(HIGH, 0.8, domain="fdso.gov"),
        refutes(ACADEMIC, 0.95, domain="jmetd.org"),
        refutes(TRUSTED, 0.85, domain="globewire-health.com", **wire),
        refutes(TrustLevel.UNVERIFIED, 0.75, domain="harborcourier.com", **wire),
        refutes(TrustLevel.UNVERIFIED, 0.7, domain="daily-meridian.com", **wire),
        row(Relation.NEUTRAL, LOW, 0.9),
    ]

    found = assess("c_1", rows)

    assert dataclasses.replace(found, evidence=assess("c_1", []).evidence) == Assessment(
        claim_id="c_1",
        evidence=assess("c_1", []).evidence,
        independent_sources=2,
        text_confidence=2.7 / 5.5,
        report_confidence=2.7 / 5.5,
        verdict=Verdict.CONTESTED,
        verification_status=PENDING,
        verification_reason="High-trust sources support and refute it; both sides are kept.",
        adoption_status=AdoptionStatus.PENDING,
        refutation_status=RefutationStatus.FOUND,
        trust_level=HIGH,
        has_primary_source=True,
    )
    assert (found.evidence.supporting_count, found.evidence.refuting_count, found.evidence.neutral_count) == (2, 2, 1)


def test_one_publisher_with_many_pages_has_one_vote() -> None:
    """`confidence` counts sources by their strongest edge, `text_confidence` distinct texts (SPEC §1 decision 5)."""
    rows = [supports(score=0.6, domain="a.example"), supports(score=0.9, domain="a.example"), supports(score=0.8)]

    found = assess("c_1", rows)

    assert found.evidence.alpha == pytest.approx(1 + 0.9 + 0.8)
    assert (found.evidence.supporting_count, found.evidence.evidence_count, found.independent_sources) == (2, 2, 2)
    assert found.text_confidence == pytest.approx((1 + 0.6 + 0.9 + 0.8) / (2 + 0.6 + 0.9 + 0.8))


def test_one_refutation_weighs_as_much_as_one_support() -> None:
    """SPEC §1 decision 4 as amended: 0.655 is supported, 0.345 likely false."""
    assert (assess("c_1", [supports()]).verdict, assess("c_1", [refutes()]).verdict) == (
        Verdict.SUPPORTED,
        Verdict.LIKELY_FALSE,
    )


def test_an_edge_without_a_vote_counts_nowhere() -> None:
    """A retracted trial and a deleted sentence change no figure, no trust and no status."""
    silent = [
        dataclasses.replace(supports(HIGH), no_vote="retracted"),
        dataclasses.replace(refutes(HIGH), no_vote="superseded"),
    ]
    heard = [supports(), row(Relation.NEUTRAL)]

    assert assess("c_1", [*silent, *heard]) == assess("c_1", heard)


@pytest.mark.parametrize(
    ("rows", "counts", "verdict"),
    [
        pytest.param(
            [supports(page="p_a", domain="a.example"), refutes(score=0.8, page="p_a", domain="a.example")],
            (1, 0),
            Verdict.SUPPORTED,
            id="the stronger side of a page votes",
        ),
        pytest.param(
            [supports(page="p_a", domain="a.example"), refutes(page="p_a", domain="a.example")],
            (0, 1),
            Verdict.LIKELY_FALSE,
            id="on equal strength the doubt",
        ),
        pytest.param(
            [supports(page="p_a", domain="a.example"), refutes(page="p_b", domain="a.example")],
            (1, 1),
            Verdict.CONTESTED,
            id="two pages of one publisher may disagree",
        ),
        pytest.param(
            [
                supports(page="p_a", domain="a.example"),
                refutes(score=0.8, page="p_a", domain="a.example"),
                refutes(score=0.8, page="p_b", domain="b.example"),
            ],
            (1, 1),
            Verdict.CONTESTED,
            id="another page's refutation stays",
        ),
        pytest.param(
            [
                supports(page="p_a", domain="a.example"),
                refutes(score=0.8, page="p_a", domain="a.example", text="t"),
                refutes(score=0.8, page="p_b", domain="b.example", text="t"),
            ],
            (1, 0),
            Verdict.SUPPORTED,
            id="a copy of the weaker words does not bring them back",
        ),
    ],
)
def test_one_page_votes_on_one_side(rows: list[EvidenceRow], counts: tuple[int, int], verdict: Verdict) -> None:
    """SPEC §1 decision 4: a contradiction whose two sides stand on one page is not counted as one."""
    found = assess("c_1", rows)

    assert ((found.evidence.supporting_count, found.evidence.refuting_count), found.verdict) == (counts, verdict)


def test_joined_pages_take_away_corroboration() -> None:
    """Two sites that tell one narrative verify nothing between them."""
    rows = [supports(page="p_a"), supports(page="p_b")]

    found = assess("c_1", rows, joined_pages=[{"p_a", "p_b"}])

    assert (found.independent_sources, found.verification_status) == (1, PENDING)


def test_the_user_may_move_the_two_floors() -> None:
    """Both floors are settings; each must arrive."""
    rows = [supports(), refutes(score=0.75)]

    strict = assess("c_1", rows, counting_refutation=0.8)
    eager = assess("c_1", [supports()], adoption_floor=0.65)

    assert (strict.refutation_status, eager.adoption_status) == (
        RefutationStatus.NOT_SEARCHED,
        AdoptionStatus.ADOPTED,
    )


@pytest.mark.parametrize(
    ("rows", "trust", "primary"),
    [
        pytest.param([], None, False, id="a hypothesis has none until supported"),
        pytest.param([refutes(HIGH)], None, False, id="who refutes lends no trust"),
        pytest.param([row(Relation.NEUTRAL, HIGH)], None, False, id="who is silent lends no trust"),
        pytest.param([supports(LOW), supports(TRUSTED)], "trusted", False, id="the highest; trusted is not primary"),
        pytest.param([supports(LOW), supports(ACADEMIC)], "academic", True, id="academic is primary"),
    ],
)
def test_trust_of_a_claim(rows: list[EvidenceRow], trust: str | None, primary: bool) -> None:
    """The highest trust among the domains of its supporting fragments."""
    found = assess("c_1", rows)

    assert (found.trust_level, found.has_primary_source) == (trust, primary)


_rows = st.lists(
    st.builds(
        EvidenceRow,
        claim_id=st.just("c_1"),
        fragment_id=st.uuids().map(str),
        page_id=st.sampled_from(["p_1", "p_2", "p_3", "p_4"]),
        domain=st.sampled_from(["a.example", "b.example", "c.example"]),
        relation=st.sampled_from([Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL]),
        nli_confidence=st.one_of(st.none(), st.floats(0, 1)),
        source_trust_level=st.sampled_from(TrustLevel),
        work_id=st.sampled_from([None, "doi:10.1/x"]),
        duplicate_key=st.sampled_from(["", "f_wire"]),
    ),
    max_size=12,
)


@given(_rows, st.sampled_from(TrustLevel))
def test_trust_never_enters_confidence(rows: list[EvidenceRow], level: TrustLevel) -> None:
    """EV decision 3: whatever the levels, the figures that rest on evidence alone stay the same."""
    levelled = [dataclasses.replace(one, source_trust_level=level) for one in rows]

    first, second = assess("c_1", rows), assess("c_1", levelled)

    assert (first.evidence, first.text_confidence, first.independent_sources, first.verdict) == (
        second.evidence,
        second.text_confidence,
        second.independent_sources,
        second.verdict,
    )


@given(_rows, st.permutations(range(12)))
def test_the_order_of_the_rows_does_not_matter(rows: list[EvidenceRow], order: list[int]) -> None:
    """The database promises no order; the assessment must not need one."""
    shuffled = [rows[at] for at in order if at < len(rows)]

    assert assess("c_1", shuffled) == assess("c_1", rows)


@given(_rows)
def test_copies_change_nothing(rows: list[EvidenceRow]) -> None:
    """A weaker copy of every stance on a new site moves no figure: syndication is no corroboration."""
    stances = [one for one in rows if one.relation is not Relation.NEUTRAL]
    original = [dataclasses.replace(one, duplicate_key=one.duplicate_key or one.fragment_id) for one in stances]
    copied = [
        dataclasses.replace(one, fragment_id=f"{one.fragment_id}!", domain="copy.example", work_id=None, page_id="p_9")
        for one in original
    ]

    before, after = assess("c_1", original), assess("c_1", original + copied)

    assert dataclasses.replace(after, trust_level=None, recovery=()) == dataclasses.replace(
        before, trust_level=None, recovery=()
    )
