"""What to review of a claim: a row for each source and relation, and whether another would turn the verdict."""

import pytest

from lyra.evidence.assess import assess
from lyra.evidence.whatif import review_rows
from lyra.model.edge import EvidenceRow, Relation, ReviewRow

YES, NO, SILENT = Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL


def row(domain: str, relation: Relation, score: float | None = 0.9, *, at: int = 0) -> EvidenceRow:
    return EvidenceRow(
        claim_id="c_1",
        fragment_id=f"f_{domain}_{at}",
        page_id=f"p_{domain}_{at}",
        domain=domain,
        relation=relation,
        nli_confidence=score,
        duplicate_key=f"t_{domain}_{at}",
    )


def test_a_lone_support_turns_the_verdict() -> None:
    """0.655 is supported; without it, or against it, the claim is not."""
    found = review_rows("c_1", [row("nimeth.gov", YES)], (), assess)

    assert found == (ReviewRow("c_1", "domain:nimeth.gov", YES, "f_nimeth.gov_0", 1, 0.9, turns_verdict=True),)


def test_one_of_eight_supports_turns_nothing() -> None:
    """Seven against one refutation are 0.787: well supported all the same."""
    rows = [row(f"site{number}.example", YES) for number in range(8)]

    found = review_rows("c_1", rows, (), assess)

    assert [(one.edges, one.turns_verdict) for one in found] == [(1, False)] * 8


def test_a_neutral_text_that_might_support_turns_the_verdict() -> None:
    """Neutral rows are in the queue: a support that was missed is a mistake too."""
    found = review_rows("c_1", [row("blog.example", SILENT, 0.6)], (), assess)

    assert found == (ReviewRow("c_1", "domain:blog.example", SILENT, "f_blog.example_0", 1, 0.6, turns_verdict=True),)


def test_edges_of_a_source_with_one_relation_are_one_row() -> None:
    """The strongest stance is shown, which is the source's vote; of neutral texts the least sure."""
    rows = [
        row("nimeth.gov", YES, 0.7, at=0),
        row("nimeth.gov", YES, 0.9, at=1),
        row("nimeth.gov", NO, 0.6, at=2),
        row("nimeth.gov", SILENT, 0.9, at=3),
        row("nimeth.gov", SILENT, 0.55, at=4),
    ]

    found = review_rows("c_1", rows, (), assess)

    assert [(one.relation, one.fragment_id, one.edges, one.probability) for one in found] == [
        (SILENT, "f_nimeth.gov_4", 2, 0.55),
        (NO, "f_nimeth.gov_2", 1, 0.6),
        (YES, "f_nimeth.gov_1", 2, 0.9),
    ]


def test_the_other_relation_is_that_of_all_the_rows_edges() -> None:
    """Two texts of one publisher: were only one of them wrong, the other would hold the verdict up."""
    rows = [row("nimeth.gov", YES, 0.9, at=0), row("nimeth.gov", YES, 0.9, at=1)]

    (found,) = review_rows("c_1", rows, (), assess)

    assert (found.edges, found.turns_verdict) == (2, True)


def test_what_was_reviewed_is_not_asked_again() -> None:
    """The row goes on with the edges that nobody has looked at; without any it is gone."""
    rows = [row("nimeth.gov", YES, 0.98, at=0), row("nimeth.gov", YES, 0.7, at=1), row("blog.example", NO, 0.98)]

    found = review_rows("c_1", rows, (), assess, {"f_nimeth.gov_0", "f_blog.example_0"})

    assert [(one.source, one.fragment_id, one.edges) for one in found] == [("domain:nimeth.gov", "f_nimeth.gov_1", 1)]


def test_joined_pages_are_one_source() -> None:
    """A wire story and its reprint are looked at once."""
    rows = [row("wire.example", YES, 0.8), row("courier.example", YES, 0.9)]

    found = review_rows("c_1", rows, [{"p_wire.example_0", "p_courier.example_0"}], assess)

    assert [(one.source, one.fragment_id, one.edges) for one in found] == [
        ("domain:courier.example", "f_courier.example_0", 2)
    ]


@pytest.mark.parametrize("reviewed", [(), {"f_a.example_0"}], ids=["no rows", "all reviewed"])
def test_nothing_to_review_is_no_row(reviewed: set[str]) -> None:
    """A claim without evidence, or with all of it read, has an empty queue."""
    rows = [row("a.example", YES)] if reviewed else []

    assert review_rows("c_1", rows, (), assess, reviewed) == ()


def test_a_missing_score_counts_half() -> None:
    """As everywhere (SPEC §1, decision 3)."""
    (found,) = review_rows("c_1", [row("a.example", YES, None)], (), assess)

    assert found.probability == 0.5
