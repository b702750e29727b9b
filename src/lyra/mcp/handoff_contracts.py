"""What goes in and out of the tools that bring a person in."""

from typing import Any, Literal

from pydantic import Field

from lyra.mcp.contracts import Answer, Input, Output

# get_auth_queue


class AuthQueueOptions(Input):
    group_by: Literal["none", "domain", "type"] = "none"
    priority_filter: Literal["high", "normal", "all"] = "all"


class GetAuthQueueIn(Input):
    task_id: str | None = Field(None, description="All tasks if left out.")
    options: AuthQueueOptions | None = None


class AuthItem(Output):
    id: str
    task_id: str
    domain: str
    url: str
    type: str
    priority: str
    reason: str
    queued_at: str
    blocking_searches: list[str]


class AuthDomain(Output):
    domain: str
    pending_count: int
    high_priority_count: int
    affected_tasks: list[str]
    auth_types: list[str]


class AuthType(Output):
    type: str
    pending_count: int
    high_priority_count: int
    affected_tasks: list[str]
    domains: list[str]


class GetAuthQueueOut(Answer):
    queue: list[AuthItem] | None = None
    domains: list[AuthDomain] | None = None
    types: list[AuthType] | None = None
    total_domains: int | None = None
    total_pending: int | None = None


# resolve_auth


class ResolveData(Input):
    auth_id: str | None = None
    domain: str | None = None
    status: Literal["resolved", "skipped", "failed"]
    session_data: dict[str, Any] | None = Field(
        None, description="{cookies: [{name, value, …}], user_agent}", repr=False
    )


class ResolveAuthIn(Input):
    target: Literal["item", "domain"]
    data: ResolveData


class ResolveAuthOut(Answer):
    auth_id: str | None = None
    domain: str | None = None
    status: str | None = None
    unblocked_searches: list[str] | None = None
    resolved_count: int | None = None
    affected_tasks: list[str] | None = None
    session_stored: bool | None = None
    note: str | None = None


# notify_user


class NotifyPayload(Input):
    message: str = Field(min_length=1, max_length=2000)
    details: dict[str, Any] | None = Field(None, description="url, title and reason are shown.")
    timeout_seconds: float | None = Field(None, gt=0, le=86_400)


class NotifyUserIn(Input):
    event: Literal["info", "warning", "auth_required", "decision_required"]
    payload: NotifyPayload


class NotifyUserOut(Answer):
    notification_id: str | None = None
    shown: bool | None = None
    shown_on: list[str] | None = None
    not_shown: dict[str, str] | None = None


# wait_for_user


class WaitOptions(Input):
    timeout_seconds: float = Field(300, gt=0, le=86_400)
    choices: list[str] = Field(default_factory=list, max_length=20)
    wait_id: str | None = Field(None, description="Of a pending answer, to wait on.")
    wait_seconds: float | None = Field(None, ge=0, le=600)


class WaitForUserIn(Input):
    prompt: str = Field("", max_length=2000)
    options: WaitOptions | None = None


class WaitForUserOut(Answer):
    status: str | None = None
    response: str | None = None
    choice_index: int | None = None
    timed_out: bool | None = None
    wait_id: str | None = None
    note: str | None = None
