"""When a claim whose evidence grows is assessed again."""

import pytest

from lyra.research.assessment_schedule import is_due


@pytest.mark.parametrize(
    ("before", "after", "due"),
    [
        (0, 1, True),
        (255, 256, True),
        (4, 4, False),
        (256, 257, False),
        (271, 272, True),
        (300, 340, True),
        (4096, 4097, False),
        (4096, 4351, False),
        (4351, 4352, True),
        (1000, 100_000, True),
    ],
)
def test_a_claim_is_due_with_every_edge_and_later_with_every_sixteenth(before: int, after: int, due: bool) -> None:
    """Up to 256 edges always; beyond them sixteen times while the edges double."""
    assert is_due(before, after) is due


def test_the_edges_looked_at_grow_with_the_edges() -> None:
    """With every page as many as there are would be 50,005,000."""
    looked_at = sum(edges for edges in range(1, 10_001) if is_due(edges - 1, edges))

    assert looked_at == 254_976
