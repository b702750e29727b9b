"""Scores of engines, branches and addresses."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lyra.ids import derived_id
from lyra.model.domain import ServiceHealth
from lyra.model.search import Candidate, EngineAnswer, PageYield, SearchOutcome, SerpItem
from lyra.search.engines import known_engines
from lyra.search.scoring import (
    branch_value,
    by_weight,
    category_of,
    engine_weight,
    expected_share,
    fuse_answers,
    health_factor,
    page_value,
    yield_factor,
)


def test_an_untried_family_is_worth_its_prior() -> None:
    """Mirrors beyond Japanese and English begin small and grow only with what they yield."""
    assert expected_share("mirror:en", PageYield()) == 0.45
    assert expected_share("mirror:de", PageYield()) == pytest.approx(0.1)
    assert expected_share("mirror:de", PageYield(read=20, useful=16)) == pytest.approx(0.66)


def test_a_foreign_mirror_that_yields_overtakes() -> None:
    """German begins behind the synonym; after twenty pages, most of them useful, it comes first."""
    before = {"synonym": PageYield(20, 10)}
    after = {"synonym": PageYield(20, 10), "mirror:de": PageYield(20, 17)}

    assert branch_value("mirror:de", before) < branch_value("synonym", before)
    assert branch_value("mirror:de", after) > branch_value("synonym", after)


def test_what_was_tried_rarely_gets_a_bonus() -> None:
    """Two families with the same share: the one with fewer pages is tried first."""
    yields = {"keywords": PageYield(100, 50), "mirror:en": PageYield(4, 2)}

    assert branch_value("mirror:en", yields) > branch_value("keywords", yields)


def test_a_branch_without_harvest_lets_others_go_first() -> None:
    """An address keeps its score while its branch is untried; a barren branch halves it at most."""
    yields = {"barren": PageYield(10, 0), "rich": PageYield(10, 9)}

    assert page_value(0.8, "untried", yields) == 0.8
    assert page_value(0.8, "rich", yields) == 0.8
    assert 0.4 < page_value(0.8, "barren", yields) < 0.6


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
    rest = PageYield(1_000_000, 400_000)

    found = yield_factor("mojeek", {"mojeek": PageYield(1_000, useful), "duckduckgo": rest})

    assert found == pytest.approx(factor, abs=0.01)


def test_little_experience_moves_little() -> None:
    """One barren page must not halve an engine's weight."""
    assert yield_factor("mojeek", {"mojeek": PageYield(1, 0), "duckduckgo": PageYield(99, 60)}) == pytest.approx(
        0.95, abs=0.01
    )
    assert yield_factor("mojeek", {}) == 1.0


def test_health_lowers_a_weight_but_never_to_nothing() -> None:
    """An engine that fails keeps a third of its weight, so that it can recover."""
    failing = ServiceHealth("engine:mojeek", NOW, success_1h=0.0, success_24h=0.2, drift_24h=0.5)

    assert health_factor(None) == 1.0
    assert health_factor(failing) == 0.3
    assert health_factor(ServiceHealth("engine:mojeek", NOW, success_1h=0.6, success_24h=0.8)) == pytest.approx(0.7)


def test_the_weightiest_comes_first_and_says_why() -> None:
    """Every part of a weight can be read by people."""
    engines = known_engines()
    ill = ServiceHealth("engine:duckduckgo", NOW, success_1h=0.2, success_24h=0.6)

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


def answer(engine: str, query: str, *items: tuple[str, str, str]) -> EngineAnswer:
    found = tuple(SerpItem(title, url, text, engine, rank) for rank, (title, url, text) in enumerate(items, start=1))
    return EngineAnswer(engine, query, SearchOutcome.RESULTS, found)


def test_an_address_found_twice_rises_above_one_found_once() -> None:
    """Reciprocal rank with k = 60: two second places beat one first."""
    answers = (
        answer("duckduckgo", "q", ("A", "https://a.example/", "a"), ("B", "https://B.example/?utm_source=x", "")),
        answer("mojeek", "q", ("C", "https://c.example/", "c"), ("B!", "https://b.example/#top", "about b")),
    )

    fused = fuse_answers(
        answers, {"duckduckgo": 1.0, "mojeek": 0.9}, {("duckduckgo", "q"): "https://html.duckduckgo.com/html/"}, "s_1"
    )

    assert [one.url for one in fused] == ["https://b.example/", "https://a.example/", "https://c.example/"]
    assert fused[0] == Candidate(
        id=fused[0].id,
        search_id="s_1",
        url="https://b.example/",
        title="B",
        snippet="about b",
        engine="duckduckgo",
        rank=2,
        score=pytest.approx(1 / 62 + 0.9 / 62),
        derived_query="q",
        referer="https://html.duckduckgo.com/html/",
    )


def test_a_fused_address_becomes_the_same_candidate_again() -> None:
    """Ids derive from search and address, so that a restart finds its rows instead of making new ones."""
    found = (answer("mojeek", "q limitations", ("A", "https://a.example/x", "a")),)

    one, again, other = (fuse_answers(found, {}, {}, search_id)[0] for search_id in ("s_1", "s_1", "s_2"))

    assert one == again == replace(other, id=one.id, search_id="s_1")
    assert one.id == derived_id("r", "s_1", "https://a.example/x")
    assert one.id != other.id


def test_nothing_fuses_to_nothing() -> None:
    """Engines without results leave an empty list, not an error."""
    assert fuse_answers((EngineAnswer("mojeek", "q", SearchOutcome.BLOCKED),), {}, {}, "s_1") == ()
