"""Recall and cost of searching, against a small planted truth."""

from datetime import UTC, datetime

import pytest

from lyra.model.search import Candidate, CandidateState, SentQuery
from lyra_bench.measure.search import figures
from simweb.truth import Claim, Evidence, Truth

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
QUOTE = "Saxagliptin raised hospitalisation for heart failure."


@pytest.fixture
def truth() -> Truth:
    def at(url: str) -> Evidence:
        return Evidence(url, QUOTE, "publisher", is_primary=False)

    paper = Evidence("https://journal.example/1", QUOTE, "doi:10.5555/1", is_primary=True)
    claims = (
        Claim("c1", {"en": "x"}, (at("https://a.example/1"), paper), ()),
        Claim("c2", {"en": "y"}, (), (at("https://b.example/1"), at("https://gone.example/1"))),
    )
    return Truth({}, {}, (), claims, {}, {}, (), ("https://gone.example/1",))


def sent(rule: str, family: str, fresh: int) -> SentQuery:
    return SentQuery("dq", "s", "t", "t", rule, family, NOW, engines=("duckduckgo", "mojeek"), new_results=fresh)


def test_recall_counts_pages_and_papers_by_abstract(truth: Truth) -> None:
    """A paper read at another address counts for its page; what cannot be reached is not asked for."""
    read = [
        {"url": "https://a.example/1", "work_id": None, "text": f"Before. {QUOTE} After."},
        {"url": "https://doi.org/10.5555/1", "work_id": "doi:10.5555/1", "text": "another passage"},
    ]
    found = [
        Candidate("r1", "s", "https://a.example/1", "", "", "mojeek", 1, CandidateState.FETCHED),
        Candidate("r2", "s", "https://doi.org/10.5555/1", "", "", "openalex", 1, CandidateState.ABSTRACT),
    ]

    told = figures(truth, (), [sent("asked", "asked", 9), sent("synonym:a→b", "synonym", 2)], read, found)

    assert (told["recall"], told["pages_planted"], told["missed"]) == (0.667, 3, ["https://b.example/1"])
    assert (told["claims_planted"], told["claims_found"]) == (2, 1)
    assert (told["queries_sent"], told["engine_requests"], told["pages_fetched"]) == (2, 4, 1)
    assert (told["queries_per_claim"], told["engine_requests_per_claim"], told["pages_per_claim"]) == (2.0, 4.0, 1.0)
    assert told["by_rule"] == {
        "asked": {"queries": 1, "new_addresses": 9},
        "synonym": {"queries": 1, "new_addresses": 2},
    }


def test_nothing_found_costs_nothing_per_claim(truth: Truth) -> None:
    """A share of nothing is no figure."""
    told = figures(truth, (), [], [], [])

    assert (told["recall"], told["queries_per_claim"], told["pages_per_claim"]) == (0.0, None, None)
