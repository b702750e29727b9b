"""Which cited and citing papers are kept (SPEC §3.5)."""

import numpy as np
import pytest

from lyra.academic.catalogue import ScoredLink, keep_best, linked_papers, rank_by_relevance, rank_by_similarity
from lyra.model.work import CitationLink, Work

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
