"""Parsers on real result pages of 2014 to 2026: exact counts, first and last address, and honest outcomes."""

import re
from pathlib import Path

import pytest

from lyra.model.search import SearchOutcome
from lyra.research.inspect import serp_of_file

# Some of the pages were anonymised by their collectors: every address on them is http://test.test.
ANONYMOUS = "http://test.test"
KEYWORD_TESTS = "https://support.smartbear.com/testcomplete/docs/keyword-testing/index.html"


@pytest.mark.parametrize(
    ("engine", "page", "count", "first", "last"),
    [
        ("duckduckgo", "openserp/duckduckgo/testdata/search_results.html", 10, ANONYMOUS, ANONYMOUS),
        (
            "duckduckgo",
            "se-scraper/test/mocks/duckduckgo/test keyword_page1.html",
            10,
            KEYWORD_TESTS,
            "http://tools.seobook.com/general/keyword-density/",
        ),
        (
            "duckduckgo",
            "se-scraper/test/mocks/duckduckgo/test keyword_page2.html",
            29,
            KEYWORD_TESTS,
            "https://www.prepostseo.com/keyword-density-checker",
        ),
        (
            "duckduckgo",
            "se-scraper/test/mocks/duckduckgo/test keyword_page3.html",
            77,
            KEYWORD_TESTS,
            "https://backlinko.com/google-keyword-planner",
        ),
        ("mojeek", "web-search-mcp/mojeek.html", 10, "https://javascript.info/", "https://smartwebby.com/DHTML/"),
        (
            "brave",
            "web-search-mcp/brave.html",
            20,
            "https://www.w3schools.com/js/",
            "https://www.simplilearn.com/tutorials/javascript-tutorial",
        ),
        (
            "startpage",
            "web-search-mcp/http-startpage.html",
            10,
            "https://www.w3schools.com/js/",
            "https://www.geeksforgeeks.org/javascript/javascript-tutorial/",
        ),
        ("ecosia", "openserp/ecosia/testdata/search_results.html", 10, ANONYMOUS, ANONYMOUS),
        ("bing", "openserp/bing/testdata/search_results.html", 10, ANONYMOUS, ANONYMOUS),
        ("bing", "se-scraper/test/mocks/bing/test keyword_page1.html", 6, KEYWORD_TESTS, "https://www.woorank.com/fr/"),
        (
            "bing",
            "se-scraper/test/mocks/bing/test keyword_page3.html",
            10,
            "https://smartbear.com/product/testcomplete/features/keyword-driven-testing/",
            "https://moz.com/seo-expert-quiz",
        ),
        ("bing", "no_results_2014/bing.html", 10, "https://food.de/", "http://www.dict.cc/?s=food"),
        ("google", "openserp/google/testdata/search_results.html", 10, ANONYMOUS, ANONYMOUS),
        (
            "google",
            "se-scraper/test/mocks/google/test keyword_page1.html",
            10,
            "https://keywordtool.io/",
            "https://robotframework.org/robotframework/latest/libraries/BuiltIn.html",
        ),
        (
            "google",
            "se-scraper/test/mocks/google/test keyword_page2.html",
            10,
            "https://moz.com/beginners-guide-to-seo/keyword-research",
            "https://support.google.com/google-ads/answer/148778?hl=en",
        ),
        (
            "google",
            "asaniczka/tests/fixtures/google_serp.html",
            8,
            "https://www.synthesia.io/post/ai-tools",
            "https://ai.google/",
        ),
        (
            "google",
            "no_results_2014/google.html",
            10,
            "http://en.wikipedia.org/wiki/Fair_dealing",
            "https://www.ualberta.ca/~gjhangri/ohp/CH-23.htm",
        ),
    ],
)
def test_results_of_real_pages(result_pages: Path, engine: str, page: str, count: int, first: str, last: str) -> None:
    """Pages of several years are read whole, in order, without adverts, answer boxes and internal links."""
    shown = serp_of_file(engine, result_pages / page)

    assert (shown["outcome"], len(shown["results"])) == (SearchOutcome.RESULTS.value, count)
    assert (shown["results"][0]["url"], shown["results"][-1]["url"]) == (first, last)
    assert [result["rank"] for result in shown["results"]] == list(range(1, count + 1))


