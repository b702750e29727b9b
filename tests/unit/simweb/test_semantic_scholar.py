"""Semantic Scholar's answers in the shape of the recorded ones."""

import json
from typing import Any

import pytest

from simweb.apis.papers import Papers
from simweb.apis.semantic_scholar import SemanticScholar, paper_id
from simweb.messages import Request
from simweb.world import WORLD, load_topic

PAPERS = list(load_topic(WORLD / "dpp4").papers)
HOST = SemanticScholar(Papers(PAPERS, "semantic_scholar", merges_versions=True))
CARDIAN = "Saxagliptin and cardiovascular outcomes in type 2 diabetes: the CARDIAN-53 randomised trial"
COHORT = next(paper_id(paper) for paper in PAPERS if paper.id == "hfcohort2016")


def ask(target: str, method: str = "GET", body: bytes = b"") -> tuple[int, Any]:
    response = HOST.answer(Request(method, "https", "api.semanticscholar.org", f"/graph/v1/paper/{target}", {}, body))
    return response.status, json.loads(response.body)


@pytest.mark.parametrize(
    "identifier",
    ["DOI:10.5555/CMT.2013.0417", "10.5555/cmt.2013.0417", "PMID:90013417", "pmid:90013417"],
)
def test_a_paper_is_found_by_any_identifier(identifier: str) -> None:
    """DOI (in any case), bare DOI and PubMed number lead to the same record."""
    status, record = ask(f"{identifier}?fields=title,year")

    assert status == 200
    assert record == {"paperId": record["paperId"], "title": CARDIAN, "year": 2013}


def test_a_preprint_is_one_record_with_its_journal_version() -> None:
    """The arXiv number leads to the published work, which lists both identifiers."""
    _, record = ask("ARXIV:1511.99871v2?fields=externalIds")

    external = record["externalIds"]
    assert record["paperId"] == COHORT
    assert (external["ArXiv"], external["DOI"]) == ("1511.99871", "10.5555/jmetd.2016.0501")


@pytest.mark.parametrize(
    ("target", "status", "answer"),
    [
        pytest.param("0?fields=title", 404, {"error": "Paper with id 0 not found"}, id="unknown paper"),
        pytest.param(
            "PMID:90013417?fields=t", 400, {"error": "Unrecognized or unsupported fields: [t]"}, id="unknown field"
        ),
        pytest.param("search?query=zzzz&fields=title", 200, {"total": 0, "offset": 0}, id="empty search"),
    ],
)
def test_answers_without_papers(target: str, status: int, answer: dict[str, Any]) -> None:
    """Not found, bad fields and empty search look as they do in the recorded answers."""
    assert ask(target) == (status, answer)


def test_search_is_paged() -> None:
    """`next` is given while there is more."""
    _, answer = ask("search?query=saxagliptin+heart+failure&fields=title&limit=1")

    assert (answer["offset"], answer["next"], answer["data"][0]["title"]) == (0, 1, CARDIAN)


@pytest.mark.parametrize(("years", "total"), [("2013", 1), ("2016-", 2), ("-2015", 3), ("2014-2016", 3)])
def test_search_can_be_limited_to_years(years: str, total: int) -> None:
    """A year, or a range open to either side."""
    _, answer = ask(f"search?query=hospitalisation+for+heart+failure+saxagliptin&year={years}&fields=title")

    assert answer["total"] == total


def test_citations_name_the_citing_paper_and_its_influence() -> None:
    """Each edge has isInfluential beside citingPaper."""
    _, answer = ask("PMID:90016312/citations?fields=title,isInfluential,externalIds")

    edge = answer["data"][0]
    assert (answer["offset"], len(answer["data"]), edge["isInfluential"]) == (0, 1, True)
    assert edge["citingPaper"]["externalIds"]["DOI"] == "10.5555/jmetd.2021.0640"


def test_references_name_the_cited_papers() -> None:
    """References are given as citedPaper, in the order of the paper."""
    _, answer = ask("DOI:10.5555/cmt.2015.0263/references?fields=externalIds,isInfluential&limit=1")

    edge = answer["data"][0]
    assert (answer["next"], edge["isInfluential"]) == (1, True)
    assert edge["citedPaper"]["externalIds"]["PubMed"] == "90013417"


def test_a_batch_keeps_the_order_and_has_null_for_unknown() -> None:
    """One answer for each id asked."""
    _, records = ask("batch?fields=year", "POST", json.dumps({"ids": ["PMID:1", "PMID:90013417"]}).encode())

    assert records[0] is None
    assert records[1]["year"] == 2013


def test_a_paper_without_abstract_has_null() -> None:
    """An editorial has no abstract."""
    _, record = ask("PMID:90016502?fields=abstract,publicationTypes")

    assert (record["abstract"], record["publicationTypes"]) == (None, ["Editorial"])
