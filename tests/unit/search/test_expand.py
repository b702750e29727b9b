"""Queries derived by rules, word lists and verticals."""

import pytest

from lyra.model.search import Vertical
from lyra.search.expand import (
    DerivedQuery,
    japanese_terms,
    keyword_form,
    mirrors,
    normal_forms,
    phrases,
    plan_queries,
    refutations,
    synonyms,
    vertical_sites,
    vertical_templates,
)
from lyra.search.query import Operator, parse_query


def test_an_english_query_is_refuted_in_english() -> None:
    """Refute mode adds the fixed suffixes to the client's query and nothing else (SPEC §3)."""
    query = "DPP-4 inhibitors are safe"

    assert refutations(query) == tuple(
        DerivedQuery(f"{query} {word}", query, f"refute:{word}")
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
    """What the client asked is sent as it is, before anything derived from it; his options come before our rules."""
    query = "心不全のリスク"

    planned = plan_queries(query, refute=True)

    assert planned.asked[0] == DerivedQuery(query, query, "asked")
    assert [one.rule for one in planned.asked[1:]] == [
        "refute:課題",
        "refute:批判",
        "refute:問題点",
        "refute:反論",
        "refute:誤り",
    ]
    assert [one.rule for one in planned.branches] == ["keywords", "mirror:en", "synonym:心不全→うっ血性心不全"]


@pytest.mark.parametrize(
    ("query", "language", "mirrored"),
    [
        pytest.param("DPP-4阻害薬 類天疱瘡 リスク", "en", "DPP-4 inhibitors bullous pemphigoid risk", id="ja-en"),
        pytest.param("気候変動 政策", "en", "climate change policy", id="kanji-only"),
        pytest.param("saxagliptin heart failure hospitalisation", "ja", "サキサグリプチン 心不全 入院", id="en-ja"),
        pytest.param("climate change effects Japan", "de", "Klimawandel Auswirkungen Japan", id="en-de"),
        pytest.param("climate change effects Japan", "zh", "气候变化 影响 日本", id="en-zh"),
    ],
)
def test_known_terms_are_mirrored(query: str, language: str, mirrored: str) -> None:
    """The longest listed terms are translated in order, names are kept, nothing is added."""
    found = {one.rule: one for one in mirrors(query)}

    assert found[f"mirror:{language}"] == DerivedQuery(mirrored, query, f"mirror:{language}")


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("best hiking shoes for wide feet", id="nothing-known"),
        pytest.param("the risk of odd little wooden things", id="too-little-known"),
        pytest.param("人工智能 监管", id="chinese"),
        pytest.param("🎉🎉🎉", id="emoji"),
    ],
)
def test_what_the_lists_do_not_know_has_no_mirror(query: str) -> None:
    """A mirror that leaves out most of the question would ask another one."""
    assert mirrors(query) == ()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("Heart failure in the elderly", "cardiac failure in the elderly", id="english"),
        pytest.param("育休の給付金", "育児休業の給付金", id="japanese"),
        pytest.param("cardiac failure and heart failure", None, id="both-asked"),
        pytest.param("wooden chairs", None, id="unknown"),
    ],
)
def test_a_synonym_replaces_the_first_known_term(query: str, expected: str | None) -> None:
    """One other name of one thing; a query that has both gets none."""
    assert [one.text for one in synonyms(query)] == ([expected] if expected else [])


def test_spelling_and_compounds_are_normalised_by_the_dictionary() -> None:
    """Sudachi's normal form and its shortest units; each is a query of its own."""
    assert normal_forms("引越し業者") == (DerivedQuery("引っ越し業者", "引越し業者", "normal-form"),)
    assert normal_forms("国会図書館東京本館") == (
        DerivedQuery("国会 図書 館 東京 本館", "国会図書館東京本館", "split"),
    )


