"""The Beta update and the verdict, against SPEC §13's table and the properties it must have."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lyra.evidence.assess import beta_update, verdict_of
from lyra.model.claim import Confidence, Verdict
from lyra.model.edge import Relation

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