@pytest.mark.parametrize(
    ("engine", "page", "outcome"),
    [
        ("google", "openserp/google/testdata/search_captcha.html", SearchOutcome.BLOCKED),
        ("google", "openserp/google/testdata/search_captcha_new.html", SearchOutcome.BLOCKED),
        ("google", "openserp/google/testdata/search_soft_block.html", SearchOutcome.BLOCKED),
        ("ecosia", "openserp/ecosia/testdata/search_captcha.html", SearchOutcome.BLOCKED),
        ("qwant", "web-search-mcp/qwant.html", SearchOutcome.BLOCKED),
        ("google", "openserp/google/testdata/search_no_results.html", SearchOutcome.EMPTY),
        ("ecosia", "openserp/ecosia/testdata/search_no_results.html", SearchOutcome.EMPTY),
        ("duckduckgo", "se-scraper/test/mocks/duckduckgo/index.html", SearchOutcome.FAILED),
        ("google", "se-scraper/test/mocks/google/index.html", SearchOutcome.FAILED),
        ("bing", "se-scraper/test/mocks/bing/index.html", SearchOutcome.FAILED),
        ("mojeek", "openserp/google/testdata/search_captcha.html", SearchOutcome.BLOCKED),
    ],
)
def test_real_pages_without_results(result_pages: Path, engine: str, page: str, outcome: SearchOutcome) -> None:
    """Captchas are blocked, "no results" is empty, home pages are failed: never one for another."""
    shown = serp_of_file(engine, result_pages / page)

    assert (shown["outcome"], shown["results"]) == (outcome.value, [])


@pytest.mark.parametrize(
    ("engine", "page"), [("google", "no_results_2014/google.html"), ("bing", "no_results_2014/bing.html")]
)
def test_an_altered_query_is_told(result_pages: Path, engine: str, page: str) -> None:
    """An engine that finds nothing and answers a similar query must not pass for an answer to the one asked."""
    shown = serp_of_file(engine, result_pages / page)

    assert shown["reason"].startswith("The engine answered another query than the one asked")


def test_titles_snippets_and_dates_are_clean(result_pages: Path) -> None:
    """What stands in the results is text: highlighting joined, dates parted from snippets."""
    page = result_pages / "se-scraper/test/mocks/duckduckgo/test keyword_page1.html"

    first = serp_of_file("duckduckgo", page)["results"][0]

    assert first["title"] == "Keyword Tests | TestComplete Documentation"
    assert first["date"] == "2019-11-21"
    assert first["snippet"].startswith("In keyword-driven tests, every action to be performed (a mouse click,")


@pytest.mark.parametrize(
    ("engine", "page", "count", "first", "last"),
    [
        (
            "google",
            "se-scraper/test/mocks/google/test keyword_page3.html",
            10,
            "http://www.nerdcoach.com/actvocab",
            "https://www.methodsandtools.com/archive/archive.php?id=108",
        ),
        (
            "bing",
            "se-scraper/test/mocks/bing/test keyword_page2.html",
            10,
            "http://testlink.sourceforge.net/docs/docs/toc.php?page=16",
            "https://smallseotools.com/keyword-density-checker/",
        ),
    ],
)
def test_further_real_pages(result_pages: Path, engine: str, page: str, count: int, first: str, last: str) -> None:
    """Second and third pages of an answer are read like the first."""
    shown = serp_of_file(engine, result_pages / page)

    assert (shown["outcome"], len(shown["results"])) == (SearchOutcome.RESULTS.value, count)
    assert (shown["results"][0]["url"], shown["results"][-1]["url"]) == (first, last)


@pytest.mark.parametrize(
    ("engine", "page", "kept"),
    [
        ("google", "se-scraper/test/mocks/google/test keyword_page1.html", 9),
        ("google", "asaniczka/tests/fixtures/google_serp.html", 8),
        ("google", "no_results_2014/google.html", 10),
        ("bing", "se-scraper/test/mocks/bing/test keyword_page1.html", 6),
        ("bing", "no_results_2014/bing.html", 10),
        ("duckduckgo", "se-scraper/test/mocks/duckduckgo/test keyword_page2.html", 29),
        ("mojeek", "web-search-mcp/mojeek.html", 10),
        ("brave", "web-search-mcp/brave.html", 20),
        ("startpage", "web-search-mcp/http-startpage.html", 10),
    ],
)
def test_real_pages_survive_the_loss_of_every_name(
    result_pages: Path, tmp_path: Path, engine: str, page: str, kept: int
) -> None:
    """Without a single class, id or data attribute the same results are read by structure, and the drift is told."""
    html = (result_pages / page).read_bytes().decode("utf-8", "replace")
    bare = tmp_path / "bare.html"
    bare.write_text(re.sub(r"\s(?:class|id|data-[\w-]+)=(\"[^\"]*\"|'[^']*'|[^\s>]+)", "", html), encoding="utf-8")
    named = {result["url"] for result in serp_of_file(engine, result_pages / page)["results"]}

    shown = serp_of_file(engine, bare)

    assert len(named & {result["url"] for result in shown["results"]}) == kept
    assert "drifted and was read by structure" in shown["reason"]
