"""What a search says of its results."""

import pytest

from lyra.model.search import CandidateState
from lyra.research.pipeline import summarise_candidates

FETCHED, ABSTRACT, SKIPPED = CandidateState.FETCHED, CandidateState.ABSTRACT, CandidateState.SKIPPED
BLOCKED, FAILED = CandidateState.BLOCKED, CandidateState.FAILED


@pytest.mark.parametrize(
    ("states", "waiting", "told"),
    [
        pytest.param([FETCHED, ABSTRACT], 0, "all 2 results were worked through: 2 read", id="all read"),
        pytest.param([FAILED], 0, "all 1 results were worked through: 0 read, 1 failed", id="none read"),
        pytest.param(
            [FETCHED, SKIPPED, SKIPPED, BLOCKED, FAILED],
            1,
            "all 5 results were worked through: 1 read, 2 of papers read by their abstract, 1 blocked, 1 failed;"
            " 1 waits for a person (get_auth_queue)",
            id="every share",
        ),
        pytest.param(
            [FETCHED, BLOCKED, BLOCKED],
            2,
            "all 3 results were worked through: 1 read, 2 blocked; 2 wait for a person (get_auth_queue)",
            id="two wait",
        ),
    ],
)
def test_every_result_is_in_one_share(states: list[CandidateState], waiting: int, told: str) -> None:
    """The shares sum to the number of results; those that wait are among them and are told apart."""
    assert summarise_candidates(states, waiting) == told
