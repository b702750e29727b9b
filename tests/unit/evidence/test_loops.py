"""Citation loops: who proves one another by citing one another."""

import pytest

from lyra.evidence.page_groups import citation_loops, self_references


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
