"""Writes that belong together: each function is one transaction over several kinds of records."""

from collections.abc import Sequence
from datetime import datetime

from apsw import Connection

from lyra.model.claim import Claim
from lyra.model.job import Job
from lyra.model.search import CandidateState, Search, SearchStatus
from lyra.model.task import FinalStatus, Task, TaskStatus
from lyra.storage import candidates, claims, jobs, rechecks, searches, tasks


def create_task(connection: Connection, task: Task, hypotheses: Sequence[Claim]) -> None:
    """A task with the client's hypotheses as its first claims."""
    tasks.insert(connection, task)
    claims.insert_many(connection, hypotheses)


def start_search(connection: Connection, search: Search, job: Job) -> None:
    """A search with the job that will do it; its task goes (back) to exploring."""
    searches.insert(connection, search)
    jobs.enqueue(connection, job)
    tasks.set_status(connection, search.task_id, TaskStatus.EXPLORING)


def stop_task(connection: Connection, task_id: str, final_status: FinalStatus, reason: str, now: datetime) -> None:
    """End a task: its jobs and running searches are cancelled, everything found stays."""
    jobs.cancel(connection, task_id, now)
    for search in searches.of_task(connection, task_id):
        if search.status is SearchStatus.RUNNING:
            searches.end(connection, search.id, SearchStatus.CANCELLED, "the task was stopped", now)
    tasks.set_status(connection, task_id, TaskStatus.COMPLETED, final_status=final_status, reason=reason)


def cancel_search(connection: Connection, search_id: str, reason: str, now: datetime) -> None:
    """End one search and the job that does it."""
    jobs.cancel_caused_by(connection, search_id, now)
    searches.end(connection, search_id, SearchStatus.CANCELLED, reason, now)


def note_fetched(connection: Connection, search: Search, candidate_id: str, page_id: str) -> None:
    """A page that was fetched for a candidate, counted once against the budget of its search."""
    candidates.set_state(connection, candidate_id, CandidateState.FETCHED, None, page_id)
    rechecks.add_usage(connection, search, 1, 0.0)
