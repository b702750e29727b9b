"""Engines: how they are asked, and that results, empty, blocked and failed are never confused."""

from pathlib import Path

import pytest

from lyra.charset import decode
from lyra.model.page import FetchLane, FetchRequest
from lyra.model.search import EngineAnswer, SearchOutcome, SerpItem
from lyra.search.engine import PageEngine
from lyra.search.engine_spec import Transport, load_engine_specs
from lyra.search.engines import known_engines


@pytest.fixture(scope="module")
def duckduckgo() -> PageEngine:
    return PageEngine(load_engine_specs()["duckduckgo"])


@pytest.fixture(scope="module")
def mojeek() -> PageEngine:
    return PageEngine(load_engine_specs()["mojeek"])


def ddg_page(*results: str) -> str:
    return (
        "<!DOCTYPE html><html><head><title>saxagliptin at DuckDuckGo</title></head><body>"
        f'<div id="links" class="results">{"".join(results)}</div></body></html>'
    )


def ddg_result(href: str, title: str, snippet: str, *, extra: str = "", date: str = "") -> str:
    return (
        f'<div class="result results_links results_links_deep web-result {extra}">'
        '<div class="links_main links_deep result__body">'
        f'<h2 class="result__title"><a rel="nofollow" class="result__a" href="{href}">{title}</a></h2>'
        '<div class="result__extras"><div class="result__extras__url">'
        f'<a class="result__url" href="{href}">shown</a><span>&nbsp; &nbsp; {date}</span></div></div>'
        f'<a class="result__snippet" href="{href}">{snippet}</a></div></div>'
    )


SAVOR = ddg_result(
    "//duckduckgo.com/l/?uddg=https%3A%2F%2Fwww.nejm.org%2Fdoi%2F10.1056%2FNEJMoa1307684&amp;rut=1f",
    "Saxagliptin and <b>Cardiovascular</b> Outcomes",
    "The rate of hospitalization for <b>heart failure</b> was increased.",
    date="2013-10-03T00:00:00.0000000",
)
ADVERT = ddg_result(
    "https://duckduckgo.com/y.js?ad_domain=glucoshop.example&amp;ad_type=txad",
    "Glucose Monitors",
    "Buy now",
    extra="result--ad",
)
INTERNAL = ddg_result("https://duckduckgo.com/about", "About DuckDuckGo", "Privacy")
NOTHING = ddg_result("", "", "").replace("web-result", "web-result result--no-result")


def test_duckduckgo_is_asked_by_post(duckduckgo: PageEngine) -> None:
    """Its form posts, and posted queries bring plain links; the engine's own gate keeps the pace."""
    assert duckduckgo.url_for("DPP-4阻害薬 心不全") == FetchRequest(
        "https://html.duckduckgo.com/html/",
        FetchLane.SERP,
        "engine:duckduckgo",
        method="POST",
        body=b"q=DPP-4%E9%98%BB%E5%AE%B3%E8%96%AC+%E5%BF%83%E4%B8%8D%E5%85%A8&b=",
        headers=(("content-type", "application/x-www-form-urlencoded"),),
        rungs=("http",),
    )


def test_mojeek_is_asked_by_get_in_its_own_dialect(mojeek: PageEngine) -> None:
    """Mojeek knows no `filetype:`, which becomes a word, and no `+`: the word is required by quotes."""
    assert mojeek.url_for('"heart failure" +trial filetype:pdf site:nih.gov') == FetchRequest(
        "https://www.mojeek.com/search?q=%22heart+failure%22+%22trial%22+pdf+site%3Anih.gov",
        FetchLane.SERP,
        "engine:mojeek",
        rungs=("http",),
    )


def test_results_are_read_without_adverts_and_internal_links(duckduckgo: PageEngine) -> None:
    """Only pages of others are results; redirects are undone, markup is text, dates are days."""
    answer = duckduckgo.parse(ddg_page(ADVERT, SAVOR, INTERNAL), "saxagliptin")

    assert answer == EngineAnswer(
        "duckduckgo",
        "saxagliptin",
        SearchOutcome.RESULTS,
        (
            SerpItem(
                title="Saxagliptin and Cardiovascular Outcomes",
                url="https://www.nejm.org/doi/10.1056/NEJMoa1307684",
                snippet="The rate of hospitalization for heart failure was increased.",
                engine="duckduckgo",
                rank=1,
                date="2013-10-03",
            ),
        ),
    )


def test_results_win_over_a_no_result_block_below_them(duckduckgo: PageEngine) -> None:
    """The engine closes its last page with an empty block; that must not make the page empty."""
    answer = duckduckgo.parse(ddg_page(SAVOR, NOTHING), "saxagliptin")

    assert (answer.outcome, len(answer.items)) == (SearchOutcome.RESULTS, 1)


