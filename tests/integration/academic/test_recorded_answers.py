"""The API clients on recorded answers of the real APIs: exact records, and outcomes for errors."""

import json
from pathlib import Path

import pytest

from lyra.academic.identity import merge
from lyra.academic.openalex import OpenAlex
from lyra.academic.semantic_scholar import SemanticScholar
from lyra.clock import SystemClock
from lyra.model.page import FetchOutcome, FetchResult, Identifier
from lyra.model.search import SearchOutcome
from lyra.model.work import Work

from .conftest import Asked, NoCooldown, Recording, recording, search_for

S2 = "semanticscholar.org"
OPENALEX = "openalex.org"
CHEMISTRY = "Augmenting large language models with chemistry tools"


def s2(path: Path) -> SemanticScholar:
    return SemanticScholar(recording(path, S2), SystemClock(), NoCooldown())


async def test_a_recorded_search_of_semantic_scholar(recorded: Path) -> None:
    """A page of a hundred papers with nothing but titles is read whole."""
    answer = await s2(recorded / "tests/data/test_search_paper.yaml").search("turing", 100)

    assert (answer.outcome, len(answer.works)) == (SearchOutcome.RESULTS, 100)
    assert answer.works[0].title == (
        "Using DeepSpeed and Megatron to Train Megatron-Turing NLG 530B, A Large-Scale Generative Language Model"
    )
    assert answer.works[0].url == "https://www.semanticscholar.org/paper/7cbc2a7843411a1768ab762930707af0a3c33a19"


async def test_a_recorded_batch_with_an_unknown_paper(recorded: Path) -> None:
    """The null of an unknown paper is left out, the others keep their DOI and abstract."""
    api = s2(recorded / "tests/data/test_get_papers_return_not_found.yaml")

    answer = await api.by_identifiers([Identifier("doi", "10.2139/ssrn.2250500")])

    assert len(answer.works) == 3
    assert (answer.works[0].id, answer.works[0].title) == (
        "doi:10.2139/ssrn.288970",
        "How Much Should We Trust Differences-in-Differences Estimates?",
    )
    assert answer.works[0].abstract is not None
    assert answer.works[0].abstract.startswith("Most Difference-in-Difference (DD) papers rely on many years of data")


async def test_recorded_references_of_semantic_scholar(recorded: Path) -> None:
    """Fifty references become links from the work; the recording has no citations, which is told."""
    played = recording(recorded / "tests/data/test_get_paper_references.yaml", S2)
    citations = Asked("record", frozenset({"10.2139/ssrn.2250500/citations"}))
    played.answers.append((citations, FetchResult("", FetchOutcome.NOT_FOUND, status_code=404)))
    work = Work("doi:10.2139/ssrn.2250500", "The work", identifiers=(Identifier("doi", "10.2139/ssrn.2250500"),))

    answer = await SemanticScholar(played, SystemClock(), NoCooldown()).links(work, 50)

    assert len(answer.links) == 50
    assert {link.citing for link in answer.links} == {work}
    assert answer.links[0].cited.title == (
        "Group lending or individual lending? Evidence from a randomised field experiment in Mongolia"
    )


@pytest.mark.parametrize(
    ("cassette", "query"),
    [
        ("tests/data/test_empty_paginated_results.yaml", "n0 r3sult s3arch t3rm"),
        ("paperqa/test_bad_dois.yaml", "abs12032jsdafn"),
        ("paperqa/test_s2_title_search_empty_data.yaml", "empty results edge case query"),
    ],
    ids=["no hits", "404", "no data"],
)
async def test_recorded_searches_of_semantic_scholar_without_hits(recorded: Path, cassette: str, query: str) -> None:
    """Nothing found is empty, in whichever of its ways the API says so."""
    answer = await s2(recorded / cassette).search(query, 10)

    assert (answer.outcome, answer.works) == (SearchOutcome.EMPTY, ())


