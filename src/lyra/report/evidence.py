"""A task's evidence as plain data: every claim with its figures, quotes and addresses."""

from dataclasses import asdict
from typing import Any

from lyra.clock import stamp
from lyra.model.report import QuotedEvidence, ReportClaim, ReviewMark
from lyra.model.task import Task
from lyra.report.links import deep_link


def evidence(task: Task, claims: tuple[ReportClaim, ...]) -> dict[str, Any]:
    """JSON-ready; probabilities to 3 places."""
    return {
        "task_id": task.id,
        "query": task.query,
        "created_at": stamp(task.created_at),
        "settings_digest": task.settings_digest,
        "claims": [_claim(one) for one in claims],
    }


def _claim(one: ReportClaim) -> dict[str, Any]:
    assessment, figures = one.assessment, one.assessment.evidence
    return {
        "id": one.claim.id,
        "text": one.claim.claim_text,
        "language": one.claim.language,
        "is_hypothesis": one.claim.is_hypothesis,
        "verdict": assessment.verdict.value,
        "confidence": round(figures.confidence, 3),
        "uncertainty": round(figures.uncertainty, 3),
        "controversy": round(figures.controversy, 3),
        "independent_sources": assessment.independent_sources,
        "text_confidence": round(assessment.text_confidence, 3),
        "report_confidence": round(assessment.report_confidence, 3),
        "verification_status": assessment.verification_status.value,
        "verification_details": assessment.verification_reason,
        "refutation_status": assessment.refutation_status.value,
        "recovery": list(assessment.recovery),
        "supports": [_quote(quoted) for quoted in one.supports],
        "refutes": [_quote(quoted) for quoted in one.refutes],
    }


def _quote(quoted: QuotedEvidence) -> dict[str, Any]:
    return {
        "quote": quoted.quote,
        "judged_text": None if quoted.judged_text is None else asdict(quoted.judged_text),
        "url": quoted.url,
        "link": deep_link(quoted.url, quoted.quote),
        "title": quoted.title,
        "domain": quoted.domain,
        "trust_level": quoted.trust_level,
        "published_date": quoted.published_date,
        "updated_date": quoted.updated_date,
        "found_at": stamp(quoted.fetched_at),
        "nli_confidence": round(quoted.nli_confidence, 3),
        "model_id": quoted.model_id,
        "is_origin": quoted.is_origin,
        "is_retracted": quoted.is_retracted,
        "no_vote": quoted.no_vote or None,
        "no_vote_reason": quoted.why_no_vote or None,
        "review": None if quoted.review is None else _review(quoted.review),
        "fragment_id": quoted.fragment_id,
        "page_id": quoted.page_id,
    }


def _review(review: ReviewMark) -> dict[str, str]:
    return {
        "reviewer": review.reviewer,
        "reviewed_at": stamp(review.reviewed_at),
        "reason": review.reason,
        "judged_relation": review.judged_relation.value,
    }