def test_a_listed_term_of_several_words_is_held_together() -> None:
    """The phrase operator keeps an engine from matching the words apart."""
    query = "saxagliptin heart failure"

    assert phrases(query) == (DerivedQuery('saxagliptin "heart failure"', query, "phrase:heart failure"),)


@pytest.mark.parametrize("query", ['"heart failure" site:go.jp', "-placebo heart failure", "filetype:pdf 心不全"])
def test_a_query_with_operators_is_sent_as_it_stands(query: str) -> None:
    """Whoever uses operators says exactly what he wants."""
    assert plan_queries(query).branches == ()


def test_primary_sources_are_sought_on_official_sites() -> None:
    """`seek_primary` is the client's wish, so it is asked whatever was found; the language tells the sites."""
    rules = [one.rule for one in plan_queries("児童手当の所得制限", seek_primary=True).asked]

    assert rules == ["asked", "primary:go.jp", "primary:ac.jp"]


def test_a_query_that_names_its_site_seeks_nowhere_else() -> None:
    """Two `site:` in one query exclude each other."""
    planned = plan_queries("児童手当 site:mhlw.go.jp", seek_primary=True, sites=("www.e-gov.go.jp",))

    assert [one.rule for one in planned.asked] == ["asked"]


def test_a_family_is_the_rule_without_its_words() -> None:
    """What is learnt about synonyms holds for the next synonym; each mirror language is learnt apart."""
    families = [
        DerivedQuery("", "", rule).family for rule in ("synonym:a→b", "mirror:de", "refute:課題", "keywords", "page:2")
    ]

    assert families == ["synonym", "mirror:de", "refute", "keywords", "page"]


def test_a_term_in_letters_that_only_look_alike_stays_as_it_is() -> None:
    """A pattern that ignores case takes ſ for s; the list of terms does not."""
    assert japanese_terms("sglt2とſglt2", {"sglt2": "SGLT2"}) == [("sglt2", "SGLT2"), ("と", None), ("ſglt2", None)]


def test_without_a_dictionary_words_are_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of characters are joined to the runs they overlap in; no normal form is known."""
    monkeypatch.setattr("lyra.text.has_dictionary", lambda: False)
    query = "給食費無償化と出生数の関係"

    assert keyword_form(query) == (DerivedQuery("給食費無償化 出生数 関係", query, "keywords"),)
    assert normal_forms(query) == ()


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("vertical", list(Vertical), ids=str)
def test_every_vertical_has_queries_in_both_languages(vertical: Vertical, language: str) -> None:
    """Each template holds the client's words once, and every `site:` in it is one that engines understand."""
    written = vertical_templates(vertical, language)
    unread = [one for one in written if "site:" in one and parse_query(one)[0].operator is not Operator.SITE]

    assert {template.count("{query}") for template in written} == {1}
    assert unread == []


@pytest.mark.parametrize(
    ("languages", "hosts"),
    [
        pytest.param(("ja", None), ("www.e-gov.go.jp", "www.mhlw.go.jp"), id="Japanese"),
        pytest.param(("en", None), ("www.gov.uk",), id="English"),
        pytest.param(
            ("en", "ja"), ("www.e-gov.go.jp", "www.mhlw.go.jp", "www.gov.uk"), id="English for a Japanese task"
        ),
        pytest.param(("en", "de"), ("www.gov.uk",), id="a language without sites"),
    ],
)
def test_sites_of_a_vertical_are_hosts_that_speak_the_language(
    languages: tuple[str, str | None], hosts: tuple[str, ...]
) -> None:
    """They are compared with the user's allow-list host by host; one that cannot understand the query is not asked."""
    assert vertical_sites(Vertical.POLICY, languages) == hosts


def test_a_site_that_speaks_both_languages_is_named_once() -> None:
    """J-STAGE and CiNii hold papers in either."""
    assert vertical_sites(Vertical.ACADEMIC, ("en", "ja")) == (
        "www.jstage.jst.go.jp",
        "cir.nii.ac.jp",
        "pubmed.ncbi.nlm.nih.gov",
    )
