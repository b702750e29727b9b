"""Answers as plain fields, named and rounded once for MCP and CLI (SPEC §2, §13)."""

from typing import Any

from lyra.clock import stamp
from lyra.model.claim import AssessedClaim
from lyra.model.graph_query import SimilarAnswer
from lyra.model.search import Search
from lyra.model.task import BlockedDomain, Task, VerificationAlert
from lyra.research.plain_fields import plain_fields
from lyra.research.searches import SearchReport
from lyra.research.status import TaskReport
from lyra.research.tasks import StoppedTask

_PROGRESS = "query status reason phase pages_fetched useful_fragments harvest_rate"
# Of a search that failed; its sentence is the row's `reason`.
_ERROR_FIELDS = ("error_code", "retryable", "retry_after_s", "remedy")


def created_fields(task: Task, claim_ids: list[str]) -> dict[str, Any]:
    """The answer of `create_task`."""
    return {
        "task_id": task.id,
        "query": task.query,
        "created_at": stamp(task.created_at),
        "budget": {"max_pages": task.budget.max_pages, "max_seconds": task.budget.max_seconds},
        "claims": claim_ids,
    }


def stopped_fields(task_id: str, stopped: StoppedTask) -> dict[str, Any]:
    """The answer of `stop_task`."""
    return {
        "task_id": task_id,
        "final_status": stopped.final_status,
        "summary": {
            **plain_fields(stopped, "total_searches satisfied_searches total_claims"),
            **plain_fields(stopped, "primary_source_ratio unsatisfied_queries"),
        },
    }


def similar_fields(found: SimilarAnswer) -> dict[str, Any]:
    """The answer of `vector_search`; `not_yet_embedded` only where something could not be searched."""
    hits = [{"id": h.id, "text_preview": h.text_preview, "similarity": round(h.similarity, 3)} for h in found.hits]
    left_out = {"not_yet_embedded": found.not_yet_embedded} if found.not_yet_embedded else {}
    return {"results": hits, "total_searched": found.total_searched, **left_out}


def search_fields(report: SearchReport) -> dict[str, Any]:
    """The answer of `search`."""
    search = report.search
    fields: dict[str, Any] = {
        "search_id": search.id,
        **plain_fields(search, _PROGRESS),
        "claims_found": [claim_fields(found) for found in report.claims],
        **plain_fields(search, "satisfaction_score novelty_score"),
        "budget_remaining": {
            "pages": report.pages_left,
            "seconds": round(report.seconds_left, 1),
            "percent": report.percent_left,
        },
        "problems": list(report.problems),
    }
    if report.has_more_claims:
        fields["truncated"] = True
        fields["more"] = (
            f"The best supported {len(report.claims)} claims are shown; the rest: query_graph SELECT * FROM claims "
            f"WHERE task_id = '{search.task_id}' ORDER BY report_confidence DESC LIMIT 50 OFFSET {len(report.claims)}."
        )
    if search.options.refute:
        fields["refutations"] = [
            {
                "claim_id": quoted.claim_id,
                "claim_text": text,
                "quote": quoted.quote,
                "in_context": quoted.in_context,
                "source_url": quoted.url,
                "nli_confidence": round(quoted.nli_confidence, 3),
                "source_trust_level": quoted.trust_level,
                "is_retracted": quoted.is_retracted,
                "no_vote": quoted.no_vote or None,
            }
            for text, quoted in report.refutations
        ]
    return fields


def claim_fields(found: AssessedClaim) -> dict[str, Any]:
    """One claim as MCP and CLI show it: probabilities to 3 places, α and β to 2."""
    assessment, evidence = found.assessment, found.assessment.evidence
    return {
        "id": found.claim.id,
        "text": found.claim.claim_text,
        **plain_fields(evidence, "confidence uncertainty controversy"),
        "alpha": round(evidence.alpha, 2),
        "beta": round(evidence.beta, 2),
        **plain_fields(evidence, "supporting_count refuting_count neutral_count evidence_count"),
        **plain_fields(assessment, "verdict independent_sources text_confidence report_confidence"),
        **plain_fields(assessment, "refutation_status adoption_status"),
        "source_url": found.source_url,
        "is_primary_source": assessment.has_primary_source,
        "source_trust_level": assessment.trust_level,
        "verification_status": assessment.verification_status.value,
        "verification_details": assessment.verification_reason,
    }


def status_fields(report: TaskReport) -> dict[str, Any]:
    """The answer of `get_status`."""
    task, totals = report.task, report.totals
    fields: dict[str, Any] = {
        "task_id": task.id,
        "status": task.status.value,
        "query": task.query,
        "searches": [_search_row(search, report) for search in report.searches],
        "metrics": {
            "total_searches": len(report.searches),
            "satisfied_count": report.satisfied_count,
            "total_pages": totals.pages,
            "total_fragments": totals.fragments,
            "total_claims": totals.claims,
            "elapsed_seconds": round(task.seconds_used, 1),
            "harvest_rate": round(report.harvest_rate, 3),
            **plain_fields(totals, "duplicate_rate domain_diversity primary_source_ratio"),
        },
        "budget": {
            "pages_used": task.pages_used,
            "pages_limit": task.budget.max_pages,
            "time_used_seconds": round(task.seconds_used, 1),
            "time_limit_seconds": task.budget.max_seconds,
            "remaining_percent": report.percent_left,
        },
        "auth_queue": {
            **plain_fields(report.auth, "pending_count high_priority_count domains oldest_queued_at"),
            "by_auth_type": dict(report.auth.by_auth_type),
        },
        "warnings": list(report.warnings),
        "blocked_domains": [_blocked_row(row) for row in report.blocked_domains],
        "unverified_domains": list(report.unverified_domains),
        "verification_alerts": [_alert_row(alert) for alert in report.verification_alerts],
        "not_adopted": {
            "count": totals.not_adopted,
            "query": "SELECT claim_id, claim_text, rejected_at, reason, against, recovery FROM v_rejected_claims "
            f"WHERE task_id = '{task.id}'",
        },
    }
    if task.status.value == "completed":
        fields["evidence_summary"] = {
            "total_claims": totals.claims,
            "total_fragments": totals.fragments,
            "total_pages": totals.pages,
            **plain_fields(totals, "supporting_edges refuting_edges neutral_edges top_domains"),
        }
    return fields


def _blocked_row(row: BlockedDomain) -> dict[str, Any]:
    return {
        **plain_fields(row, "domain blocked_at reason cause_id original_trust_level"),
        "can_restore": True,
        "restore_via": "user_overrides in domains.yaml",
    }


def _alert_row(alert: VerificationAlert) -> dict[str, Any]:
    rate = round(alert.rejected / alert.judged, 3)
    return {**plain_fields(alert, "domain judged rejected"), "rejection_rate": rate}


def _search_row(search: Search, report: TaskReport) -> dict[str, Any]:
    row = {
        **plain_fields(search, f"id {_PROGRESS} satisfaction_score novelty_score has_primary_source"),
        "queries_sent": dict(report.queries_sent.get(search.id, {})),
        "created_at": stamp(search.created_at),
    }
    error = report.errors.get(search.id)
    return row if error is None else row | {name: error.fields().get(name) for name in _ERROR_FIELDS}
