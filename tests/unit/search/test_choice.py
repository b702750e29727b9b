"""Weights of engines: category, health and yield, all bounded."""

from datetime import UTC, datetime

import pytest

from lyra.model.derived import Yield
from lyra.model.standing import EngineHealth
from lyra.search.engines import known_engines
from lyra.search.scoring import by_weight, category_of, engine_weight, health_factor, yield_factor

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "category"),
    [
        pytest.param("DPP-4 inhibitors pancreatitis meta-analysis", "academic", id="academic-en"),
        pytest.param("類天疱瘡 メタ解析", "academic", id="academic-ja"),
        pytest.param("児童手当 所得制限 site:go.jp", "government", id="government-ja"),
        pytest.param("latest earthquake", "news", id="news"),
        pytest.param("ワイヤレス充電 規格", "technical", id="technical-ja"),
        pytest.param("best walking shoes", "general", id="general"),
    ],
)
def test_the_category_follows_the_vocabulary(query: str, category: str) -> None:
    """One word of a category's vocabulary is enough; without any a question is general."""
    assert category_of(query) == category


@pytest.mark.parametrize(
    ("useful", "factor"), [(1_000, 2.0), (400, 1.0), (0, 0.5)], ids=["twice-as-good", "as-usual", "barren"]
)
def test_what_is_learnt_is_bounded(useful: int, factor: float) -> None:
    """Past yield moves a weight to a half or to the double, never further, however bad or good it was."""
    rest = Yield(1_000_000, 400_000)

    found = yield_factor("mojeek", {"mojeek": Yield(1_000, useful), "duckduckgo": rest})

    assert found == pytest.approx(factor, abs=0.01)


def test_little_experience_moves_little() -> None:
    """One barren page must not halve an engine's weight."""
    assert yield_factor("mojeek", {"mojeek": Yield(1, 0), "duckduckgo": Yield(99, 60)}) == pytest.approx(0.95, abs=0.01)
    assert yield_factor("mojeek", {}) == 1.0


def test_health_lowers_a_weight_but_never_to_nothing() -> None:
    """An engine that fails keeps a third of its weight, so that it can recover."""
    failing = EngineHealth("mojeek", NOW, success_1h=0.0, success_24h=0.2, drift_24h=0.5)

    assert health_factor(None) == 1.0
    assert health_factor(failing) == 0.3
    assert health_factor(EngineHealth("mojeek", NOW, success_1h=0.6, success_24h=0.8)) == pytest.approx(0.7)


def test_the_weightiest_comes_first_and_says_why() -> None:
    """Every part of a weight can be read by people."""
    engines = known_engines()
    ill = EngineHealth("duckduckgo", NOW, success_1h=0.2, success_24h=0.6)

    ranked = by_weight(
        engine_weight(engines[name], "technical", ill if name == "duckduckgo" else None, {})
        for name in ("duckduckgo", "mojeek", "marginalia")
    )

    assert [(one.engine, one.weight) for one in ranked] == [
        ("mojeek", 0.99),
        ("marginalia", 0.715),
        ("duckduckgo", 0.4),
    ]
    assert ranked[2].why == "base 1 × category 1 × health 0.40 × yield 1.00"
