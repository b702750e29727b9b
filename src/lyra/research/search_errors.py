"""The error that a failed search ended with, as a client is told it, whether it waited for the search or polls."""

from collections.abc import Iterable
from datetime import datetime

from lyra.errors import (
    AllEnginesBlocked,
    AuthRequired,
    BudgetExhausted,
    ChromeNotReady,
    InvalidParams,
    LyraError,
    PipelineError,
    StorageError,
    TimedOut,
)
from lyra.model.search import Search, SearchStatus
from lyra.storage import handoffs
from lyra.storage.database import Database

_ERRORS: dict[str, type[LyraError]] = {
    error.code: error
    for error in (
        AllEnginesBlocked,
        AuthRequired,
        BudgetExhausted,
        ChromeNotReady,
        InvalidParams,
        PipelineError,
        StorageError,
        TimedOut,
    )
}


_WAIT = (
    "Wait and search again; get_status lists every search with its reason, and `lyra doctor` checks the models and the "
    "machine."
)
_PERSON = (
    "A person can open what refuses: get_auth_queue lists it, and the search goes on by itself after resolve_auth (in "
    "a terminal: `lyra auth`)."
)
_WALLED = f"{_PERSON} Or search again after retry_after_s, or name other engines in options.engines."


_REMEDIES: dict[type[LyraError], str] = {
    ChromeNotReady: "Install Chrome or Chromium (`lyra doctor` looks for one), or name engines that serve plain pages, "
    "such as duckduckgo, mojeek or wikipedia.",
    AllEnginesBlocked: "Search again after retry_after_s, or name other engines in options.engines; `lyra engines` "
    "shows how each stands.",
    AuthRequired: _PERSON,
    BudgetExhausted: "Pass options.extend_budget, or end with stop_task.",
    InvalidParams: "Correct the options of the search.",
    StorageError: "Free some space, or mend what `lyra doctor` names; then search again.",
}


async def errors_of(db: Database, found: Iterable[Search], now: datetime) -> dict[str, LyraError]:
    """The errors of those of a task's searches that failed, by search."""
    failed = [one for one in found if one.status is SearchStatus.FAILED]
    waiting = await db.read(handoffs.pending, failed[0].task_id) if failed else ()
    walled = {search_id for one in waiting for search_id in one.blocking_searches}
    return {one.id: error_of(one, now, is_walled=one.id in walled) for one in failed}


def error_of(search: Search, now: datetime, *, is_walled: bool) -> LyraError:
    """The error a search ended with; behind a wall a person can help sooner than time."""
    kind = _ERRORS.get(search.error_code or "", PipelineError)
    wait_s = max(0.0, (search.retry_at - now).total_seconds()) if search.retry_at else None
    error = kind(
        search.reason or "The search failed.",
        retry_after_s=round(wait_s) if wait_s is not None else None,
        remedy=_WALLED
        if is_walled and kind is AllEnginesBlocked
        else search.error_remedy or _REMEDIES.get(kind, _WAIT),
        details={"search_id": search.id},
    )
    error.retryable = kind.retryable if search.is_retryable is None else search.is_retryable
    return error
