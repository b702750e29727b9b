"""Queries taken apart and written again in each engine's own words."""

import pytest

from lyra.errors import InvalidParams
from lyra.search.query import (
    Operator,
    QueryDialect,
    QueryPart,
    RenderedQuery,
    Sign,
    cache_key,
    normalise_query,
    parse_query,
    plain_terms,
    render_query,
    satisfies_operators,
)

FULL = QueryDialect(frozenset(Operator), frozenset({Sign.REQUIRE, Sign.EXCLUDE}))
PLAIN = QueryDialect(frozenset())


def test_every_operator_is_recognised() -> None:
    """A client may combine all operators of SPEC §4; each must be seen as what it is."""
    query = '"heart failure" +saxagliptin -mouse site:nih.gov filetype:pdf intitle:"dpp 4" after:2020-01-01 trial'

    parts = parse_query(query)

    assert parts == (
        QueryPart(Operator.PHRASE, "heart failure"),
        QueryPart(Operator.WORD, "saxagliptin", Sign.REQUIRE),
        QueryPart(Operator.WORD, "mouse", Sign.EXCLUDE),
        QueryPart(Operator.SITE, "nih.gov"),
        QueryPart(Operator.FILETYPE, "pdf"),
        QueryPart(Operator.INTITLE, "dpp 4"),
        QueryPart(Operator.AFTER, "2020-01-01"),
        QueryPart(Operator.WORD, "trial"),
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param('"heart failure', ("heart", "failure"), id="unbalanced-quote"),
        pytest.param("“heart failure” risk", ("heart failure", "risk"), id="curly-quotes"),
        pytest.param("ＤＰＰ－４　阻害薬", ("DPP-4", "阻害薬"), id="full-width"),
        pytest.param("site: after:soon", ("site:", "after:soon"), id="operators-without-a-value"),
        pytest.param("C++ - a", ("C++", "-", "a"), id="signs-inside-and-alone"),
        pytest.param("🩺💊", ("🩺💊",), id="emoji"),
        pytest.param('"" x', ("x",), id="empty-phrase"),
    ],
)
def test_odd_queries_keep_their_words(query: str, expected: tuple[str, ...]) -> None:
    """People paste half a quote or an operator without a value; no word may be lost over it."""
    assert tuple(part.value for part in parse_query(query)) == expected


@pytest.mark.parametrize("query", ["", "  \n\t", '""', "\u200b"], ids=["nothing", "white", "quotes", "zero-width"])
def test_an_empty_query_is_refused(query: str) -> None:
    """Nothing to ask is the caller's mistake, told before any engine is bothered."""
    with pytest.raises(InvalidParams) as caught:
        normalise_query(query)

    assert caught.value.code == "INVALID_PARAMS"


def test_a_capable_engine_gets_every_operator() -> None:
    """An engine that understands all operators receives them unchanged."""
    query = '"heart failure" +saxagliptin -mouse site:nih.gov after:2020'

    assert render_query(parse_query(query), FULL) == RenderedQuery(query)


def test_a_plain_engine_gets_words_and_is_told_nothing_wrong() -> None:
    """Phrases and titles become words; what would mislead as a word is dropped and named."""
    query = '"heart failure" +saxagliptin -mouse site:nih.gov filetype:pdf intitle:gliptin after:2020'

    rendered = render_query(parse_query(query), PLAIN)

    assert rendered.text == "heart failure saxagliptin pdf gliptin"
    assert [str(part) for part in rendered.dropped] == ["-mouse", "site:nih.gov", "after:2020"]


def test_a_required_word_is_quoted_where_there_is_no_plus() -> None:
    """Google and others dropped `+`: what must be there stands in quotes, and nothing else changes."""
    rendered = render_query(
        parse_query("+心不全 saxagliptin -mouse"), QueryDialect(frozenset({Operator.PHRASE}), frozenset({Sign.EXCLUDE}))
    )

    assert rendered == RenderedQuery('"心不全" saxagliptin -mouse')


def test_a_query_of_5000_characters_is_cut_between_words() -> None:
    """Engines refuse very long queries; the cut leaves whole words and says that it happened."""
    rendered = render_query(parse_query("gliptin " * 625), QueryDialect(frozenset(), max_chars=400))

    assert rendered == RenderedQuery(" ".join(["gliptin"] * 50), (), is_cut=True)


def test_a_cut_inside_a_phrase_leaves_no_open_quote() -> None:
    """A lone quote would change what the engine searches for."""
    rendered = render_query(
        parse_query('"' + "alpha " * 20 + '"'), QueryDialect(frozenset({Operator.PHRASE}), max_chars=30)
    )

    assert rendered == RenderedQuery("alpha alpha alpha alpha alpha", (), is_cut=True)


@pytest.mark.parametrize(
    ("query", "url", "expected"),
    [
        pytest.param("x site:nih.gov", "https://pubmed.ncbi.nlm.nih.gov/1/", True, id="below-the-site"),
        pytest.param("x site:nih.gov", "https://notnih.gov/1", False, id="only-similar"),
        pytest.param("x -site:nih.gov", "https://www.nih.gov/", False, id="excluded"),
        pytest.param("x site:go.jp site:nih.gov", "https://www.mhlw.go.jp/a", True, id="one-of-two"),
        pytest.param("x", "https://example.org/", True, id="no-site"),
    ],
)
def test_sites_are_held_for_engines_that_cannot(query: str, url: str, expected: bool) -> None:
    """Where an engine has no `site:`, its results are filtered by the same rule."""
    assert satisfies_operators(parse_query(query), url) is expected


def test_the_cache_key_ignores_spelling_that_engines_ignore() -> None:
    """Width, case and spacing do not make another query, another engine does."""
    key = cache_key("mojeek", "ＤＰＰ-4  阻害薬")

    assert key == cache_key("mojeek", "dpp-4 阻害薬")
    assert key != cache_key("duckduckgo", "dpp-4 阻害薬")
    assert key != cache_key("mojeek", '"dpp-4 阻害薬"')


@pytest.mark.parametrize(
    ("day", "is_admitted"),
    [("2021-04-01", True), ("2020-12-31", False), (None, True)],
    ids=["later", "earlier", "undated"],
)
def test_after_is_held_where_the_engine_cannot(day: str | None, is_admitted: bool) -> None:
    """An engine without `after:` shows old results too; those that say how old they are are left out."""
    assert satisfies_operators(parse_query("saxagliptin after:2021"), "https://www.fda.gov/x", day) is is_admitted


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            'saxagliptin "heart failure" -rats +trial site:nih.gov filetype:pdf after:2020',
            "saxagliptin heart failure trial",
        ),
        ("intitle:類天疱瘡 DPP-4阻害薬", "類天疱瘡 DPP-4阻害薬"),
        ("site:nih.gov", ""),
    ],
)
def test_what_a_query_says_without_its_operators(query: str, expected: str) -> None:
    """Indexes and sites that know no operators would look for them as words and find nothing."""
    assert plain_terms(query) == expected


def test_a_letter_that_only_looks_alike_makes_no_operator() -> None:
    """A pattern that ignores case takes the Turkish ı for an i."""
    assert parse_query("sıte:nih.gov") == (QueryPart(Operator.WORD, "sıte:nih.gov", Sign.NONE),)
