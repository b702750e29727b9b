"""The catalogue through the real fetcher, on the simulated web."""

import pytest

from lyra.academic.abstracts import abstract_document, work_address
from lyra.academic.catalogue import Catalogue
from lyra.model.page import Identifier
from lyra.model.search import SearchOutcome
from simweb import Fault, SimWeb


@pytest.fixture
def a_paper(web: SimWeb) -> Identifier:
    """The DOI of a paper that both simulated APIs know."""
    papers = [paper for topic in web.topics for paper in topic.papers if paper.doi and paper.abstract]
    return Identifier("doi", papers[0].doi.lower())


@pytest.mark.parametrize("query", ["saxagliptin heart failure", "DPP-4阻害薬 低血糖"], ids=["en", "ja"])
async def test_both_apis_answer_one_search(catalogue: Catalogue, query: str) -> None:
    """The same papers from two APIs are merged: each work once, known to both."""
    answer = await catalogue.search(query)

    assert [one.outcome for one in answer.answers] == [SearchOutcome.RESULTS, SearchOutcome.RESULTS]
    assert answer.works[0].source_api == "openalex+semantic_scholar"
    assert len({work.id for work in answer.works}) == len(answer.works)


async def test_an_identifier_is_completed_to_a_page(catalogue: Catalogue, a_paper: Identifier) -> None:
    """A DOI met in a result leads to an abstract under the DOI's own address."""
    answer = await catalogue.look_up([a_paper])

    (work,) = answer.works
    made = abstract_document(work)
    assert work_address(work) == f"https://doi.org/{a_paper.value}"
    assert made is not None
    assert (made.page_type, made.text) == ("paper", work.abstract)


async def test_an_unknown_identifier_is_empty_in_both(catalogue: Catalogue) -> None:
    """Not knowing a paper is an answer."""
    answer = await catalogue.look_up([Identifier("doi", "10.9999/nobody.knows")])

    assert ([one.outcome for one in answer.answers], answer.works) == ([SearchOutcome.EMPTY, SearchOutcome.EMPTY], ())


async def test_citations_are_walked_both_ways(catalogue: Catalogue) -> None:
    """Every link has the work on one side, each pair is there once, and both APIs are named."""
    work = (await catalogue.search("saxagliptin heart failure")).works[0]

    answer = await catalogue.citations(work)

    pairs = [(link.citing.id, link.cited.id) for link in answer.links]
    assert [one.outcome for one in answer.answers] == [SearchOutcome.RESULTS, SearchOutcome.RESULTS]
    assert [pair for pair in pairs if work.id not in pair] == []
    assert len(set(pairs)) == len(pairs)
    assert {link.source_api for link in answer.links} == {"openalex+semantic_scholar"}


async def test_a_refusing_api_leaves_the_other(catalogue: Catalogue, web: SimWeb) -> None:
    """Semantic Scholar without a key often answers 429; OpenAlex still serves."""
    web.faults.set("api.semanticscholar.org", Fault("status", status=429, retry_after_s=60))

    answer = await catalogue.search("saxagliptin heart failure")

    assert [one.outcome for one in answer.answers] == [SearchOutcome.BLOCKED, SearchOutcome.RESULTS]
    assert answer.answers[0].retry_after_s == pytest.approx(60, abs=2)
    assert {work.source_api for work in answer.works} == {"openalex"}


async def test_a_broken_answer_is_failed(catalogue: Catalogue, web: SimWeb) -> None:
    """JSON cut in the middle is neither empty nor blocked."""
    web.faults.set("api.openalex.org", Fault("truncated", after_bytes=500))

    answer = await catalogue.search("saxagliptin heart failure")

    assert [one.outcome for one in answer.answers] == [SearchOutcome.RESULTS, SearchOutcome.FAILED]
