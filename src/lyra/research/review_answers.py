"""Reviews and the queue as plain fields, named and rounded once for every face (SPEC §2)."""

from collections.abc import Sequence
from typing import Any

from lyra.calibration.answers import added_fields, refit_fields
from lyra.errors import LyraError
from lyra.model.review import QueuedEdge
from lyra.research.reviewing import Reviewed, Undone
from lyra.text import without_surrogates

_NOTHING_LEARNED = (
    "The edge keeps too little of what its reader said: the review holds, and nothing is learned from it."
)


def reviewed_fields(done: Reviewed) -> dict[str, Any]:
    """One review, with its sample as `add_sample` has always told it."""
    learned = {"note": _NOTHING_LEARNED} if done.added is None else added_fields(done.added)
    return {**_review_fields(done), "review_id": done.review.id, **learned}


def several_fields(edge_ids: Sequence[str], answers: Sequence[Reviewed | LyraError]) -> dict[str, Any]:
    """An answer for each edge in the order given, and what calibration made of all of them."""
    done = [one for one in answers if isinstance(one, Reviewed)]
    learned = [one.added for one in done if one.added is not None]
    refits = dict.fromkeys(one.refit.language for one in learned if one.refit)
    return {
        "reviewed": len(done),
        "failed": len(answers) - len(done),
        "results": [_result(edge_id, one) for edge_id, one in zip(edge_ids, answers, strict=True)],
        "refits": [
            refit_fields(next(one.refit for one in learned if one.refit and one.refit.language == language))
            for language in refits
        ],
    }


def undone_fields(done: Undone) -> dict[str, Any]:
    return {
        "edge_id": done.review.edge_id,
        "review_id": done.review.id,
        "relation": done.review.judged_relation.value,
        "claim_id": done.review.claim_id,
        "verdict": done.verdict.value,
    }


def queued_fields(one: QueuedEdge) -> dict[str, Any]:
    """A row of the queue, and what the reader itself said."""
    raw = one.raw_probabilities
    return {
        "edge_id": one.edge_id,
        "turns_verdict": one.turns_verdict,
        "relation": one.relation.value,
        "probability": round(one.probability, 3),
        "claim_id": one.claim_id,
        "claim_text": one.claim_text,
        "is_hypothesis": one.is_hypothesis,
        "verdict": one.verdict,
        "quote": one.quote,
        "source": one.source,
        "url": one.url,
        "title": one.title,
        "edges": one.edges,
        "rule": one.rule,
        "reader": None if raw is None else [round(value, 3) for value in raw],
        "in_context": one.in_context,
    }


def _result(edge_id: str, answer: Reviewed | LyraError) -> dict[str, Any]:
    if isinstance(answer, Reviewed):
        return {"ok": True, **_review_fields(answer)}
    told = {
        "edge_id": without_surrogates(edge_id)[:40],
        "ok": False,
        "error_code": answer.code,
        "error": answer.message,
    }
    return told | ({"remedy": answer.remedy} if answer.remedy else {})


def _review_fields(done: Reviewed) -> dict[str, Any]:
    fields = {
        "edge_id": done.review.edge_id,
        "relation": done.review.actual.value,
        "claim_id": done.review.claim_id,
        "verdict": done.verdict.value,
    }
    return fields | ({"replaced": done.replaced.actual.value} if done.replaced else {})
