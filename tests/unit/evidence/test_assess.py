"""Assessment of claims."""

import dataclasses
import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lyra.evidence.assess import assess, beta_update, verdict_of
from lyra.model.claim import AdoptionStatus, Assessment, Confidence, RefutationStatus, Verdict, VerificationStatus
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


SUPPORT = (Relation.SUPPORTS, 0.9)
REFUTE = (Relation.REFUTES, 0.9)

votes = st.lists(
    st.tuples(
        st.sampled_from([Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL]),
        st.one_of(st.none(), st.floats(0, 1, allow_nan=False)),
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    ("cast", "expected"),
    [
        pytest.param([], (1.00, 1.00, 0.500, 0.289, 0.000), id="no evidence"),
        pytest.param([SUPPORT], (1.90, 1.00, 0.655, 0.241, 0.000), id="1 support"),
        pytest.param([SUPPORT] * 3, (3.70, 1.00, 0.787, 0.171, 0.000), id="3 supports"),
        pytest.param([SUPPORT] * 3 + [REFUTE], (3.70, 1.90, 0.661, 0.184, 0.250), id="3 supports, 1 refute"),
        pytest.param([SUPPORT] * 5 + [REFUTE] * 5, (5.50, 5.50, 0.500, 0.144, 0.500), id="5 supports, 5 refutes"),
    ],
)
def test_the_recomputed_table_of_the_specification(
    cast: list[tuple[Relation, float]], expected: tuple[float, ...]
) -> None:
    """SPEC §13 gives these values; the seed's own table miscalculates, so they are pinned to the digit."""
    found = beta_update(cast)

    assert (
        round(found.alpha, 2),
        round(found.beta, 2),
        round(found.confidence, 3),
        round(found.uncertainty, 3),
        round(found.controversy, 3),
    ) == expected


def test_a_missing_score_counts_one_half() -> None:
    """An edge from before scores were kept must neither vanish nor count fully."""
    found = beta_update([(Relation.SUPPORTS, None), (Relation.REFUTES, None)])

    assert (found.alpha, found.beta) == (1.5, 1.5)


def test_neutral_evidence_is_counted_but_moves_nothing() -> None:
    """Ninety-five neutral edges say nothing of a claim; they must not dilute the one that does."""
    found = beta_update([(Relation.NEUTRAL, 0.99)] * 95 + [SUPPORT])

    assert (found.confidence, found.supporting_count, found.refuting_count, found.neutral_count) == (
        1.9 / 2.9,
        1,
        0,
        95,
    )


def test_citations_are_no_evidence() -> None:
    """A CITES edge joins pages and takes no stance."""
    found = beta_update([(Relation.CITES, 0.9)])

    assert (found.alpha, found.beta, found.evidence_count) == (1.0, 1.0, 0)


@given(votes, st.integers())
def test_the_order_of_the_evidence_does_not_matter(cast: list[tuple[Relation, float | None]], seed: int) -> None:
    """Pages arrive in any order; replay must give the same graph to the last digit."""
    shuffled = list(cast)
    Random(seed).shuffle(shuffled)

    assert beta_update(shuffled) == beta_update(cast)


def test_the_sums_are_exact() -> None:
    """0.1 + 0.2 + 0.3 depends on the order when it is added naively."""
    ascending, descending = (
        [(Relation.SUPPORTS, one) for one in (0.1, 0.2, 0.3)],
        [(Relation.SUPPORTS, one) for one in (0.3, 0.2, 0.1)],
    )

    assert beta_update(ascending).alpha == beta_update(descending).alpha == 1.6


@given(votes, st.floats(0.01, 1))
def test_a_further_support_never_lowers_confidence(cast: list[tuple[Relation, float | None]], score: float) -> None:
    """Monotone: more agreement cannot make a claim less likely."""
    before = beta_update(cast)

    after = beta_update([*cast, (Relation.SUPPORTS, score)])

    assert after.confidence > before.confidence


@given(votes, st.floats(0.01, 1))
def test_a_further_refutation_never_raises_confidence(cast: list[tuple[Relation, float | None]], score: float) -> None:
    """Monotone the other way."""
    before = beta_update(cast)

    after = beta_update([*cast, (Relation.REFUTES, score)])

    assert after.confidence < before.confidence


@given(votes)
def test_every_value_keeps_its_bounds(cast: list[tuple[Relation, float | None]]) -> None:
    """The schema's checks and every reader rely on these bounds."""
    found = beta_update(cast)

    assert (
        0 < found.confidence < 1,
        0 < found.uncertainty <= 12**-0.5 + 1e-12,
        0 <= found.controversy <= 0.5,
        min(found.alpha, found.beta) >= 1,
    ) == (True, True, True, True)


@given(votes)
def test_exchanging_the_sides_mirrors_the_confidence(cast: list[tuple[Relation, float | None]]) -> None:
    """Support and refutation weigh alike: neither side is favoured by the rule itself."""
    mirror = {Relation.SUPPORTS: Relation.REFUTES, Relation.REFUTES: Relation.SUPPORTS}
    mirrored = beta_update([(mirror.get(relation, relation), score) for relation, score in cast])

    found = beta_update(cast)

    assert (mirrored.alpha, mirrored.beta) == (found.beta, found.alpha)
    assert mirrored.confidence == pytest.approx(1 - found.confidence)


def _evidence(confidence: float, controversy: float = 0.0) -> Confidence:
    return Confidence(1, 1, confidence, 0.1, controversy, 0, 0, 0)


@pytest.mark.parametrize(
    ("confidence", "controversy", "expected"),
    [
        pytest.param(0.9, 0.31, Verdict.CONTESTED, id="controversy wins over confidence"),
        pytest.param(0.9, 0.3, Verdict.WELL_SUPPORTED, id="0.3 exactly is no controversy"),
        pytest.param(0.75, 0.0, Verdict.WELL_SUPPORTED, id="0.75 is well supported"),
        pytest.param(0.7499, 0.0, Verdict.SUPPORTED, id="just below is only supported"),
        pytest.param(0.6, 0.0, Verdict.SUPPORTED, id="0.6 is supported"),
        pytest.param(0.5999, 0.0, Verdict.UNVERIFIED, id="just below is unverified"),
        pytest.param(0.4001, 0.0, Verdict.UNVERIFIED, id="just above 0.4 is unverified"),
        pytest.param(0.4, 0.0, Verdict.LIKELY_FALSE, id="0.4 is likely false"),
    ],
)
def test_verdict_at_its_boundaries(confidence: float, controversy: float, expected: Verdict) -> None:
    """SPEC §1 decision 4, from unrounded values."""
    assert verdict_of(_evidence(confidence, controversy)) is expected


def test_the_verdict_is_taken_before_rounding() -> None:
    """0.7496 shows as 0.75 but is not well supported: rounding must not promote."""
    found = _evidence(0.7496)

    assert (round(found.confidence, 3), verdict_of(found)) == (0.75, Verdict.SUPPORTED)


def test_seven_against_three_equal_votes_are_not_contested() -> None:
    """The controversy is 0.3 exactly; binary fractions would make it a little more."""
    found = beta_update([SUPPORT] * 7 + [REFUTE] * 3)

    assert verdict_of(found) is Verdict.SUPPORTED


GOVERNMENT, TRUSTED, LOW = TrustLevel.GOVERNMENT, TrustLevel.TRUSTED, TrustLevel.LOW


def recovery_row(domain: str, relation: Relation, level: TrustLevel) -> EvidenceRow:
    return EvidenceRow("c_1", f"f_{domain}", f"p_{domain}", domain, relation, 0.9, level)


BLOG = recovery_row("type2notebook.com", Relation.SUPPORTS, LOW)
CLINIC = recovery_row("hillcrest-diabetes.com", Relation.SUPPORTS, TRUSTED)
AGENCY_AGAINST = recovery_row("fdso.gov", Relation.REFUTES, GOVERNMENT)
FORUM_AGAINST = recovery_row("askmeds-forum.net", Relation.REFUTES, LOW)


def test_a_claim_refuted_from_above_would_be_pending() -> None:
    """Both ways out are named, with the domains that the user could vouch for, and where the claim would stand."""
    found = assess("c_1", [BLOG, CLINIC, AGENCY_AGAINST])

    assert found.recovery == (
        "Support from an independent source of high trust (primary, government or academic), found by a later search "
        "on this task: the claim is then pending, with both sides kept.",
        "The user's override in domains.yaml that gives hillcrest-diabetes.com or type2notebook.com high trust, from "
        "the next search on this task: the claim is then pending, with both sides kept.",
    )


def test_a_claim_without_support_has_no_domain_to_vouch_for() -> None:
    """An override of nobody's trust would help: only the first way is left."""
    found = assess("c_1", [FORUM_AGAINST])

    assert found.recovery == (
        "Support from an independent source of high trust (primary, government or academic), found by a later search "
        "on this task: the claim is then verified once two independent sources support it.",
    )


def test_many_domains_are_counted_not_listed() -> None:
    """The sentence stays short however many sources there are."""
    supports = [recovery_row(f"site{at}.example", Relation.SUPPORTS, LOW) for at in range(6)]

    found = assess("c_1", [*supports, FORUM_AGAINST])

    assert "gives site0.example or site1.example or one of 4 others high trust" in found.recovery[1]


@pytest.mark.parametrize("rows", [[], [BLOG], [BLOG, CLINIC]], ids=["nothing", "pending", "verified"])
def test_only_rejected_claims_need_restoring(rows: list[EvidenceRow]) -> None:
    """A claim that is not rejected has nothing to recover from."""
    assert assess("c_1", rows).recovery == ()


@pytest.mark.parametrize(
    ("against", "then"),
    [
        pytest.param(AGENCY_AGAINST, VerificationStatus.PENDING, id="refuted from above"),
        pytest.param(FORUM_AGAINST, VerificationStatus.VERIFIED, id="refuted among equals"),
    ],
)
def test_what_is_promised_holds(against: EvidenceRow, then: VerificationStatus) -> None:
    """The user vouches for one supporter, or a high-trust source is found: the claim is no longer rejected."""
    rejected = assess("c_1", [BLOG, CLINIC, against])

    vouched = assess("c_1", [dataclasses.replace(BLOG, source_trust_level=GOVERNMENT), CLINIC, against])
    found = assess("c_1", [BLOG, CLINIC, against, recovery_row("nimeth.gov", Relation.SUPPORTS, GOVERNMENT)])

    assert rejected.verification_status is VerificationStatus.REJECTED
    assert (vouched.verification_status, found.verification_status) == (then, then)
