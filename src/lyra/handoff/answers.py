"""What the faces say of the queue, of notifications and of questions: plain fields, the same for MCP and `--json`."""

from collections.abc import Sequence
from typing import Any

from lyra.clock import stamp
from lyra.handoff.notify import Shown
from lyra.handoff.queue import Group, grouped
from lyra.model.handoff import Handoff, HandoffDecision, Question, QuestionStatus


def queue_fields(items: Sequence[Handoff], group_by: str = "none") -> dict[str, Any]:
    """The queue as it waits, in one of three shapes."""
    total = {"total_pending": len(items)}
    if group_by == "domain":
        found = [_domain(group) for group in grouped(items, lambda one: one.domain)]
        return {**total, "total_domains": len(found), "domains": found}
    if group_by == "type":
        return {**total, "types": [_type(group) for group in grouped(items, lambda one: one.auth_type)]}
    return {**total, "queue": [item_fields(one) for one in items]}


def item_fields(item: Handoff) -> dict[str, Any]:
    """One item."""
    return {
        "id": item.id,
        "task_id": item.task_id,
        "domain": item.domain,
        "url": item.url,
        "type": item.auth_type,
        "priority": item.priority,
        "reason": item.reason,
        "queued_at": stamp(item.queued_at),
        "blocking_searches": list(item.blocking_searches),
    }


def _domain(group: Group) -> dict[str, Any]:
    return {
        "domain": group.name,
        "pending_count": len(group.items),
        "high_priority_count": group.high_priority_count,
        "affected_tasks": list(group.affected_tasks),
        "auth_types": list(group.auth_types),
    }


def _type(group: Group) -> dict[str, Any]:
    return {
        "type": group.name,
        "pending_count": len(group.items),
        "high_priority_count": group.high_priority_count,
        "affected_tasks": list(group.affected_tasks),
        "domains": list(group.domains),
    }


def item_decision_fields(handoff_id: str, decision: HandoffDecision, *, is_stored: bool) -> dict[str, Any]:
    """What a word on one item did; where somebody was first, that word stands."""
    return {
        "auth_id": handoff_id,
        "domain": decision.domain,
        "status": decision.status.value,
        "unblocked_searches": list(decision.unblocked_searches),
        "affected_tasks": list(decision.affected_tasks),
        "session_stored": is_stored,
        "note": None if decision.decided else f"It was {decision.status.value} before; nothing was changed.",
    }


def domain_decision_fields(decision: HandoffDecision, *, is_stored: bool) -> dict[str, Any]:
    """What a word on a domain did."""
    return {
        "domain": decision.domain,
        "status": decision.status.value,
        "resolved_count": len(decision.decided),
        "affected_tasks": list(decision.affected_tasks),
        "unblocked_searches": list(decision.unblocked_searches),
        "session_stored": is_stored,
        "note": None if decision.affected_tasks else f"Nothing of {decision.domain} was waiting.",
    }


def shown_fields(shown: Shown) -> dict[str, Any]:
    """Where a notification was shown."""
    return {
        "notification_id": shown.notification_id,
        "shown": shown.is_shown,
        "shown_on": list(shown.shown_on),
        "not_shown": dict(shown.not_shown),
    }


def question_fields(question: Question, *, is_open: bool) -> dict[str, Any]:
    """How a question stands for whoever waits for the answer."""
    is_late = question.status is QuestionStatus.LATE
    is_timed_out = is_late or (question.status is QuestionStatus.PENDING and not is_open)
    status = "timed_out" if is_timed_out else question.status.value
    return {
        "status": status,
        "response": question.response,
        "choice_index": question.choice_index,
        "timed_out": is_timed_out,
        "wait_id": question.id,
        "note": _note(question, is_open=is_open),
    }


def _note(question: Question, *, is_open: bool) -> str | None:
    if is_open:
        until = stamp(question.expires_at)
        return f"No answer yet. Call wait_for_user with this wait_id until {until}; in a terminal: lyra answer."
    if question.status is QuestionStatus.LATE and question.answered_at is not None:
        late_s = (question.answered_at - question.expires_at).total_seconds()
        return f"The answer came {late_s:.0f} s after the time-out."
    return None
