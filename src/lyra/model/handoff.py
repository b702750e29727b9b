"""What is handed to a person: a page behind a challenge or a login."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Handoff:
    """One page that only a person can open; `auth_type` is captcha, login or another kind of challenge."""

    id: str
    task_id: str
    search_id: str
    domain: str
    url: str
    auth_type: str
    queued_at: datetime
    priority: str = "normal"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HandoffSummary:
    pending_count: int = 0
    high_priority_count: int = 0
    domains: tuple[str, ...] = ()
    oldest_queued_at: str | None = None
    by_auth_type: Mapping[str, int] = field(default_factory=dict)
