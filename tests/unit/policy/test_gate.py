"""The default pauses between requests."""

import random

import pytest

from lyra.policy.gate import pause_s
from lyra.settings import Politeness


class Fixed:
    """Chance that always takes the same share of the range."""

    def __init__(self, share: float) -> None:
        self._share = share

    def uniform(self, low: float, high: float) -> float:
        return low + (high - low) * self._share


@pytest.mark.parametrize(
    ("name", "share", "expected_s"),
    [
        ("domain:example.org", 0.0, 5.0),
        ("domain:example.org", 0.5, 5.0),
        ("domain:example.org", 1.0, 5.5),
        ("engine:mojeek", 0.0, 4.0),
        ("engine:mojeek", 1.0, 5.0),
        ("api:openalex", 0.7, 1.0),
    ],
)
def test_default_pause(name: str, share: float, expected_s: float) -> None:
    """Domains: the longer of 1/0.2 s and U(1.5, 5.5) s; engines: 4 s and jitter; APIs: one a second (SPEC §5, §4)."""
    assert pause_s(name, Politeness(), Fixed(share)) == expected_s


def test_random_pause_rules_where_the_rate_is_fast() -> None:
    """With a fast rate the pause is drawn between its bounds, so that visits keep no beat."""
    fast = Politeness(domain_qps=100.0)
    chance = random.Random(7)

    drawn = [pause_s("domain:example.org", fast, chance) for _ in range(200)]

    assert 1.5 <= min(drawn) < 1.6
    assert 5.4 < max(drawn) <= 5.5


@pytest.mark.parametrize(
    ("name", "expected_s"),
    [
        pytest.param("domain:slow.example", 20.0, id="slower than usual"),
        pytest.param("domain:fast.example", 3.5, id="faster, but never without the random pause"),
        pytest.param("domain:example.org", 5.0, id="no word of the user"),
        pytest.param("engine:slow.example", 4.5, id="an engine of that name"),
    ],
)
def test_users_rate_for_a_domain(name: str, expected_s: float) -> None:
    """The pause is the longer of 1/QPS, which `domains.yaml` may give, and U(1.5, 5.5) s (SPEC §5)."""
    rates = {"slow.example": 0.05, "fast.example": 10.0}

    assert pause_s(name, Politeness(), Fixed(0.5), rates.get) == expected_s
