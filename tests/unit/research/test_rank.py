"""What speaks for fetching an address."""

from dataclasses import replace

import pytest

from lyra.model.page import GroupKind, PageGroup
from lyra.model.trust import TrustLevel
from lyra.research.phases.rank import RankInputs, expected_value, group_factors, quality_factor

PLAIN = RankInputs(
    relevance=0.8, trust=TrustLevel.UNVERIFIED, is_behind_knee=False, is_priority=False, seeks_primary=False
)


def test_relevance_weighs_four_times_trust() -> None:
    """0.8 · relevance + 0.2 · the trust weight of SPEC §13."""
    assert expected_value(PLAIN) == pytest.approx(0.8 * 0.8 + 0.2 * 0.3)


def test_trust_orders_only_the_about_equally_relevant() -> None:
    """A far more relevant blog goes before a government page that is off the subject."""
    blog = replace(PLAIN, relevance=0.9)
    office = replace(PLAIN, relevance=0.5, trust=TrustLevel.GOVERNMENT)
    equal = replace(PLAIN, relevance=0.9, trust=TrustLevel.GOVERNMENT)

    assert expected_value(equal) > expected_value(blog) > expected_value(office)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (PLAIN, replace(PLAIN, is_behind_knee=True)),
        (replace(PLAIN, is_priority=True), PLAIN),
        (
            replace(PLAIN, trust=TrustLevel.ACADEMIC, seeks_primary=True),
            replace(PLAIN, trust=TrustLevel.ACADEMIC),
        ),
    ],
    ids=["before the knee", "priority domain", "primary sought"],
)
def test_what_moves_an_address_forward(better: RankInputs, worse: RankInputs) -> None:
    """The knee, the client's priority domains and its wish for primary sources."""
    assert expected_value(better) > expected_value(worse)


def test_seeking_primary_sources_does_not_help_others() -> None:
    """Only high trust is primary (SPEC §13)."""
    assert expected_value(replace(PLAIN, seeks_primary=True)) == expected_value(PLAIN)


def test_a_blocked_domain_is_worth_nothing() -> None:
    """Whatever else speaks for it."""
    blocked = RankInputs(1.0, TrustLevel.BLOCKED, is_behind_knee=False, is_priority=True, seeks_primary=True)

    assert expected_value(blocked) == 0.0


def test_loops_halve_and_self_reference_cuts_to_a_fifth() -> None:
    """SPEC §13; a page in both takes the lower; one story in many places is no loop and stays as it is."""
    found = [
        PageGroup(GroupKind.LOOP, frozenset({"p_a", "p_b"})),
        PageGroup(GroupKind.SELF_REFERENCE, frozenset({"p_b"})),
        PageGroup(GroupKind.NARRATIVE, frozenset({"p_a", "p_c"})),
    ]

    assert group_factors(found) == {"p_a": 0.5, "p_b": 0.2}
    assert expected_value(replace(PLAIN, page_factor=0.2)) == pytest.approx(0.2 * expected_value(PLAIN))


def test_poor_quality_costs_at_most_four_fifths() -> None:
    """Plain prose keeps its score, a page of nothing but advertisement a fifth of it (SPEC §6)."""
    assert [quality_factor(1.0), quality_factor(0.5), quality_factor(0.0)] == [
        1.0,
        pytest.approx(0.6),
        pytest.approx(0.2),
    ]