def test_the_lite_table_is_read_by_rows(duckduckgo: PageEngine) -> None:
    """The lite page spreads a result over rows of a table; each snippet must stay with its own link."""
    html = """<html><body><table>
      <tr class="result-sponsored"><td>1.</td><td><a class='result-link' href="https://ad.example/">Ad</a></td></tr>
      <tr><td>2.</td><td><a rel="nofollow" href="https://a.example/" class='result-link'>First</a></td></tr>
      <tr><td></td><td class='result-snippet'>Snippet of the first.</td></tr>
      <tr><td></td><td><span class='link-text'>a.example</span></td></tr>
      <tr><td>3.</td><td><a rel="nofollow" href="https://b.example/" class='result-link'>Second</a></td></tr>
      <tr><td></td><td class='result-snippet'>Snippet of the second.</td></tr>
    </table></body></html>"""

    answer = duckduckgo.parse(html, "q")

    assert [(item.title, item.url, item.snippet) for item in answer.items] == [
        ("First", "https://a.example/", "Snippet of the first."),
        ("Second", "https://b.example/", "Snippet of the second."),
    ]


@pytest.mark.parametrize(
    ("html", "outcome", "reason"),
    [
        pytest.param(ddg_page(NOTHING), SearchOutcome.EMPTY, "The engine found nothing (selector", id="empty"),
        pytest.param(
            '<html><body><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></body></html>',
            SearchOutcome.BLOCKED,
            'The engine refuses (selector ".anomaly-modal__title',
            id="anomaly",
        ),
        pytest.param(
            "<html><head><title>DuckDuckGo</title></head><body><form><input name=q></form></body></html>",
            SearchOutcome.FAILED,
            "Page 'DuckDuckGo' shows neither results nor a sign that there are none: container '[data-testid=result]' "
            "matched nothing",
            id="home-page",
        ),
        pytest.param(ddg_page(ADVERT), SearchOutcome.FAILED, "Page 'saxagliptin at DuckDuckGo'", id="adverts-only"),
        pytest.param("", SearchOutcome.FAILED, "The answer is not HTML.", id="nothing"),
        pytest.param("%PDF-1.7\x00\x01<", SearchOutcome.FAILED, "The answer is not HTML.", id="binary"),
        pytest.param('{"error": "no"}', SearchOutcome.FAILED, "The answer is not HTML.", id="json"),
    ],
)
def test_pages_without_results_say_why(duckduckgo: PageEngine, html: str, outcome: SearchOutcome, reason: str) -> None:
    """A blocked engine that looks empty is what users of such tools complain about most."""
    answer = duckduckgo.parse(html, "saxagliptin")

    assert (answer.outcome, answer.items) == (outcome, ())
    assert answer.reason is not None
    assert answer.reason.startswith(reason)


def test_a_page_that_talks_of_captchas_is_still_results(duckduckgo: PageEngine) -> None:
    """Words of a result must not be taken for the engine's own."""
    result = ddg_result("https://a.example/", "How a CAPTCHA works", "Prove that you are not a robot; unusual traffic")

    answer = duckduckgo.parse(ddg_page(result), "captcha")

    assert answer.outcome is SearchOutcome.RESULTS


def test_a_drifted_page_is_read_by_structure_and_says_so(mojeek: PageEngine) -> None:
    """When every class name has changed, headings with links out in one place are still the result list."""
    results = "".join(
        f'<section><div class="zz{n}"><h3><a href="https://site{n}.example/">Title {n}</a></h3></div>'
        f"<div><span>Passage number {n} about gliptins.</span></div></section>"
        for n in range(1, 5)
    )
    page = (
        "<html><head><title>q - Mojeek Search</title></head><body>"
        '<nav><h3><a href="https://elsewhere.example/">Menu</a></h3></nav>'
        f'<main>{results}</main><h3><a href="https://blog.example/">Our blog</a></h3></body></html>'
    )

    answer = mojeek.parse(page, "gliptins")

    assert [(item.rank, item.title, item.url, item.snippet) for item in answer.items] == [
        (n, f"Title {n}", f"https://site{n}.example/", f"Passage number {n} about gliptins.") for n in range(1, 5)
    ]
    assert answer.reason is not None
    assert answer.reason.startswith("The page has drifted and was read by structure: container 'ul[class*=results]")


def test_the_diagnosis_names_the_selector_that_failed(mojeek: PageEngine) -> None:
    """Whoever repairs a parser must see which selector matched and which did not."""
    page = '<html><body><ul class="results-standard"><li class="r1"><h2>No link here</h2></li></ul></body></html>'

    answer = mojeek.parse(page, "q")

    assert answer.outcome is SearchOutcome.FAILED
    assert answer.reason is not None
    assert "container 'ul[class*=results] > li:has(h2)' matched 1, but link" in answer.reason


