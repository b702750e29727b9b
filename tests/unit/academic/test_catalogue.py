"""All academic APIs as one."""

from collections.abc import Sequence

import numpy as np
import pytest

from lyra.academic.catalogue import (
    Catalogue,
    ScoredLink,
    is_academic_query,
    keep_best,
    linked_papers,
    rank_by_relevance,
    rank_by_similarity,
)
from lyra.model.page import Identifier
from lyra.model.search import SearchOutcome
from lyra.model.work import AcademicAnswer, CitationLink, Work
from lyra.settings.apis import Academic


def work(number: int, api: str, **more: object) -> Work:
    identifier = Identifier("doi", f"10.1/{number}")
    return Work(f"doi:10.1/{number}", f"Work {number}", identifiers=(identifier,), source_api=api, **more)  # type: ignore[arg-type]


class Shelf:
    """An API that answers with what it was given."""

    def __init__(
        self, name: str, *works: Work, links: tuple[CitationLink, ...] = (), outcome: SearchOutcome | None = None
    ) -> None:
        self.name = name
        self.asked: list[object] = []
        found = outcome or (SearchOutcome.RESULTS if works or links else SearchOutcome.EMPTY)
        self._answer = AcademicAnswer(name, found, works, links)

    async def search(self, query: str, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        self.asked.append((query, limit, cause_id))
        return self._answer

    async def by_identifiers(self, identifiers: Sequence[Identifier], *, cause_id: str | None = None) -> AcademicAnswer:
        self.asked.append(tuple(identifiers))
        return self._answer

    async def links(self, work: Work, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        self.asked.append((work.id, limit, cause_id))
        return self._answer


async def test_a_search_merges_both_apis_in_turn() -> None:
    """No API's order wins: first of one, first of the other; a work both know is one with what both say."""
    s2 = Shelf("s2", work(1, "s2"), work(2, "s2", abstract="long abstract"))
    openalex = Shelf("oa", work(3, "oa"), work(2, "oa", abstract="short"))

    answer = await Catalogue((s2, openalex), Academic()).search("gliptins", cause_id="s_1")

    assert [found.id for found in answer.works] == ["doi:10.1/1", "doi:10.1/3", "doi:10.1/2"]
    assert (answer.works[2].abstract, answer.works[2].source_api) == ("long abstract", "oa+s2")
    assert s2.asked == [("gliptins", 10, "s_1")]


async def test_one_api_that_refuses_takes_only_its_share() -> None:
    """The other's works are there, and the refusal is told."""
    answer = await Catalogue(
        (Shelf("s2", outcome=SearchOutcome.BLOCKED), Shelf("oa", work(3, "oa"))), Academic()
    ).search("q")

    assert [found.id for found in answer.works] == ["doi:10.1/3"]
    assert [one.outcome for one in answer.answers] == [SearchOutcome.BLOCKED, SearchOutcome.RESULTS]


async def test_identifiers_are_completed_once_each() -> None:
    """The same DOI met in five results is asked for once."""
    shelf = Shelf("s2", work(1, "s2"))
    wanted = Identifier("doi", "10.1/1")

    answer = await Catalogue((shelf,), Academic()).look_up([wanted, wanted])

    assert shelf.asked == [(wanted,)]
    assert [found.id for found in answer.works] == ["doi:10.1/1"]


async def test_no_identifier_asks_nobody() -> None:
    """A page without identifiers costs no request."""
    shelf = Shelf("s2")

    answer = await Catalogue((shelf,), Academic()).look_up([])

    assert (answer.works, shelf.asked) == ((), [])


async def test_a_pair_that_both_apis_know_is_one_link() -> None:
    """Influence said by one holds; a work that cites itself through a duplicate record is no link."""
    source = work(0, "s2")
    s2 = Shelf(
        "s2", links=(CitationLink(source, work(1, "s2"), True, "s2"), CitationLink(work(2, "s2"), source, False, "s2"))
    )
    openalex = Shelf(
        "oa",
        links=(CitationLink(source, work(1, "oa"), False, "oa"), CitationLink(source, work(0, "oa"), False, "oa")),
    )

    answer = await Catalogue((s2, openalex), Academic()).citations(source, cause_id="s_1")

    assert [(link.citing.id, link.cited.id, link.is_influential, link.source_api) for link in answer.links] == [
        ("doi:10.1/0", "doi:10.1/1", True, "oa+s2"),
        ("doi:10.1/2", "doi:10.1/0", False, "s2"),
    ]
    assert s2.asked == [("doi:10.1/0", 20, "s_1")]


SOURCE = Work("doi:10.1/0", "Source", abstract="a")


def other(number: int, abstract: str | None = "text") -> Work:
    return Work(f"doi:10.1/{number}", f"Paper {number}", abstract=abstract)


def scored(number: int, score: float, citing: Work = SOURCE) -> ScoredLink:
    return ScoredLink(CitationLink(citing, other(number)), other(number), score)


def test_papers_without_an_abstract_are_skipped() -> None:
    """There is nothing to judge them by; the paper on the other side is taken from either direction."""
    links = (
        CitationLink(SOURCE, other(1)),
        CitationLink(other(2), SOURCE),
        CitationLink(SOURCE, other(3, None)),
    )

    assert linked_papers(SOURCE, links) == ((links[0], other(1)), (links[1], other(2)))


def test_stage_one_weighs_influence_and_likeness_alike() -> None:
    """0.5·influential + 0.5·cosine: an influential stranger ties with an identical twin."""
    pairs = [
        (CitationLink(SOURCE, other(1), is_influential=True), other(1)),
        (CitationLink(SOURCE, other(2)), other(2)),
        (CitationLink(SOURCE, other(3)), other(3)),
    ]
    vectors = np.array([[0.0, 2.0], [3.0, 0.0], [1.0, 1.0]], dtype=np.float32)

    ranked = rank_by_similarity(pairs, np.array([1.0, 0.0], dtype=np.float32), vectors)

    assert [(one.other.id, one.score) for one in ranked] == [
        ("doi:10.1/1", 0.5),
        ("doi:10.1/2", 0.5),
        ("doi:10.1/3", pytest.approx(0.35355, abs=1e-4)),
    ]


def test_stage_one_keeps_thirty() -> None:
    """Thirty go on to the second stage."""
    pairs = [(CitationLink(SOURCE, other(number)), other(number)) for number in range(40)]

    ranked = rank_by_similarity(pairs, np.ones(4, dtype=np.float32), np.ones((40, 4), dtype=np.float32))

    assert len(ranked) == 30


def test_a_vector_of_zeros_is_like_nothing() -> None:
    """A text the embedder could not read must not divide by zero."""
    pairs = [(CitationLink(SOURCE, other(1)), other(1))]

    ranked = rank_by_similarity(pairs, np.ones(2, dtype=np.float32), np.zeros((1, 2), dtype=np.float32))

    assert ranked[0].score == 0.0


def test_ten_of_a_paper_are_kept() -> None:
    """A paper with many good neighbours does not crowd out the others."""
    by_paper = [[scored(n, 1 - n / 100) for n in range(12)], [scored(100, 0.1), scored(101, 0.05)]]

    kept = keep_best(by_paper)

    assert [one.other.id for one in kept] == [f"doi:10.1/{n}" for n in (*range(10), 100, 101)]


def test_the_best_forty_of_a_search_are_kept() -> None:
    """Five papers with ten each: the forty best of all stay, best first."""
    by_paper = [[scored(100 * paper + n, 1 - n / 100 - paper / 1000) for n in range(10)] for paper in range(5)]

    kept = keep_best(by_paper)

    assert [one.other.id for one in kept] == [f"doi:10.1/{100 * paper + n}" for n in range(8) for paper in range(5)]


def test_a_paper_reached_twice_takes_one_place_and_keeps_both_links() -> None:
    """Two papers that cite the same work give two CITES edges and one page."""
    second = Work("doi:10.1/99", "Second", abstract="b")

    kept = keep_best([[scored(1, 0.9)], [scored(1, 0.8, second), scored(2, 0.7, second)]], per_search=1)

    assert [(one.link.citing.id, one.other.id) for one in kept] == [
        ("doi:10.1/0", "doi:10.1/1"),
        ("doi:10.1/99", "doi:10.1/1"),
    ]


def test_nothing_related_keeps_nothing() -> None:
    """A paper without links is ordinary."""
    assert rank_by_similarity([], np.ones(2, dtype=np.float32), np.zeros((0, 2), dtype=np.float32)) == ()
    assert keep_best([]) == ()


def test_stage_two_weighs_relevance_stage_one_and_influence() -> None:
    """0.5·relevance + 0.3·stage 1 + 0.2·influential, best first; an unknown relevance counts a half."""
    influential = ScoredLink(CitationLink(SOURCE, other(3), is_influential=True), other(3), 0.9)

    judged = rank_by_relevance([scored(1, 0.8), scored(2, 0.2), influential], [0.0, 1.0, None])

    assert [(one.other.id, one.score) for one in judged] == [
        ("doi:10.1/3", pytest.approx(0.72)),
        ("doi:10.1/2", pytest.approx(0.56)),
        ("doi:10.1/1", pytest.approx(0.24)),
    ]


@pytest.mark.parametrize(
    "query",
    [
        "efficacy and safety of DPP-4 inhibitors",
        "saxagliptin heart failure hospitalisation",
        "meta-analysis of statins and dementia",
        "association between vitamin D and fractures",
        "site:arxiv.org diffusion models",
        "10.1056/NEJMoa1307684 criticism",
        "DPP-4阻害薬 類天疱瘡",
        "糖尿病の治療",
        "量子コンピュータ 論文",
        "マスクの有効性",
    ],
)
def test_scholarly_questions_are_academic(query: str) -> None:
    """Study designs, drugs, identifiers and scholarly sites, in English and Japanese."""
    assert is_academic_query(query) is True


@pytest.mark.parametrize(
    "query",
    [
        "best pizza in Tokyo",
        "Toyota annual report 2025",
        "iPhone 17 price",
        "東京 ランチ おすすめ",
        "選挙 結果 2026",
        "",
        "🩺",
    ],
)
def test_everyday_questions_are_not(query: str) -> None:
    """They would only spend the APIs' patience."""
    assert is_academic_query(query) is False