@pytest.mark.parametrize(
    ("cassette", "outcome"),
    [
        ("tests/data/test_not_found.yaml", SearchOutcome.EMPTY),
        ("tests/data/test_bad_query_parameters.yaml", SearchOutcome.FAILED),
    ],
    ids=["not found", "bad request"],
)
async def test_recorded_errors_of_semantic_scholar(recorded: Path, cassette: str, outcome: SearchOutcome) -> None:
    """A 404 is empty, a refused request is failed; recorded for single records, the words are the same for searches."""
    played = recording(recorded / cassette, S2).as_if_asked(search_for("turing"))

    answer = await SemanticScholar(played, SystemClock(), NoCooldown()).search("turing", 10)

    assert (answer.outcome, answer.works) == (outcome, ())


async def test_a_recorded_search_of_openalex(recorded: Path) -> None:
    """Inverted abstracts are put in order; an arXiv record is known by its arXiv id."""
    path = recorded / "paperqa/test_title_search[paper_attributes2].yaml"

    answer = await OpenAlex(recording(path, OPENALEX), SystemClock(), NoCooldown()).search(CHEMISTRY, 10)

    assert [(work.id, work.year, work.venue) for work in answer.works] == [
        ("doi:10.1038/s42256-024-00832-8", 2024, "Nature Machine Intelligence"),
        ("arxiv:2304.05376", 2023, "arXiv (Cornell University)"),
    ]
    assert answer.works[1].abstract is not None
    assert answer.works[1].abstract.startswith("Over the last decades, excellent computational chemistry tools")


async def test_a_recorded_404_of_openalex(recorded: Path) -> None:
    """OpenAlex answers an unknown DOI with HTML and 404: unknown, not broken."""
    path = recorded / "paperqa/test_does_openalex_work[not-in-openalex].yaml"
    doi = "10.1046/j.1365-2699.2003.00795"
    work = Work(f"doi:{doi}", "t", identifiers=(Identifier("doi", doi),))

    answer = await OpenAlex(recording(path, OPENALEX), SystemClock(), NoCooldown()).links(work, 20)

    assert (answer.outcome, answer.reason) == (SearchOutcome.EMPTY, "The API does not know it (404).")


async def test_a_recorded_work_of_openalex(recorded: Path) -> None:
    """A whole live record: 2018, PeerJ, DOI and PMID, nine authors, an abstract of its own words."""
    record = json.loads((recorded / "openalex/work.json").read_text(encoding="utf-8"))
    body = json.dumps({"results": [record]}).encode()
    result = FetchResult("", FetchOutcome.OK, status_code=200, body=body)
    api = OpenAlex(Recording([(search_for("state of OA"), result)]), SystemClock(), NoCooldown())

    (work,) = (await api.search("state of OA", 1)).works

    assert (work.id, work.year, work.published, work.venue) == ("doi:10.7717/peerj.4375", 2018, "2018-02-13", "PeerJ")
    assert work.identifiers == (Identifier("doi", "10.7717/peerj.4375"), Identifier("pmid", "29456894"))
    assert (work.authors[0], len(work.authors), work.is_retracted) == ("Heather Piwowar", 9, False)
    assert work.abstract is not None
    assert work.abstract.startswith("Despite growing interest in Open Access (OA) to scholarly literature")


async def test_records_of_both_apis_meet_in_one_work(recorded: Path) -> None:
    """The same article and its preprint, from both APIs: three records, one work under the article's DOI."""
    path = recorded / "paperqa/test_title_search[paper_attributes2].yaml"
    first = await SemanticScholar(recording(path, S2), SystemClock(), NoCooldown()).search(CHEMISTRY, 10)
    second = await OpenAlex(recording(path, OPENALEX), SystemClock(), NoCooldown()).search(CHEMISTRY, 10)

    merged = merge((*first.works, *second.works))

    assert [(work.id, work.source_api) for work in merged] == [
        ("doi:10.1038/s42256-024-00832-8", "openalex+semantic_scholar")
    ]
    assert [found.kind for found in merged[0].identifiers] == ["doi", "pmid", "arxiv"]


async def test_a_recording_answers_nothing_but_what_was_asked(recorded: Path) -> None:
    """Other words than the recorded ones get no answer, so that a client that asks wrongly is noticed."""
    with pytest.raises(AssertionError, match=r"no answer was recorded to .*query=hopper"):
        await s2(recorded / "tests/data/test_search_paper.yaml").search("hopper", 100)
