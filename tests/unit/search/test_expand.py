"""Derived queries: fixed rules, each naming its parent."""

import pytest

from lyra.search.expand import Derived, derive, keyword_form, refutations


def test_an_english_query_is_refuted_in_english() -> None:
    """Refute mode adds the fixed suffixes to the client's query and nothing else (SPEC §3)."""
    query = "DPP-4 inhibitors are safe"

    assert refutations(query) == tuple(
        Derived(f"{query} {word}", query, f"refute:{word}")
        for word in ("limitations", "criticism", "problems", "rebuttal", "misconceptions")
    )


@pytest.mark.parametrize("query", ["DPP-4阻害薬は安全である", "糖尿病治療 有効性"], ids=["with-kana", "kanji-only"])
def test_a_japanese_query_is_refuted_in_japanese(query: str) -> None:
    """Nouns side by side have no kana and are Japanese all the same."""
    suffixes = [one.text.removeprefix(query).strip() for one in refutations(query)]

    assert suffixes == ["課題", "批判", "問題点", "反論", "誤り"]


def test_a_suffix_already_asked_for_is_not_added_again() -> None:
    """The client's own "limitations" would otherwise be sent twice."""
    rules = [one.rule for one in refutations("Limitations of the SAVOR trial")]

    assert rules == ["refute:criticism", "refute:problems", "refute:rebuttal", "refute:misconceptions"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("DPP-4阻害薬は心不全のリスクを高めるか", ["DPP-4阻害薬 心不全 リスク 高める"], id="question"),
        pytest.param("サキサグリプチンによる入院の増加について", ["サキサグリプチン 入院 増加"], id="empty-words"),
        pytest.param("乳がんの検診", ["乳がん 検診"], id="hiragana-noun-stays"),
        pytest.param("DPP-4阻害薬 心不全", [], id="already-keywords"),
        pytest.param("シタグリプチンの安全性 site:pmda.go.jp", [], id="operators-untouched"),
        pytest.param("Do DPP-4 inhibitors raise the risk?", [], id="english"),
    ],
)
def test_japanese_sentences_become_keywords(query: str, expected: list[str]) -> None:
    """Engines match content words better than particles; compounds must stay whole."""
    assert [one.text for one in keyword_form(query)] == expected


def test_the_clients_query_always_comes_first() -> None:
    """What the client asked is sent as it is, before anything derived from it."""
    query = "心不全のリスク"

    derived = derive(query, refute=True)

    assert derived[0] == Derived(query, query, "asked")
    assert [one.rule for one in derived] == [
        "asked",
        "keywords",
        "refute:課題",
        "refute:批判",
        "refute:問題点",
        "refute:反論",
        "refute:誤り",
    ]
    assert {one.parent for one in derived} == {query}


def test_nothing_is_derived_from_a_plain_english_query() -> None:
    """Lyra never invents queries: without refute an English query stays alone."""
    assert derive("saxagliptin heart failure") == (
        Derived("saxagliptin heart failure", "saxagliptin heart failure", "asked"),
    )
