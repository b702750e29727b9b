"""Semantic Scholar: how it is asked, and what its records become."""

import json

import pytest

from lyra.academic.semantic_scholar import SemanticScholar
from lyra.model.page import FetchOutcome, Identifier
from lyra.model.search import SearchOutcome
from lyra.model.work import CitationLink, Work
from tests.api_fakes import MemoryCooldown, NoWait, Played

FIELDS = "title%2Cabstract%2Cauthors%2Cyear%2CpublicationDate%2Cvenue%2CexternalIds%2Curl%2CcitationCount"
PAPER = {
    "paperId": "a" * 40,
    "externalIds": {"DOI": "10.1056/NEJMoa1307684", "PubMed": "23992601", "MAG": "1", "CorpusId": 5},
    "url": "https://www.semanticscholar.org/paper/" + "a" * 40,
    "title": "Saxagliptin and cardiovascular outcomes",
    "abstract": "BACKGROUND: The cardiovascular safety is unknown.",
    "venue": "The New England Journal of Medicine",
    "year": 2013,
    "citationCount": 3000,
    "publicationDate": "2013-10-02",
    "authors": [{"authorId": "1", "name": "B. Scirica"}, {"authorId": None, "name": None}, None],
}
SAVOR = Work(
    id="doi:10.1056/nejmoa1307684",
    title="Saxagliptin and cardiovascular outcomes",
    abstract="BACKGROUND: The cardiovascular safety is unknown.",
    authors=("B. Scirica",),
    year=2013,
    published="2013-10-02",
    venue="The New England Journal of Medicine",
    identifiers=(Identifier("doi", "10.1056/nejmoa1307684"), Identifier("pmid", "23992601")),
    url="https://www.semanticscholar.org/paper/" + "a" * 40,
    citation_count=3000,
    source_api="semantic_scholar",
)
BARE = {
    "paperId": "b" * 40,
    "title": "A paper without anything",
    "abstract": None,
    "authors": None,
    "externalIds": None,
}


@pytest.fixture
def api(played: Played, clock: NoWait) -> SemanticScholar:
    return SemanticScholar(played, clock, MemoryCooldown(clock), "secret-key")


async def test_a_search_gives_works(api: SemanticScholar, played: Played) -> None:
    """Every field that a work has is taken over; the key is a header, never part of the address."""
    played.json({"total": 2, "offset": 0, "data": [PAPER, None, {"paperId": "c", "title": None}]})

    answer = await api.search("saxagliptin 心不全", 10, cause_id="s_1")

    assert (answer.outcome, answer.works) == (SearchOutcome.RESULTS, (SAVOR,))
    assert played.asked[0].url == (
        "https://api.semanticscholar.org/graph/v1/paper/search?query=saxagliptin+%E5%BF%83%E4%B8%8D%E5%85%A8"
        f"&limit=10&fields={FIELDS}"
    )
    assert ("x-api-key", "secret-key") in played.asked[0].headers


async def test_hyphens_are_asked_as_spaces(api: SemanticScholar, played: Played) -> None:
    """The API's documentation: a hyphenated term matches nothing. DPP-4 would find no paper at all."""
    played.json({"total": 0, "data": []})

    await api.search("DPP-4 inhibitors COVID\u201119", 10)

    assert played.asked[0].url == (
        f"https://api.semanticscholar.org/graph/v1/paper/search?query=DPP+4+inhibitors+COVID+19&limit=10&fields={FIELDS}"
    )


async def test_nulls_are_not_invented_over(api: SemanticScholar, played: Played) -> None:
    """A record of nulls keeps its title and its page at the API, and nothing more."""
    played.json({"total": 1, "data": [BARE]})

    (work,) = (await api.search("q", 10)).works

    assert (work.abstract, work.authors, work.year, work.published, work.identifiers) == (None, (), None, None, ())
    assert work.url == "https://www.semanticscholar.org/paper/" + "b" * 40
    assert work.id.startswith("title_")


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ({"total": 0, "offset": 0}, SearchOutcome.EMPTY),
        ({"total": 3, "data": "?"}, SearchOutcome.FAILED),
        ({"message": "Endpoint moved"}, SearchOutcome.FAILED),
        ("text", SearchOutcome.FAILED),
        (None, SearchOutcome.EMPTY),
    ],
    ids=["no-hits", "data-is-text", "another-object", "a-text", "null"],
)
async def test_odd_answers_have_an_outcome(
    api: SemanticScholar, played: Played, value: object, outcome: SearchOutcome
) -> None:
    """No hits is empty; an answer of another shape is failed."""
    played.json(value)

    assert (await api.search("q", 10)).outcome is outcome


