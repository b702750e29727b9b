"""Accounts of evidence, trust and cleanup as plain fields, named and rounded once for every face."""

from typing import Any

from lyra.clock import stamp
from lyra.evidence.timeline import ClaimTimeline
from lyra.evidence.whatif import ClaimChange
from lyra.model.claim import Assessment, Claim
from lyra.model.domain import DomainPolicySummary, DomainStatus
from lyra.model.event import Event
from lyra.research.cleanup import DeletedTask
from lyra.research.whatif import WhatIfAnswer


def deleted_fields(deleted: DeletedTask) -> dict[str, Any]:
    """What deleting a task took away, or would."""
    removal, files = deleted.removal, deleted.files
    return {
        "task_id": deleted.task_id,
        "mode": "hard" if deleted.is_hard else "soft",
        "dry_run": deleted.is_dry_run,
        "removed": dict(removal.counts),
        "archive_files": {
            "unneeded": list(removal.lone_files),
            "removed": list(files.removed),
            "left": [{"path": path, "reason": reason} for path, reason in files.left],
            "shared_with_other_pages": list(removal.shared_files),
        },
    }


def what_if_fields(task_id: str, answer: WhatIfAnswer) -> dict[str, Any]:
    """Which claims would stand differently without the named sources."""
    gone = answer.withdrawal
    decisive = [one for one in answer.changes if one[1].is_decisive]
    return {
        "task_id": task_id,
        "withdrawn": {"domains": sorted(gone.domains), "works": sorted(gone.works), "pages": sorted(gone.pages)},
        "claims_total": answer.claims_total,
        "claims_touched": len(answer.changes),
        "claims_changed": len(decisive),
        "claims": [_change_fields(claim, change) for claim, change in answer.changes],
    }


def _change_fields(claim: Claim, change: ClaimChange) -> dict[str, Any]:
    return {
        "claim_id": claim.id,
        "text": claim.claim_text,
        "is_hypothesis": claim.is_hypothesis,
        "changes": change.is_decisive,
        "supports_withdrawn": change.supports_withdrawn,
        "refutes_withdrawn": change.refutes_withdrawn,
        "copies_left": change.copies_left,
        "before": _standing_fields(change.before),
        "after": _standing_fields(change.after),
    }


def _standing_fields(assessment: Assessment) -> dict[str, Any]:
    return {
        "verdict": assessment.verdict.value,
        "verification_status": assessment.verification_status.value,
        "adoption_status": assessment.adoption_status.value,
        "confidence": round(assessment.evidence.confidence, 3),
        "report_confidence": round(assessment.report_confidence, 3),
        "independent_sources": assessment.independent_sources,
    }


def timeline_fields(history: ClaimTimeline, text: str) -> dict[str, Any]:
    """The history of one claim."""
    return {
        "claim_id": history.claim_id,
        "text": text,
        "first_seen_at": history.first_seen_at,
        "newest_support": history.newest_support,
        "newest_refutation": history.newest_refutation,
        "is_outdated": history.is_outdated,
        "retracted_sources": history.retracted_sources,
        "mismatches": [
            {
                "url": one.url,
                "fragment_id": one.fragment_id,
                "stated_year": one.stated_year,
                "page_date": one.page_date,
                "is_ahead": one.is_ahead,
            }
            for one in history.mismatches
        ],
        "events": [
            {
                "kind": event.kind.value,
                "date": event.date,
                "seen_at": event.seen_at,
                "relation": event.relation.value,
                "url": event.url,
                "domain": event.domain,
            }
            for event in history.events
        ],
    }


def domain_fields(standing: DomainStatus) -> dict[str, Any]:
    """How one domain stands."""
    return {
        "domain": standing.domain,
        "trust_level": standing.trust_level.value,
        "origin": standing.origin,
        "reason": standing.reason,
        "without_override": standing.otherwise.value,
        "cause_id": standing.cause_id,
        "cooldown_until": stamp(standing.cooldown_until) if standing.cooldown_until else None,
        "failures": standing.failures,
        "last_outcome": standing.last_outcome,
    }


def trust_change(event: Event) -> dict[str, Any]:
    """One line of the journal about a domain's level."""
    details = event.details
    return {
        "changed_at": stamp(event.created_at),
        "kind": event.kind,
        "before": details.get("before"),
        "after": details.get("after"),
        "reason": details.get("reason"),
        "task_id": details.get("task_id"),
    }


def fetching_fields(account: DomainPolicySummary) -> dict[str, Any]:
    """How a domain is asked, what was learned of it, and the last changes with their figures."""
    habit = account.habit
    return {
        "first_rung": account.first_rung,
        "first_reason": account.first_reason,
        "barred": dict(account.barred),
        "pause_s": round(account.pause_s, 2),
        "qps": account.qps,
        "qps_origin": "domains.yaml" if account.is_own_qps else "politeness.domain_qps",
        "pause_factor": habit.pause_factor,
        "requests_today": dict(account.today.by_rung),
        "samples": habit.samples,
        "success_short": round(habit.success_short, 3),
        "success_long": round(habit.success_long, 3),
        "refusal_short": round(habit.refusal_short, 3),
        "refusal_long": round(habit.refusal_long, 3),
        "tor_success_short": round(habit.tor_short, 3),
        "rung_memory": habit.rung,
        "rung_until": stamp(habit.rung_until) if habit.rung_until else None,
        "last_challenge": habit.last_challenge,
        "last_challenge_at": stamp(habit.last_challenge_at) if habit.last_challenge_at else None,
        "changes": [
            {
                "changed_at": stamp(change.changed_at),
                "parameter": change.parameter,
                "before": change.before,
                "after": change.after,
                "reason": change.reason,
                "figures": dict(change.figures),
            }
            for change in account.changes
        ],
    }