def test_a_truncated_page_gives_what_it_still_holds(mojeek: PageEngine) -> None:
    """A connection that broke in the middle of the second result leaves one whole result."""
    page = (
        '<html><body><ul class="results-standard"><li class="r1"><h2><a class="title" href="https://a.example/">A</a>'
        '</h2><p class="s">About A.</p></li><li class="r2"><h2><a class="title" href="https://b.ex'
    )

    answer = mojeek.parse(page, "q")

    assert [(item.title, item.url) for item in answer.items] == [("A", "https://a.example/")]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("<div>" * 300_000 + "<h2><a href='https://a.example/'>x</a></h2>", id="deep"),
        pytest.param("<html><body>" + "<li><h2>x</h2></li>" * 50_000, id="wide"),
        pytest.param("<" * 2_000_000, id="angle-brackets"),
    ],
)
def test_hostile_pages_of_megabytes_are_failed_soon(mojeek: PageEngine, page: str) -> None:
    """A result page of megabytes must end in an outcome, not hang or crash the process."""
    answer = mojeek.parse(page, "q")

    assert answer.outcome is SearchOutcome.FAILED


def test_all_engines_of_the_specification_are_known() -> None:
    """SPEC §4 names the ids; only those that serve plain pages can be asked over HTTP."""
    engines = known_engines()

    assert sorted(engines) == [
        "bing",
        "brave",
        "duckduckgo",
        "ecosia",
        "google",
        "marginalia",
        "mojeek",
        "qwant",
        "startpage",
        "wikipedia",
    ]
    assert sorted(name for name, engine in engines.items() if engine.transport is Transport.HTTP) == [
        "duckduckgo",
        "marginalia",
        "mojeek",
        "wikipedia",
    ]
    assert engines["google"].weight == engines["brave"].weight == 0.1


def test_a_new_engine_is_only_a_new_file(tmp_path: Path) -> None:
    """Selectors are data: an engine with an ordinary page needs no code."""
    (tmp_path / "example.yaml").write_text(
        "id: example\naddress: https://search.example/find\nparameters: {text: '{query}'}\nweight: 0.3\n"
        "transport: http\nhosts: [search.example]\npage: {container: [li.hit], link: [a]}\n",
        encoding="utf-8",
    )

    engine = PageEngine(load_engine_specs(tmp_path)["example"])

    assert engine.url_for("a b").url == "https://search.example/find?text=a+b"
    assert engine.parse('<li class="hit"><a href="https://x.example/">X</a></li>', "a b").items == (
        SerpItem("X", "https://x.example/", "", "example", 1),
    )


@pytest.mark.parametrize(
    ("engine", "page", "parameter"),
    [
        ("duckduckgo", 2, b"s=10"),
        ("mojeek", 2, "s=11"),
        ("google", 3, "start=20"),
        ("bing", 2, "first=11"),
        ("brave", 2, "offset=1"),
        ("startpage", 2, "page=2"),
        ("ecosia", 2, "p=1"),
        ("qwant", 2, "p=2"),
        ("marginalia", 2, "page=2"),
        ("wikipedia", 2, "sroffset=20"),
    ],
)
def test_further_pages_are_asked_as_each_engine_counts(engine: str, page: int, parameter: str | bytes) -> None:
    """Some count pages, some results, some from nought; the first page needs no parameter."""
    request = known_engines()[engine].url_for("saxagliptin", page)
    first = known_engines()[engine].url_for("saxagliptin")

    assert parameter in (request.body or request.url)
    assert parameter not in (first.body or first.url)


@pytest.mark.parametrize(
    ("engine", "html", "challenge"),
    [
        pytest.param(
            "google",
            '<title>Bevor Sie weitergehen</title><form action="https://consent.google.com/save">',
            "consent",
            id="consent-of-the-engine",
        ),
        pytest.param(
            "google", "<noscript><a href='/httpservice/retry/enablejs?sei=x'>here</a></noscript>", "script", id="script"
        ),
        pytest.param(
            "bing", '<div id="b_captcha" class="captcha">One last step</div>', "captcha", id="captcha-of-the-engine"
        ),
        pytest.param("qwant", "<p>Unfortunately we are not yet available in your country</p>", None, id="country"),
        pytest.param("marginalia", "<h1>Too many automated queries</h1>", None, id="too-many"),
    ],
)
def test_walls_are_blocked_and_say_what_a_person_could_do(engine: str, html: str, challenge: str | None) -> None:
    """A puzzle and a question about cookies can be handed to a person; a refusal cannot."""
    answer = known_engines()[engine].parse(html, "saxagliptin")

    assert (answer.outcome, answer.challenge) == (SearchOutcome.BLOCKED, challenge)


