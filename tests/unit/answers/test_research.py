"""Answers as every face shows them: named once, rounded once."""

from datetime import UTC, datetime

from lyra.answers.research import (
    BlockedDomainRow,
    ClaimRow,
    CreateTaskAnswer,
    SearchAnswer,
    SimilarTextsAnswer,
    StopTaskAnswer,
)
from lyra.model.claim import (
    AdoptionStatus,
    AssessedClaim,
    Assessment,
    Claim,
    Confidence,
    RefutationStatus,
    Verdict,
    VerificationStatus,
)
from lyra.model.graph_query import SimilarAnswer, SimilarHit
from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.model.task import BlockedDomain, Budget, Task, TaskStatus
from lyra.research.searches import SearchReport
from lyra.research.tasks import StoppedTask

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TASK = Task("task_0123456789ab", "Is it safe?", TaskStatus.CREATED, NOON, Budget(120, 1200.0))
SEARCH = Search(
    "s_1",
    TASK.id,
    "q",
    SearchOptions(),
    SearchStatus.PARTIAL,
    NOON,
    phase="done",
    harvest_rate=2 / 3,
)
CLAIM = AssessedClaim(
    Claim("c_1", TASK.id, "Saxagliptin raises the risk of heart failure.", "en", NOON),
    Assessment(
        claim_id="c_1",
        evidence=Confidence(3.7, 1.9, 3.7 / 5.6, 0.183914, 0.25, 3, 1, 2),
        independent_sources=2,
        text_confidence=0.6043,
        report_confidence=0.62767,
        verdict=Verdict.SUPPORTED,
        verification_status=VerificationStatus.PENDING,
        verification_reason="High-trust sources support and refute it; both sides are kept.",
        adoption_status=AdoptionStatus.PENDING,
        refutation_status=RefutationStatus.FOUND,
        trust_level="government",
        has_primary_source=True,
    ),
    "https://www.fdso.gov/safety/dpp4-heart-failure",
)


def report(claims: tuple[AssessedClaim, ...] = (), *, has_more: bool = False) -> SearchReport:
    return SearchReport(
        search=SEARCH,
        claims=claims,
        has_more_claims=has_more,
        refutations=(),
        problems=(),
        pages_left=7,
        seconds_left=1.26,
        percent_left=5,
        unverified_domains=(),
        blocked_domains=(),
    )


def test_a_claim_is_rounded_as_the_specification_says() -> None:
    """SPEC §1 decision 3: three places, α and β two; §13 names the fields."""
    assert ClaimRow.model_validate(CLAIM).model_dump() == {
        "id": "c_1",
        "text": "Saxagliptin raises the risk of heart failure.",
        "confidence": 0.661,
        "uncertainty": 0.184,
        "controversy": 0.25,
        "alpha": 3.7,
        "beta": 1.9,
        "supporting_count": 3,
        "refuting_count": 1,
        "neutral_count": 2,
        "evidence_count": 6,
        "verdict": "supported",
        "independent_sources": 2,
        "text_confidence": 0.604,
        "report_confidence": 0.628,
        "refutation_status": "found",
        "adoption_status": "pending",
        "source_url": "https://www.fdso.gov/safety/dpp4-heart-failure",
        "is_primary_source": True,
        "source_trust_level": "government",
        "verification_status": "pending",
        "verification_details": "High-trust sources support and refute it; both sides are kept.",
    }


def test_a_search_without_refute_has_no_refutations() -> None:
    """The field is there only where it was asked for; figures are rounded."""
    fields = SearchAnswer.from_report(report()).cli_fields()

    assert "refutations" not in fields
    assert "truncated" not in fields
    assert (fields["harvest_rate"], fields["budget_remaining"]) == (0.667, {"pages": 7, "seconds": 1.3, "percent": 5})


def test_more_claims_than_shown_are_told_of() -> None:
    """With the query that gets the rest."""
    fields = SearchAnswer.from_report(report((CLAIM,), has_more=True)).cli_fields()

    assert fields["truncated"] is True
    assert "WHERE task_id = 'task_0123456789ab' ORDER BY report_confidence DESC LIMIT 50 OFFSET 1" in fields["more"]


def test_a_new_task_tells_its_claims_in_order() -> None:
    """What create_task and `lyra task new` answer."""
    assert CreateTaskAnswer.from_task(TASK, ["c_2", "c_1"]).cli_fields() == {
        "task_id": "task_0123456789ab",
        "query": "Is it safe?",
        "created_at": "2026-03-01T12:00:00.000Z",
        "budget": {"max_pages": 120, "max_seconds": 1200.0},
        "claims": ["c_2", "c_1"],
    }


def test_a_stopped_task_sums_up() -> None:
    """What stop_task and `lyra task stop` answer."""
    stopped = StoppedTask("partial", 3, 1, 12, 2 / 3, ("心不全",))

    assert StopTaskAnswer.from_stopped(TASK.id, stopped).cli_fields() == {
        "task_id": "task_0123456789ab",
        "final_status": "partial",
        "summary": {
            "total_searches": 3,
            "satisfied_searches": 1,
            "total_claims": 12,
            "primary_source_ratio": 0.667,
            "unsatisfied_queries": ["心不全"],
        },
    }


def test_similar_things_are_rounded_too() -> None:
    """What vector_search and `lyra similar` answer."""
    found = SimilarAnswer((SimilarHit("c_1", 0.87654, "Saxagliptin …"),), 9)

    assert SimilarTextsAnswer.from_hits(found).cli_fields() == {
        "results": [{"id": "c_1", "text_preview": "Saxagliptin …", "similarity": 0.877}],
        "total_searched": 9,
    }


def test_what_could_not_be_searched_is_told() -> None:
    """Texts that only another embedder has embedded so far."""
    assert SimilarTextsAnswer.from_hits(SimilarAnswer((), 9, 4)).cli_fields() == {
        "results": [],
        "total_searched": 9,
        "not_yet_embedded": 4,
    }


def test_a_blocked_domain_tells_how_to_restore_it() -> None:
    """Both for a client and with `--json`: the default of a field would be left out there."""
    found = BlockedDomain("spam.example", "2026-03-01T12:00:00.000Z", "rejected", "ev_1", "unverified")

    assert BlockedDomainRow.from_domain(found).model_dump(exclude_unset=True) == {
        "domain": "spam.example",
        "blocked_at": "2026-03-01T12:00:00.000Z",
        "reason": "rejected",
        "cause_id": "ev_1",
        "original_trust_level": "unverified",
        "can_restore": True,
        "restore_via": "user_overrides in domains.yaml",
    }
