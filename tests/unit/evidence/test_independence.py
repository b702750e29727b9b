"""One vote for one text, one for one independent source: copies must not look like corroboration."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lyra.evidence.independence import (
    UnionFind,
    one_vote_per_source,
    one_vote_per_text,
    source_key,
    supporting_sources,
)
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.trust import TrustLevel

_count = itertools.count()


def row(
    domain: str = "harborcourier.com",
    relation: Relation = Relation.SUPPORTS,
    score: float | None = 0.9,
    *,
    page: str = "",
    work: str | None = None,
    text: str = "",
) -> EvidenceRow:
    name = f"f_{next(_count)}"
    return EvidenceRow("c_1", name, page or f"p_{name}", domain, relation, score, TrustLevel.LOW, work, False, text)


def test_a_work_is_its_own_source_whatever_its_address() -> None:
    """Two papers on PubMed are two sources (SPEC §13); behind one resolver they used to count as one."""
    first = row("nih.gov", work="doi:10.5555/cmt.2013.0417")
    second = row("nih.gov", work="doi:10.5555/cmt.2015.0263")

    assert supporting_sources([first, second]) == {
        "work:doi:10.5555/cmt.2013.0417",
        "work:doi:10.5555/cmt.2015.0263",
    }


def test_one_work_on_two_sites_is_one_source() -> None:
    """The journal's page and PubMed's page of one paper are the same witness."""
    journal = row("jmetd.org", work="doi:10.5555/jmetd.2018.1102")
    pubmed = row("nih.gov", work="doi:10.5555/jmetd.2018.1102")

    assert supporting_sources([journal, pubmed]) == {"work:doi:10.5555/jmetd.2018.1102"}


def test_two_pages_of_one_newspaper_are_one_source() -> None:
    """The publisher is the source, by registrable domain."""
    assert supporting_sources([row("minato-shimbun.jp"), row("minato-shimbun.jp")]) == {"domain:minato-shimbun.jp"}


def test_syndicated_copies_are_one_source() -> None:
    """Four newspapers that print one wire story are one voice."""
    copies = [row(domain, text="f_wire") for domain in ("globewire.com", "harborcourier.com", "meridian.com", "x.com")]

    assert supporting_sources(copies) == {"domain:globewire.com"}


def test_a_copied_text_that_takes_no_stance_joins_nobody() -> None:
    """A shared disclaimer, neutral to the claim, does not make two newspapers one."""
    rows = [
        row("a.example", Relation.NEUTRAL, text="f_shared"),
        row("b.example", Relation.NEUTRAL, text="f_shared"),
        row("a.example"),
        row("b.example"),
    ]

    assert supporting_sources(rows) == {"domain:a.example", "domain:b.example"}


def test_joined_pages_are_one_source() -> None:
    """Narrative clusters, near-duplicate pages and citation loops arrive as groups of pages."""
    rows = [row("a.example", page="p_a"), row("b.example", page="p_b"), row("c.example", page="p_c")]

    found = supporting_sources(rows, [{"p_a", "p_c", "p_unknown"}])

    assert found == {"domain:a.example", "domain:b.example"}


def test_refuting_sources_do_not_count_as_supporters() -> None:
    """`independent_sources` is the number of sources that back the claim (EV, terms)."""
    rows = [row("a.example"), row("b.example", Relation.REFUTES), row("c.example", Relation.NEUTRAL)]

    assert supporting_sources(rows) == {"domain:a.example"}


def test_each_distinct_text_votes_once_with_its_strongest_edge() -> None:
    """SPEC §1 decision 5: near-duplicate fragments across sites are one vote."""
    weak, strong = row("a.example", score=0.7, text="f_wire"), row("b.example", score=0.95, text="f_wire")
    other = row("c.example", score=0.8)

    assert one_vote_per_text([weak, strong, other]) == [strong, other]


def test_a_stance_is_stronger_than_neutrality() -> None:
    """A copy whose shortened text says nothing must not silence the copy that does."""
    silent, speaking = (
        row("a.example", Relation.NEUTRAL, 0.99, text="f_wire"),
        row("b.example", Relation.SUPPORTS, 0.6, text="f_wire"),
    )

    assert one_vote_per_text([silent, speaking]) == [speaking]


def test_on_equal_strength_the_doubt_is_kept() -> None:
    """A tie is decided the same way in every order, and for caution."""
    supporting = row("a.example", Relation.SUPPORTS, 0.8, text="f_wire")
    refuting = row("b.example", Relation.REFUTES, 0.8, text="f_wire")

    assert one_vote_per_text([supporting, refuting]) == one_vote_per_text([refuting, supporting]) == [refuting]


def test_each_source_votes_once_for_each_relation() -> None:
    """A newspaper that reports both sides votes once for each, with the strongest edge of each."""
    weak, strong = row("a.example", score=0.6), row("a.example", score=0.9)
    against = row("a.example", Relation.REFUTES, 0.8)

    assert one_vote_per_source([weak, strong, against]) == [strong, against]


def test_citations_cast_no_vote() -> None:
    """A CITES row that strays in is no stance."""
    stray = row("a.example", Relation.CITES)

    assert (one_vote_per_text([stray]), one_vote_per_source([stray])) == ([], [])


@pytest.mark.parametrize(
    ("work", "expected"), [("doi:10.1/x", "work:doi:10.1/x"), (None, "domain:a.example"), ("", "domain:a.example")]
)
def test_source_key(work: str | None, expected: str) -> None:
    """The canonical work first, the publisher otherwise."""
    assert source_key(row("a.example", work=work)) == expected


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=20))
def test_groups_do_not_depend_on_the_order_of_joining(pairs: list[tuple[str, str]]) -> None:
    """Pages arrive in any order; the representative of a group must be the same."""
    forward, backward = UnionFind(), UnionFind()

    for pair in pairs:
        forward.join(pair)
    for pair in reversed(pairs):
        backward.join(pair)

    assert [forward.find(name) for name in "abcdefgh"] == [backward.find(name) for name in "abcdefgh"]


def test_a_stance_without_a_score_counts_half() -> None:
    """SPEC §1 decision 3: of one text the scored edge above 0.5 is the stronger, the one below it the weaker."""
    unscored, above, below = row(score=None, text="t"), row(score=0.51, text="t"), row(score=0.49, text="t")

    assert one_vote_per_text([unscored, above]) == [above]
    assert one_vote_per_text([unscored, below]) == [unscored]
