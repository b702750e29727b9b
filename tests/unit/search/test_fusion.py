"""Answers of several engines as one list."""

from dataclasses import replace

import pytest

from lyra.ids import derived_id
from lyra.model.search import Candidate, EngineAnswer, Outcome, SerpItem
from lyra.search.scoring import fuse_answers


def answer(engine: str, query: str, *items: tuple[str, str, str]) -> EngineAnswer:
    found = tuple(SerpItem(title, url, text, engine, rank) for rank, (title, url, text) in enumerate(items, start=1))
    return EngineAnswer(engine, query, Outcome.RESULTS, found)


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
    assert fuse_answers((EngineAnswer("mojeek", "q", Outcome.BLOCKED),), {}, {}, "s_1") == ()
