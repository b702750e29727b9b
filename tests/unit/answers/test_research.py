"""Answers as every face shows them: named once, rounded once."""

from datetime import UTC, datetime

from lyra.answers.research import (
    BlockedDomainRow,
    CreateTaskAnswer,
    SimilarTextsAnswer,
    StopTaskAnswer,
)
from lyra.model.graph_query import SimilarAnswer, SimilarHit
from lyra.model.task import BlockedDomain, Budget, Task, TaskStatus
from lyra.research.tasks import StoppedTask

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TASK = Task("task_0123456789ab", "Is it safe?", TaskStatus.CREATED, NOON, Budget(120, 1200.0))


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
