"""OpenAlex: how it is asked, and what its records become."""

import pytest

from lyra.academic.openalex import OpenAlex
from lyra.model.page import Identifier
from lyra.model.search import SearchOutcome
from lyra.model.work import CitationLink, Work
from tests.api_fakes import MemoryCooldown, NoWait, Played

SELECT = (
    "&select=id,doi,ids,title,display_name,publication_year,publication_date,authorships,primary_location,"
    "locations,abstract_inverted_index,cited_by_count,is_retracted&mailto=a%40b.example"
)
RECORD = {
    "id": "https://openalex.org/W2100000001",
    "doi": "https://doi.org/10.1056/NEJMoa1307684",
    "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/23992601"},
    "title": "Saxagliptin and <i>Cardiovascular</i> Outcomes",
    "publication_year": 2013,
    "publication_date": "2013-09-03",
    "authorships": [{"author": {"display_name": "Benjamin M. Scirica"}}, {"author": None}],
    "primary_location": {"source": {"display_name": "New England Journal of Medicine"}},
    "locations": [{"landing_page_url": "https://arxiv.org/abs/1309.00001v2"}, {"landing_page_url": None}],
    "abstract_inverted_index": {"safety": [1], "The": [0]},
    "cited_by_count": 3500,
    "is_retracted": True,
}
SAVOR = Work(
    id="doi:10.1056/nejmoa1307684",
    title="Saxagliptin and Cardiovascular Outcomes",
    abstract="The safety",
    authors=("Benjamin M. Scirica",),
    year=2013,
    published="2013-09-03",
    venue="New England Journal of Medicine",
    identifiers=(
        Identifier("doi", "10.1056/nejmoa1307684"),
        Identifier("pmid", "23992601"),
        Identifier("arxiv", "1309.00001"),
    ),
    url="https://openalex.org/W2100000001",
    citation_count=3500,
    is_retracted=True,
    source_api="openalex",
    retracted_by="openalex",
)


@pytest.fixture
def api(played: Played, clock: NoWait) -> OpenAlex:
    return OpenAlex(played, clock, MemoryCooldown(clock), key="secret-key", contact_email="a@b.example")


async def test_a_search_gives_works(api: OpenAlex, played: Played) -> None:
    """Abstracts are put in order, retractions seen; the key stays out of the address."""
    played.json({"meta": {"count": 1}, "results": [RECORD, {"id": "https://openalex.org/W2", "title": None}]})

    answer = await api.search('"saxagliptin", outcomes: (trial)', 10)

    assert (answer.outcome, answer.works) == (SearchOutcome.RESULTS, (SAVOR,))
    assert (
        played.asked[0].url == f"https://api.openalex.org/works?search=saxagliptin+outcomes+trial&per-page=10{SELECT}"
    )
    assert ("authorization", "Bearer secret-key") in played.asked[0].headers


async def test_capital_words_are_no_operators(api: OpenAlex, played: Played) -> None:
    """`NOT` in capitals would exclude what follows it; the client only stressed a word."""
    played.json({"meta": {"count": 0}, "results": []})

    await api.search("saxagliptin does NOT cause pancreatitis OR cancer", 10)

    assert played.asked[0].url == (
        f"https://api.openalex.org/works?search=saxagliptin+does+not+cause+pancreatitis+or+cancer&per-page=10{SELECT}"
    )


async def test_identifiers_are_asked_by_filter(api: OpenAlex, played: Played) -> None:
    """One request for each kind; arXiv ids go by their DOIs, and a DOI that would break the filter is left out."""
    played.json({"results": [RECORD]})
    played.json({"results": []})
    wanted = [
        Identifier("doi", "10.1056/nejmoa1307684"),
        Identifier("arxiv", "2101.00001"),
        Identifier("doi", "10.1/a,b"),
        Identifier("pmid", "23992601"),
    ]

    answer = await api.by_identifiers(wanted)

    assert answer.works == (SAVOR,)
    assert [request.url for request in played.asked] == [
        "https://api.openalex.org/works?filter=doi:10.1056%2Fnejmoa1307684|10.48550%2Farxiv.2101.00001&per-page=50"
        + SELECT,
        "https://api.openalex.org/works?filter=pmid:23992601&per-page=50" + SELECT,
    ]


async def test_links_take_one_record_and_two_lists(api: OpenAlex, played: Played) -> None:
    """The work's own id is asked once; references are cut to the limit before they are asked for."""
    referenced = [f"https://openalex.org/W{number}" for number in range(1, 30)]
    played.json({"id": "https://openalex.org/W77", "referenced_works": [*referenced, None]})
    played.json({"results": [RECORD]})
    played.json({"results": [{"id": "https://openalex.org/W5", "title": "A later trial"}]})
    work = Work("doi:10.2/y", "The work", identifiers=(Identifier("doi", "10.2/y"),))

    answer = await api.links(work, 2)

    assert answer.links[0] == CitationLink(work, SAVOR, False, "openalex")
    assert (answer.links[1].citing.title, answer.links[1].cited) == ("A later trial", work)
    assert [request.url.partition("&select")[0] for request in played.asked] == [
        "https://api.openalex.org/works/doi:10.2/y?select=id%2Creferenced_works&mailto=a%40b.example",
        "https://api.openalex.org/works?filter=openalex:W1|W2&sort=cited_by_count:desc&per-page=2",
        "https://api.openalex.org/works?filter=cites:W77&sort=cited_by_count:desc&per-page=2",
    ]


@pytest.mark.parametrize(
    ("work", "name"),
    [
        (Work("pmid:1", "t", identifiers=(Identifier("pmid", "1"),)), "pmid:1"),
        (
            Work("arxiv:2101.00001", "t", identifiers=(Identifier("arxiv", "2101.00001"),)),
            "doi:10.48550/arxiv.2101.00001",
        ),
        (Work("title_1", "t", url="https://openalex.org/W9"), "W9"),
        (Work("doi:10.1/a?b", "t", identifiers=(Identifier("doi", "10.1/a?b"),)), "doi:10.1/a%3Fb"),
    ],
    ids=["pmid", "arxiv", "own-id", "hostile-doi"],
)
async def test_a_work_is_named_by_what_it_has(api: OpenAlex, played: Played, work: Work, name: str) -> None:
    """Any identifier will do; characters that would change the address are escaped."""
    played.json({"id": None})

    await api.links(work, 2)

    assert played.asked[0].url.partition("?")[0] == f"https://api.openalex.org/works/{name}"


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (b'{"results": []}', SearchOutcome.EMPTY),
        (b'{"error": "x"}', SearchOutcome.FAILED),
        (b"[]", SearchOutcome.FAILED),
        (b"<html>", SearchOutcome.FAILED),
    ],
    ids=["empty", "error-object", "list", "html"],
)
async def test_odd_answers_have_an_outcome(api: OpenAlex, played: Played, body: bytes, outcome: SearchOutcome) -> None:
    """An answer of another shape is failed, never empty."""
    played.raw(body)

    assert (await api.search("q", 10)).outcome is outcome