async def test_identifiers_are_asked_in_batches_of_500(api: SemanticScholar, played: Played) -> None:
    """One request for up to 500 papers; unknown ones come back as null."""
    played.json([None, PAPER])
    identifiers = [Identifier("doi", "10.1/x"), Identifier("pmid", "23992601"), Identifier("arxiv", "2101.00001")]
    identifiers += [Identifier("pmid", str(number)) for number in range(1, 499)]

    answer = await api.by_identifiers(identifiers)

    sent = [json.loads(request.body or b"")["ids"] for request in played.asked]
    assert [len(ids) for ids in sent] == [500, 1]
    assert sent[0][:3] == ["DOI:10.1/x", "PMID:23992601", "ARXIV:2101.00001"]
    assert played.asked[0].method == "POST"
    assert answer.works == (SAVOR, SAVOR)


async def test_links_run_both_ways_with_influence(api: SemanticScholar, played: Played) -> None:
    """References run from the work, citations to it; the API's flag of influence is kept."""
    played.json({"data": [{"isInfluential": True, "citedPaper": PAPER}, {"citedPaper": {"title": None}}]})
    played.json({"data": [{"isInfluential": False, "citingPaper": BARE}]})
    work = Work("pmid:1", "The work", identifiers=(Identifier("pmid", "1"),))

    answer = await api.links(work, 20)

    assert [link.is_influential for link in answer.links] == [True, False]
    assert answer.links[0] == CitationLink(work, SAVOR, True, "semantic_scholar")
    assert (answer.links[1].citing.title, answer.links[1].cited) == ("A paper without anything", work)
    assert [request.url.partition("?")[0] for request in played.asked] == [
        "https://api.semanticscholar.org/graph/v1/paper/PMID:1/references",
        "https://api.semanticscholar.org/graph/v1/paper/PMID:1/citations",
    ]


async def test_one_side_that_fails_leaves_the_other(api: SemanticScholar, played: Played) -> None:
    """Half an answer is an answer, and its reason says what is missing."""
    played.gives(FetchOutcome.TIMED_OUT, reason="took too long")
    played.json({"data": [{"citingPaper": PAPER}]})

    answer = await api.links(SAVOR, 20)

    asked = [request.url.partition("?")[0].rpartition("/")[2] for request in played.asked]
    assert asked == ["references", "citations"]
    assert [link.cited for link in answer.links] == [SAVOR]
    assert (answer.outcome, answer.reason) == (SearchOutcome.RESULTS, "The API did not answer (took too long).")


async def test_a_work_nobody_can_name_asks_nothing(api: SemanticScholar, played: Played) -> None:
    """Without an identifier or a page at this API there is nothing to ask for."""
    answer = await api.links(Work("title_1", "Unnamed"), 20)

    assert (answer.outcome, played.asked) == (SearchOutcome.EMPTY, [])


async def test_a_title_says_that_a_paper_was_retracted(api: SemanticScholar, played: Played) -> None:
    """The API has no flag of its own; publishers put the word before the title."""
    played.json({"total": 1, "data": [{"title": "RETRACTED: Sitagliptin and survival in type 2 diabetes"}]})

    answer = await api.search("sitagliptin survival", 10)

    assert [work.is_retracted for work in answer.works] == [True]


async def test_an_endless_list_is_cut(api: SemanticScholar, played: Played) -> None:
    """An API that sends more than was asked for does not fill the search with it."""
    played.json({"total": 9_999, "data": [{"title": f"Paper number {n} of very many"} for n in range(9_999)]})

    answer = await api.search("sitagliptin", 10)

    assert len(answer.works) == 10


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"data": None}, SearchOutcome.EMPTY, id="kept-by-the-publisher"),
        pytest.param({"data": []}, SearchOutcome.EMPTY, id="none"),
        pytest.param({"data": {"0": 1}}, SearchOutcome.FAILED, id="no-list"),
        pytest.param({"error": "Internal error"}, SearchOutcome.FAILED, id="an-error-called-success"),
    ],
)
async def test_only_a_list_says_that_there_are_no_links(
    api: SemanticScholar, played: Played, value: object, expected: SearchOutcome
) -> None:
    """An answer that cannot be read is a failure; "nothing cites it" would be a statement about the paper."""
    played.json(value)

    answer = await api.links(SAVOR, 20)

    assert answer.outcome is expected
