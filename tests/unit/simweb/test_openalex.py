"""OpenAlex's answers in the shape of the recorded ones."""

import json
from typing import Any

import pytest

from simweb.apis.openalex import OpenAlex
from simweb.apis.openalex_work import inverted, short_id
from simweb.apis.papers import Papers
from simweb.messages import Request, Response
from simweb.world import WORLD, load_topic

PAPERS = {paper.id: paper for paper in load_topic(WORLD / "dpp4").papers}
HOST = OpenAlex(Papers(PAPERS.values(), "openalex"))
CARDIAN = short_id(PAPERS["cardian53"])


def send(target: str) -> Response:
    return HOST.answer(Request("GET", "https", "api.openalex.org", target))


def ask(target: str) -> Any:
    return json.loads(send(target).body)


def dois(answer: Any) -> list[str]:
    return [result["doi"].removeprefix("https://doi.org/10.5555/") for result in answer["results"]]


@pytest.mark.parametrize(
    "identifier",
    [
        "doi:10.5555/cmt.2013.0417",
        "https://doi.org/10.5555/CMT.2013.0417",
        "pmid:90013417",
        CARDIAN,
        f"https://openalex.org/{CARDIAN}",
    ],
)
def test_a_work_is_found_by_any_identifier(identifier: str) -> None:
    """DOI, PubMed number and OpenAlex id lead to the same work."""
    assert ask(f"/works/{identifier}")["ids"] == {
        "openalex": f"https://openalex.org/{CARDIAN}",
        "doi": "https://doi.org/10.5555/cmt.2013.0417",
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/90013417",
    }


def test_an_unknown_work_is_404_in_html() -> None:
    """Not found is a page, not an object."""
    response = send("/works/W1")

    assert (response.status, response.headers["content-type"]) == (404, "text/html; charset=utf-8")


def test_abstracts_are_inverted() -> None:
    """Every word with its positions."""
    assert inverted("to be or not to be") == {"to": [0, 4], "be": [1, 5], "or": [2], "not": [3]}


def test_search_gives_meta_and_pages() -> None:
    """Meta counts all results, the page holds as many as were asked for."""
    answer = ask("/works?search=saxagliptin+heart+failure&per-page=1&page=2&select=id,title")

    assert answer["meta"] == {"count": 6, "db_response_time_ms": 12, "page": 2, "per_page": 1, "groups_count": None}
    assert sorted(answer["results"][0]) == ["id", "relevance_score", "title"]


@pytest.mark.parametrize(
    ("filter_", "found"),
    [
        pytest.param(f"cites:{short_id(PAPERS['joint2016'])}", ["jmetd.2021.0640"], id="cites"),
        pytest.param(f"cited_by:{short_id(PAPERS['joint2021'])}", ["jmetd.2016.0312"], id="cited by"),
        pytest.param(
            f"openalex:{CARDIAN}|{short_id(PAPERS['teclos'])}", ["cmt.2013.0417", "cmt.2015.0263"], id="several ids"
        ),
        pytest.param("is_retracted:true", ["jmetd.2014.0666"], id="retracted"),
        pytest.param("doi:10.5555/cmt.2019.0071", ["cmt.2019.0071"], id="doi"),
        pytest.param("language:ja,publication_year:2020", ["jdts.2020.31.204"], id="two filters"),
    ],
)
def test_filters(filter_: str, found: list[str]) -> None:
    """Filters select works; several must all hold."""
    assert dois(ask(f"/works?filter={filter_}")) == found


def test_an_unknown_filter_is_refused() -> None:
    """A wrong filter is an error, not an empty list."""
    response = send("/works?filter=colour:red")

    assert response.status == 403
    assert json.loads(response.body)["error"] == "Invalid query parameters error."


def test_the_preprint_is_a_work_of_its_own() -> None:
    """OpenAlex keeps preprint and journal version apart."""
    work = ask("/works/doi:10.48550/arXiv.1511.99871")

    assert (work["type"], work["primary_location"]["version"]) == ("preprint", "submittedVersion")
    assert work["primary_location"]["source"]["display_name"] == "arXiv"
