"""Deleting a task: running searches are cancelled first, files follow the rows, and the journal keeps that it was."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from lyra.archive.files import FileRemoval, remove_files
from lyra.clock import Clock
from lyra.errors import TaskNotFound
from lyra.ids import TASK_ID
from lyra.model.event import Event
from lyra.model.job import JobState
from lyra.model.task import TaskRemoval
from lyra.settings import Settings
from lyra.storage import archive_index, caches, cleanup, jobs, journal, sentence_vectors, transactions
from lyra.storage.database import Database

# A worker looks for cancelled jobs every `jobs.poll_s`, and what it cancels ends at its next wait.
_POLLS_TO_LET_GO = 3
# Result pages live for a day and robots.txt files for less; vectors are costly, and a task may pause for a month.
_ANSWERS_KEPT = timedelta(days=7)
_VECTORS_KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class DeletedTask:
    """What was taken away, or would be; in a dry run no file is removed and `files` is empty."""

    task_id: str
    is_hard: bool
    is_dry_run: bool
    removal: TaskRemoval
    files: FileRemoval


class Cleaner:
    """Deletes tasks softly or hard (SPEC §8)."""

    def __init__(self, db: Database, clock: Clock, settings: Settings) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings

    async def delete(self, task_id: str, *, is_hard: bool, is_dry_run: bool) -> DeletedTask:
        """Delete the task or say what that would take away; raises TaskNotFound."""
        if not TASK_ID.fullmatch(task_id):
            raise TaskNotFound(task_id)
        if is_dry_run:
            removal = await self._db.write(cleanup.rehearse, task_id, is_hard=is_hard, now=self._clock.now())
            return DeletedTask(task_id, is_hard, True, removal, FileRemoval())
        await self._cancel(task_id)
        removal = await self._db.write(cleanup.delete_task, task_id, is_hard=is_hard, now=self._clock.now())
        await self._db.write(journal.append, [self._event(task_id, removal, is_hard=is_hard)])
        files = await asyncio.to_thread(remove_files, self._settings.archive_dir, removal.lone_files)
        await self._db.write(archive_index.forget_files, files.removed)
        return DeletedTask(task_id, is_hard, False, removal, files)

    async def forget_caches(self) -> int:
        """Delete cached answers and vectors that were not used recently; returns how many."""
        now = self._clock.now()
        forgotten = await self._db.write(caches.forget, now - _ANSWERS_KEPT)
        return forgotten + await self._db.write(sentence_vectors.forget, now - _VECTORS_KEPT)

    async def _cancel(self, task_id: str) -> None:
        """Cancel the task's running work and give its process time to end it."""
        found = await self._db.read(jobs.of_task, task_id)
        under_way = [job for job in found if job.state in (JobState.QUEUED, JobState.RUNNING, JobState.PAUSED)]
        if not under_way:
            return
        await self._db.write(
            transactions.stop_task, task_id, "cancelled", "the task is being deleted", self._clock.now()
        )
        if any(job.state is JobState.RUNNING for job in under_way):
            await self._clock.sleep(_POLLS_TO_LET_GO * self._settings.jobs.poll_s)

    def _event(self, task_id: str, removal: TaskRemoval, *, is_hard: bool) -> Event:
        return Event(
            kind="task_deleted",
            created_at=self._clock.now(),
            subject=task_id,
            details={"is_hard": is_hard, "removed": dict(removal.counts)},
        )


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