def test_a_result_page_of_five_megabytes_is_read(mojeek: PageEngine) -> None:
    """Size alone is no fault: the results are found among the ballast."""
    hit = '<ul class="results-standard"><li><h2><a href="https://www.fda.gov/a">FDA</a></h2></li></ul>'
    page = f"<html><body>{hit}<div hidden>{'<p>ballast of words</p>' * 220_000}</div></body></html>"

    answer = mojeek.parse(page, "saxagliptin")

    assert len(page) > 5_000_000
    assert [item.url for item in answer.items] == ["https://www.fda.gov/a"]


@pytest.mark.parametrize("body", [b"\x00\x01\x02\xff" * 300, b"%PDF-1.7\n", b"\x89PNG\r\n\x1a\n", b""], ids=repr)
def test_what_is_no_page_is_failed(mojeek: PageEngine, body: bytes) -> None:
    """Binary answers are neither empty nor blocked."""
    answer = mojeek.parse(decode(body), "saxagliptin")

    assert (answer.outcome, answer.reason) == (SearchOutcome.FAILED, "The answer is not HTML.")


def test_links_without_headings_are_read_by_their_list(mojeek: PageEngine) -> None:
    """A page whose results have lost headings and names is still a list of links with words below."""
    words = "Saxagliptin and heart failure: what the label says about the risk, in some words."
    entries = "".join(f'<div><a href="https://site{n}.example/p">Result {n}</a><p>{words}</p></div>' for n in range(6))

    answer = mojeek.parse(f"<html><body><div>{entries}</div></body></html>", "saxagliptin")

    assert [item.url for item in answer.items] == [f"https://site{n}.example/p" for n in range(6)]
    assert (answer.reason or "").startswith("The page has drifted and was read by structure: container ")


def test_a_footer_of_links_is_no_result_list(mojeek: PageEngine) -> None:
    """Links out without words below them are a page's furniture, not results."""
    links = "".join(f'<li><a href="https://site{n}.example/">Partner {n}</a></li>' for n in range(8))

    answer = mojeek.parse(f"<html><body><ul>{links}</ul></body></html>", "saxagliptin")

    assert answer.outcome is SearchOutcome.FAILED


def plain_page(*snippets: str, note: str = "") -> str:
    """A result page of which no selector knows anything."""
    entries = "".join(
        f'<div><h3><a href="https://www.site{number}.example/">Page {number}</a></h3><p>{snippet}</p></div>'
        for number, snippet in enumerate(snippets)
    )
    return f"<html><body><p>{note}</p><section>{entries}</section></body></html>"


@pytest.mark.parametrize(
    "words",
    [pytest.param("No results found", id="words-of-an-empty-page"), pytest.param("automated queries", id="of-a-block")],
)
def test_words_in_a_snippet_say_nothing_of_the_engine(mojeek: PageEngine, words: str) -> None:
    """A drifted page whose results speak of refusals or of finding nothing is neither blocked nor empty."""
    snippet = f"Your network appears to be sending {words}: what the message means."

    answer = mojeek.parse(plain_page("A first page.", snippet, "A third page."), "q")

    assert (answer.outcome, len(answer.items)) == (SearchOutcome.RESULTS, 3)


def test_words_beside_the_results_still_count(mojeek: PageEngine) -> None:
    """Below the engine's own words, links are suggestions."""
    answer = mojeek.parse(plain_page("One.", "Two.", "Three.", note="No pages found matching: zxqjwv"), "zxqjwv")

    assert answer.outcome is SearchOutcome.EMPTY


def test_a_drifted_page_still_tells_of_an_altered_query() -> None:
    """Both notes stand: how the page was read, and that it answers something else."""
    google = PageEngine(load_engine_specs()["google"])

    answer = google.parse(plain_page("One.", "Two.", "Three.", note='Keine Ergebnisse für "zxqjwv"'), "zxqjwv")

    assert answer.reason == (
        "The page has drifted and was read by structure: no heading with a link out below #rso or #search or #main. "
        "The engine answered another query than the one asked (words 'Keine Ergebnisse für')."
    )


def test_the_demand_for_scripts_in_a_page_of_words_is_no_wall() -> None:
    """Google writes it into every result page, for those who run no scripts: a page that drifted is not blocked."""
    gate = "<noscript><a href='/httpservice/retry/enablejs?sei=x'>here</a></noscript>"
    words = "<div>Ergebnisse, die niemand mehr als solche erkennt. </div>" * 20

    answer = known_engines()["google"].parse(f"<html><body>{gate}{words}</body></html>", "saxagliptin")

    assert (answer.outcome, answer.challenge) == (SearchOutcome.FAILED, None)
