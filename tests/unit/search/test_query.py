"""A query: its language, its parts, and whether it names an address."""

import pytest

from lyra.errors import InvalidParams
from lyra.model.page import Identifier
from lyra.search.query import (
    Operator,
    QueryDialect,
    QueryPart,
    RenderedQuery,
    Sign,
    TargetUrl,
    cache_key,
    normalise_query,
    parse_query,
    plain_terms,
    query_language,
    recognise_target,
    reject_foreign_address,
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


@pytest.mark.parametrize(
    ("query", "language"),
    [
        pytest.param("気候変動 政策", "ja", id="kanji-only"),
        pytest.param("国立国会図書館", "ja", id="one-kanji-word"),
        pytest.param("マイクロプラスチック", "ja", id="katakana"),
        pytest.param("人工智能 监管", "zh", id="simplified-chinese"),
        pytest.param("DPP-4 inhibitors", "en", id="latin"),
        pytest.param("🎉🎉🎉", "en", id="emoji"),
    ],
)
def test_characters_tell_the_language(query: str, language: str) -> None:
    """Two nouns in kanji are Japanese though they have no kana; characters Japanese lacks are Chinese."""
    assert query_language(query) == language


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("10.1056/NEJMoa1307684", Identifier("doi", "10.1056/nejmoa1307684")),
        ("doi: 10.1056/NEJMoa1307684", Identifier("doi", "10.1056/nejmoa1307684")),
        ("https://doi.org/10.1056/NEJMoa1307684", Identifier("doi", "10.1056/nejmoa1307684")),
        ("PMID 23992601", Identifier("pmid", "23992601")),
        ("pmid:23992601", Identifier("pmid", "23992601")),
        ("https://pubmed.ncbi.nlm.nih.gov/23992601/", Identifier("pmid", "23992601")),
        ("arXiv:1706.03762v5", Identifier("arxiv", "1706.03762")),
        ("arXiv 1706.03762", Identifier("arxiv", "1706.03762")),
        ("DOI 10.1056/NEJMoa1307684", Identifier("doi", "10.1056/nejmoa1307684")),
        (
            "10.1002/(SICI)1097-4571(199812)49:14<1290::AID-ASI4>3.0.CO;2-K",
            Identifier("doi", "10.1002/(sici)1097-4571(199812)49:14<1290::aid-asi4>3.0.co;2-k"),
        ),
        ("https://doi.org/10.1234/日本語", TargetUrl("https://doi.org/10.1234/日本語")),
        ("https://arxiv.org/pdf/1706.03762v2.pdf", Identifier("arxiv", "1706.03762")),
        ("  https://www.pmda.go.jp/safety/info.html ", TargetUrl("https://www.pmda.go.jp/safety/info.html")),
        (
            "https://www.nejm.org/doi/full/10.1056/NEJMoa1307684",
            TargetUrl("https://www.nejm.org/doi/full/10.1056/NEJMoa1307684"),
        ),
    ],
    ids=lambda value: value.strip()[:40] if isinstance(value, str) else "",
)
def test_targets_are_recognised(query: str, expected: TargetUrl | Identifier) -> None:
    """`query` may be a URL, a DOI, a PMID or an arXiv id (SPEC §2)."""
    assert recognise_target(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "saxagliptin 10.1056/NEJMoa1307684",
        "arxiv papers on gliptins",
        "doi numbers explained",
        "DPP-4阻害薬 心不全",
        "23992601",
        "ftp://example.org/file",
        "https://example.org/a b",
        "file:///etc/passwd",
        "",
        "3.14",
    ],
)
def test_questions_are_no_targets(query: str) -> None:
    """A question that merely holds a number or identifier goes to the engines; odd schemes go nowhere."""
    assert recognise_target(query) is None


@pytest.mark.parametrize(
    "query", ["file:///etc/passwd", "FTP://x.org/", "javascript:alert(1)", "data:text/html,x", "smb://nas/案件"]
)
def test_addresses_of_other_kinds_are_refused(query: str) -> None:
    """A path of this machine has no business at a search engine."""
    with pytest.raises(InvalidParams) as caught:
        reject_foreign_address(query)

    assert caught.value.message == "Only addresses of the web (http, https) can be fetched."


@pytest.mark.parametrize(
    "query",
    [
        "http:/\\10.0.0.5/secret",
        "http:\\\\intranet\\secret",
        "https:/intranet/secret",
        "HTTP:///intranet/secret",
        "http:intranet.example/secret",
        "http: //intranet/secret",
        "http://intranet\\@x.org/secret",
        "http://[::1/secret",
        "http://intranet:99999/secret",
        "ｈｔｔｐ：／＼intranet/secret",
        "http:/\\intranet/secret of the board",
    ],
)
def test_broken_addresses_of_the_web_are_refused(query: str) -> None:
    """A browser would open them; an engine on the internet must not be told them."""
    with pytest.raises(InvalidParams) as caught:
        reject_foreign_address(query)

    assert caught.value.code == "INVALID_PARAMS"


@pytest.mark.parametrize(
    "query",
    [
        "//127.0.0.1/secret?token=abc",
        "\\\\nas\\案件",
        "[::1]:8399",
        "[::1]",
        "::1",
        "fe80::1%eth0",
        "ht\ttp://127.0.0.1/",
        "https://x.org\n/a",
        "fi\u200ble:///etc/passwd",
        "127.0.0.1",
        "127.0.0.1:8399/x",
        "127.1/x",
        "127。0。0。1/x",
        "0x7f.0.0.1/x",
        "2130706433/x",
        "10.0.0.5/secret",
        "8.8.8.8:53",
        "localhost:80",
        "localhost/x",
        "nas.local/案件",
        "intranet:8080/secret",
        "x.org:8443",
        "x.org/?sig=abc",
        "user:pass@host",
        "user:pass@x.org/a",
    ],
)
def test_addresses_without_a_scheme_are_refused(query: str) -> None:
    """What is an address and no address of the web goes to no engine, whatever a browser drops from it."""
    with pytest.raises(InvalidParams) as caught:
        reject_foreign_address(query)

    assert caught.value.message == "Only addresses of the web (http, https) can be fetched."


def test_an_address_with_a_password_is_refused() -> None:
    """It would stay in the database and in every backup."""
    with pytest.raises(InvalidParams) as caught:
        reject_foreign_address("https://user:secret@x.org/a")

    assert caught.value.message == "Addresses that carry a user name or password are not fetched."


@pytest.mark.parametrize(
    "query",
    [
        "https://x.org/@name",
        "https://x.org/",
        "doi:10.1000/1",
        "site:go.jp 給付",
        "a://b is a form",
        "比率 3:2",
        "http: a protocol",
        "http vs https",
        "what listens on localhost:80",
        "why is 127.0.0.1:8399/x refused",
        "difference of // and /* comments",
        "localhost",
        "booking.com",
        "node.js/express",
        "TCP/IP",
        "16:9",
        "3.5/5",
        "20261116/17",
        "ISO:9001",
        "PMID:12345",
        "10.1000/182",
        "a@x.org",
        "first line\nsecond line",
        "C++::vector",
    ],
)
def test_other_queries_are_let_through(query: str) -> None:
    """Operators, identifiers and words with a colon are none of them."""
    assert reject_foreign_address(query) is None
