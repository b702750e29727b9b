"""What is handed to a person: a page behind a challenge or a login, or a question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class HandoffStatus(StrEnum):
    PENDING = "pending"
    RESOLVED = "resolved"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Handoff:
    """One page that only a person can open; `auth_type` is captcha, login or another kind of challenge.

    `is_engine`: it is no page that a search found, but where it searches.
    """

    id: str
    task_id: str
    search_id: str
    domain: str
    url: str
    auth_type: str
    queued_at: datetime
    priority: str = "normal"
    reason: str = ""
    status: HandoffStatus = HandoffStatus.PENDING
    resolved_at: datetime | None = None
    decided_via: str | None = None
    title: str = ""
    blocking_searches: tuple[str, ...] = ()
    is_engine: bool = False


@dataclass(frozen=True, slots=True)
class HandoffSummary:
    pending_count: int = 0
    high_priority_count: int = 0
    domains: tuple[str, ...] = ()
    oldest_queued_at: str | None = None
    by_auth_type: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HandoffDecision:
    """What a person's word on an item or a domain changed."""

    domain: str
    status: HandoffStatus
    decided: tuple[Handoff, ...] = ()
    unblocked_searches: tuple[str, ...] = ()
    affected_tasks: tuple[str, ...] = ()


class QuestionStatus(StrEnum):
    PENDING = "pending"
    ANSWERED = "answered"
    DECLINED = "declined"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked, with the choices there are; none means free words."""

    id: str
    prompt: str
    asked_at: datetime
    expires_at: datetime
    choices: tuple[str, ...] = ()
    status: QuestionStatus = QuestionStatus.PENDING
    response: str | None = None
    choice_index: int | None = None
    answered_at: datetime | None = None
    answered_via: str | None = None
    owner: str | None = None  # who asked; None: the admins
