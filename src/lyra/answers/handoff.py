"""Answers about people: get_auth_queue, resolve_auth, notify_user, wait_for_user."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lyra.answers.answer import Answer, Output, Timestamp, read_from
from lyra.clock import stamp
from lyra.model.handoff import Handoff, HandoffDecision, Question, QuestionStatus

if TYPE_CHECKING:
    from lyra.handoff.notify import DeliveryReport


class AuthItem(Output):
    id: str
    task_id: str
    domain: str
    url: str
    type: str = read_from("auth_type")
    priority: str
    reason: str
    queued_at: Timestamp
    blocking_searches: list[str]


class AuthDomain(Output):
    domain: str = read_from("name")
    pending_count: int
    high_priority_count: int
    affected_tasks: list[str]
    auth_types: list[str]


class AuthType(Output):
    type: str = read_from("name")
    pending_count: int
    high_priority_count: int
    affected_tasks: list[str]
    domains: list[str]


class AuthQueueAnswer(Answer):
    queue: list[AuthItem] | None = None
    domains: list[AuthDomain] | None = None
    types: list[AuthType] | None = None
    total_domains: int | None = None
    total_pending: int | None = None

    @classmethod
    def from_items(cls, items: Sequence[Handoff], group_by: str = "none") -> "AuthQueueAnswer":
        """What is pending: item by item, by domain or by type."""
        from lyra.handoff.queue import grouped

        total = len(items)
        if group_by == "domain":
            domains = [AuthDomain.model_validate(group) for group in grouped(items, lambda one: one.domain)]
            return cls(total_pending=total, total_domains=len(domains), domains=domains)
        if group_by == "type":
            types = [AuthType.model_validate(group) for group in grouped(items, lambda one: one.auth_type)]
            return cls(total_pending=total, types=types)
        return cls(total_pending=total, queue=[AuthItem.model_validate(item) for item in items])


class ResolveAuthAnswer(Answer):
    auth_id: str | None = None
    domain: str | None = None
    status: str | None = None
    unblocked_searches: list[str] | None = None
    resolved_count: int | None = None
    affected_tasks: list[str] | None = None
    session_stored: bool | None = None
    note: str | None = None

    @classmethod
    def from_item(cls, handoff_id: str, decision: HandoffDecision, *, is_stored: bool) -> "ResolveAuthAnswer":
        """The effect of a decision on one item; an earlier decision is kept."""
        return cls(
            auth_id=handoff_id,
            domain=decision.domain,
            status=decision.status.value,
            unblocked_searches=list(decision.unblocked_searches),
            affected_tasks=list(decision.affected_tasks),
            session_stored=is_stored,
            note=None if decision.decided else f"It was {decision.status.value} before; nothing was changed.",
        )

    @classmethod
    def from_domain(cls, decision: HandoffDecision, *, is_stored: bool) -> "ResolveAuthAnswer":
        """The effect of a decision on a domain."""
        return cls(
            domain=decision.domain,
            status=decision.status.value,
            resolved_count=len(decision.decided),
            affected_tasks=list(decision.affected_tasks),
            unblocked_searches=list(decision.unblocked_searches),
            session_stored=is_stored,
            note=None if decision.affected_tasks else f"Nothing of {decision.domain} was waiting.",
        )


class NotifyAnswer(Answer):
    notification_id: str | None = None
    shown: bool | None = None
    shown_on: list[str] | None = None
    not_shown: dict[str, str] | None = None

    @classmethod
    def from_report(cls, report: "DeliveryReport") -> "NotifyAnswer":
        return cls(
            notification_id=report.notification_id,
            shown=report.is_shown,
            shown_on=list(report.shown_on),
            not_shown=dict(report.not_shown),
        )


class WaitAnswer(Answer):
    status: str | None = None
    response: str | None = None
    choice_index: int | None = None
    timed_out: bool | None = None
    wait_id: str | None = None
    note: str | None = None

    @classmethod
    def from_question(cls, question: Question, *, is_open: bool) -> "WaitAnswer":
        is_late = question.status is QuestionStatus.LATE
        is_timed_out = is_late or (question.status is QuestionStatus.PENDING and not is_open)
        return cls(
            status="timed_out" if is_timed_out else question.status.value,
            response=question.response,
            choice_index=question.choice_index,
            timed_out=is_timed_out,
            wait_id=question.id,
            note=_note(question, is_open=is_open),
        )


def _note(question: Question, *, is_open: bool) -> str | None:
    if is_open:
        until = stamp(question.expires_at)
        return f"No answer yet. Call wait_for_user with this wait_id until {until}; in a terminal: lyra answer."
    if question.status is QuestionStatus.LATE and question.answered_at is not None:
        late_s = (question.answered_at - question.expires_at).total_seconds()
        return f"The answer came {late_s:.0f} s after the time-out."
    return None
