"""Narrative clusters, citation loops and self-reference."""

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest

from lyra.evidence.independence import UnionFind
from lyra.evidence.page_groups import PageText, citation_loops, merge_groups, self_references, stories
from lyra.text import shingles

STORY = "A popular group of diabetes pills does not lead to more hospital stays for heart failure, a study found."
REWRITE = "A popular group of diabetes pills does not lead to more hospital stays, researchers say after a long study."
PARAPHRASE = "Gliptins do not raise admissions for heart failure, according to a cohort of 1.5 million people."


def narrative_clusters(texts: Sequence[PageText], **limits: float) -> list[frozenset[str]]:
    """Pages that stories join, as the graph joins them."""
    return merge_groups(stories(texts, **limits))


def telling(page: str, text: str, *direction: float) -> PageText:
    vector = np.array(direction, np.float32)
    return PageText(f"f_{page}", page, text, vector / np.linalg.norm(vector))


def test_a_rewritten_story_is_one_narrative() -> None:
    """Close in meaning and a good part of the wording taken over."""
    found = narrative_clusters([telling("p_1", STORY, 1, 0.1), telling("p_2", REWRITE, 1, 0)])

    assert found == [frozenset({"p_1", "p_2"})]


def test_two_independent_reports_of_one_study_are_no_narrative() -> None:
    """Close in meaning, but in words of their own."""
    found = narrative_clusters([telling("p_1", STORY, 1, 0.1), telling("p_2", PARAPHRASE, 1, 0)])

    assert found == []


def test_shared_words_with_another_meaning_are_no_narrative() -> None:
    """Standard phrases occur everywhere; the vectors tell the texts apart."""
    found = narrative_clusters([telling("p_1", STORY, 1, 0), telling("p_2", REWRITE, 0.5, 1)])

    assert found == []


def test_a_phrase_that_stands_on_every_site_joins_nobody() -> None:
    """ "Read more" on two newspapers must not make them one source."""
    phrases = ["Read more about diabetes", "関連する記事はこちらをご覧ください"]

    found = narrative_clusters([telling(f"p_{at}", phrase, 1, 0) for phrase in phrases for at in range(3)])

    assert found == []


def test_clusters_grow_from_page_to_page() -> None:
    """What is joined by a chain of retellings is one narrative; a page alone is none."""
    tellings = [
        telling("p_1", STORY, 1, 0),
        telling("p_3", STORY, 1, 0),
        telling("p_2", REWRITE, 1, 0.1),
        telling("p_4", PARAPHRASE, 0, 1),
    ]

    assert narrative_clusters(tellings) == [frozenset({"p_1", "p_2", "p_3"})]


def test_few_texts_make_no_cluster() -> None:
    """None and one are valid inputs."""
    assert (narrative_clusters([]), narrative_clusters([telling("p_1", STORY, 1, 0)])) == ([], [])


def test_posting_lists_find_what_comparing_all_finds() -> None:
    """Random texts over few phrases, so that many share some n-grams and few share enough."""
    chance = random.Random(5)
    words = [f"word{number}" for number in range(12)]
    phrases = [" ".join(chance.sample(words, 6)) for _ in range(40)]
    tellings = [
        telling(f"p_{at % 60:02}", " ".join(chance.sample(phrases, 2 + at % 7)), 1, chance.uniform(0, 1.2))
        for at in range(120)
    ]

    found = narrative_clusters(tellings, similar_from=0.99, shared_from=0.4)

    assert found == compared_all(tellings, similar_from=0.99, shared_from=0.4)
    assert sorted(map(len, found)) == [2, 2, 3, 5]


def compared_all(tellings: list[PageText], *, similar_from: float, shared_from: float) -> list[frozenset[str]]:
    groups = UnionFind()
    for one, other in itertools.combinations(tellings, 2):
        first, second = shingles(one.text), shingles(other.text)
        is_shared = len(first & second) >= shared_from * min(len(first), len(second)) > 0
        if is_shared and float(one.vector @ other.vector) >= similar_from:
            groups.join((one.page_id, other.page_id))
    members: dict[str, set[str]] = {}
    for page_id in sorted({one.page_id for one in tellings}):
        members.setdefault(groups.find(page_id), set()).add(page_id)
    return [frozenset(pages) for _, pages in sorted(members.items()) if len(pages) > 1]


@pytest.mark.parametrize(
    ("shared", "found"), [(6, [frozenset({"p_1", "p_2"})]), (5, [])], ids=["two of ten 5-grams", "one of ten"]
)
def test_a_fifth_of_the_wording_makes_a_retelling(shared: int, found: list[frozenset[str]]) -> None:
    """SPEC §13: fourteen words have ten 5-grams, six words in a row two of them."""
    one = [f"a{at}" for at in range(14)]
    other = one[:shared] + [f"b{at}" for at in range(14 - shared)]

    clusters = narrative_clusters([telling("p_1", " ".join(one), 1, 0), telling("p_2", " ".join(other), 1, 0)])

    assert clusters == found


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        pytest.param([], [], id="nothing cites nothing"),
        pytest.param([("a", "b"), ("b", "c")], [], id="a chain is no loop"),
        pytest.param([("a", "a")], [], id="citing oneself is no loop of sources"),
        pytest.param([("a", "b"), ("b", "a")], [{"a", "b"}], id="a round trip"),
        pytest.param([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], [{"a", "b", "c"}], id="three in a circle"),
        pytest.param([("c", "d"), ("d", "c"), ("a", "b"), ("b", "a")], [{"a", "b"}, {"c", "d"}], id="two loops apart"),
        pytest.param(
            [("a", "x"), ("b", "a"), ("b", "c"), ("c", "b")], [{"b", "c"}], id="a loop that cites what is done with"
        ),
        pytest.param(
            [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")], [{"a", "b", "c"}], id="two round trips over one page"
        ),
    ],
)
def test_loops_are_found(links: list[tuple[str, str]], expected: list[set[str]]) -> None:
    """A cycle of mutual citation is one source (SPEC §13)."""
    assert citation_loops(links) == [frozenset(group) for group in expected]


def test_a_long_chain_exhausts_no_stack() -> None:
    """Twenty thousand papers, each citing the next and the last the first, are one loop, found without recursion."""
    names = [f"p_{number:05d}" for number in range(20_000)]

    found = citation_loops(zip(names, [*names[1:], names[0]], strict=True))

    assert found == [frozenset(names)]


def test_a_page_that_cites_only_its_publisher_refers_to_itself() -> None:
    """One link to somebody else is enough to be no such page; a page without links cites nobody."""
    links = [
        ("p_maker", "maker.com", "https://www.maker.com/product"),
        ("p_maker", "maker.com", "https://blog.maker.com/myth"),
        ("p_fair", "paper.jp", "https://paper.jp/1"),
        ("p_fair", "paper.jp", "https://paper.jp/2"),
        ("p_fair", "paper.jp", "https://other.org/3"),
    ]

    assert self_references(links) == ["p_maker"]
