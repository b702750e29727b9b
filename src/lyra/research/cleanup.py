"""Deleting a task: running searches are cancelled first, files follow the rows, and the journal keeps that it was.

A hard deletion also takes what was asked out of everything that stays in the data directory: records of the archive,
logs, reports, the history of the browser, and the pages of the database file that are free now. The same goes for the
names of sites that only this task had reached.
"""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from lyra.archive.erasing import ErasedArchive, Eraser
from lyra.archive.files import FileRemoval, remove_files
from lyra.clock import Clock
from lyra.errors import DatabaseBusy, StorageError, TaskNotFound
from lyra.fetch.browser.history import forget_history
from lyra.fetch.sessions import SessionStore
from lyra.ids import TASK_ID
from lyra.model.event import Event
from lyra.model.job import JobState
from lyra.model.task import FinalStatus, TaskRemoval
from lyra.observe.erasing import erase_lines
from lyra.settings import Settings
from lyra.storage import archive_index, caches, cleanup, jobs, journal, sentence_vectors, sites, transactions
from lyra.storage.database import Database

# A worker looks for cancelled jobs every `jobs.poll_s`, and what it cancels ends at its next wait.
_POLLS_TO_LET_GO = 3
# Result pages live for a day and robots.txt files for less; vectors are costly, and a task may pause for a month.
_ANSWERS_KEPT = timedelta(days=7)
_VECTORS_KEPT = timedelta(days=30)
_HELD = "a running search may be reading it; it is erased when that search has ended"
_CITED = "a search of another task found a citation from or to it; it is erased with that task"
# What is outside the data directory, was given away, or belongs to no task.
NOT_COVERED = (
    "backups (lyra backup) and what a restore moved aside",
    "packs, exports and reports written elsewhere",
    "cookies in the browser's profile, which are your log-ins",
    "questions to you (wait_for_user) that neither name the task nor repeat what it asked",
    "notes to calibration samples that belong to no judgement",
)


@dataclass(frozen=True, slots=True)
class DeletedTask:
    """What was taken away, or would be; in a dry run no file is removed and `files` is empty."""

    task_id: str
    is_hard: bool
    is_dry_run: bool
    removal: TaskRemoval
    files: FileRemoval
    erased: ErasedArchive = field(default_factory=ErasedArchive)
    log_lines: int = 0
    reports: tuple[str, ...] = ()
    left: tuple[tuple[str, str], ...] = ()


class Cleaner:
    """Deletes tasks softly or hard (SPEC §8)."""

    def __init__(self, db: Database, clock: Clock, settings: Settings) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        self._sessions = SessionStore(settings.sessions_dir, clock)

    async def delete(self, task_id: str, *, is_hard: bool, is_dry_run: bool) -> DeletedTask:
        """Delete the task or say what that would take away; raises TaskNotFound."""
        if not TASK_ID.fullmatch(task_id):
            raise TaskNotFound(task_id)
        if is_dry_run:
            removal = await self._db.write(cleanup.preview_deletion, task_id, is_hard=is_hard, now=self._clock.now())
            return DeletedTask(task_id, is_hard, True, removal, FileRemoval())
        await self._cancel(task_id)
        removal = await self._db.write(cleanup.delete_task, task_id, is_hard=is_hard, now=self._clock.now())
        await self._db.write(journal.append, [self._event(task_id, removal, is_hard=is_hard)])
        words = (task_id, *removal.texts)
        log_lines = await asyncio.to_thread(erase_lines, self._settings.log_dir, words, removal.sites)
        deleted = DeletedTask(task_id, is_hard, False, removal, FileRemoval(), log_lines=log_lines)
        return await self._erase(deleted) if is_hard else deleted

    async def _erase(self, deleted: DeletedTask) -> DeletedTask:
        """What a hard deletion takes out of files."""
        files = await asyncio.to_thread(remove_files, self._settings.archive_dir, deleted.removal.lone_files)
        await self._db.write(archive_index.forget_files, files.removed)
        erased = await self._finish_files()
        reports = await asyncio.to_thread(_remove_reports, self._settings.reports_dir, deleted.task_id)
        kept = await asyncio.to_thread(forget_history, self._settings)
        for site in deleted.removal.sites:
            await self._sessions.forget(site)
        return replace(deleted, files=files, erased=erased, reports=reports, left=(*await self._compact(), *kept))

    async def finish_erasing(self) -> ErasedArchive:
        """Do what hard deletions have left to be done, also of a process that was killed: with pages that searches
        held, in the archive, and with sites whose cooldown has ended since."""
        await self.delete_held()
        return await self._finish_files()

    async def delete_held(self) -> None:
        """Delete pages that searches held when their tasks were deleted hard, and hold no longer."""
        for task_id in await self._db.read(cleanup.unfinished):
            try:
                removal = await self._db.write(cleanup.delete_task, task_id, is_hard=True, now=self._clock.now())
            except TaskNotFound:  # another process has just done it
                continue
            if any(removal.counts.values()):
                await asyncio.to_thread(erase_lines, self._settings.log_dir, (), removal.sites)
                await self._erase(DeletedTask(task_id, True, False, removal, FileRemoval()))

    async def _finish_files(self) -> ErasedArchive:
        if due := await self._db.write(sites.forget_due, self._clock.now()):
            await asyncio.to_thread(erase_lines, self._settings.log_dir, (), due)
        return await Eraser(self._settings.archive_dir, self._db).finish()

    async def _compact(self) -> tuple[tuple[str, str], ...]:
        """The database without what was deleted; why some of it may still be in its files, where it may."""
        name = self._settings.database_path.name
        try:
            if not await self._db.compact():
                raise DatabaseBusy(
                    "Another process still reads it; what was deleted leaves the file when that one has ended."
                )
        except StorageError as exc:
            return ((name, exc.message),)
        return ()

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
            transactions.stop_task, task_id, FinalStatus.CANCELLED, "the task is being deleted", self._clock.now()
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


def _remove_reports(directory: Path, task_id: str) -> tuple[str, ...]:
    """Remove the reports of a task that lie in the data directory."""
    found = sorted(directory.glob(f"{task_id}.*"))
    for path in found:
        path.unlink(missing_ok=True)
    return tuple(path.name for path in found)


def deleted_fields(deleted: DeletedTask) -> dict[str, Any]:
    """What deleting a task took away, or would."""
    removal, files = deleted.removal, deleted.files
    held = [_left(url, reason=_HELD) for url in removal.held_pages]
    held += [_left(url, reason=_CITED) for url in removal.cited_pages]
    return {
        "task_id": deleted.task_id,
        "mode": "hard" if deleted.is_hard else "soft",
        "dry_run": deleted.is_dry_run,
        "removed": dict(removal.counts),
        "archive_files": {
            "unneeded": list(removal.lone_files),
            "removed": list(files.removed),
            "left": [_left(path, reason) for path, reason in files.left],
            "shared_with_other_pages": list(removal.shared_files),
        },
        "archive_records": {
            "to_erase": removal.records,
            "erased": deleted.erased.records,
            "cleaned": deleted.erased.cleaned_records,
            "files_rewritten": deleted.erased.files,
        },
        "log_lines": deleted.log_lines,
        "sites": {
            "forgotten": sorted(removal.sites),
            "kept": [{"domain": one.domain, "reason": one.reason} for one in removal.kept_sites],
        },
        "reports": list(deleted.reports),
        "left": [*held, *(_left(path, reason) for path, reason in (*deleted.erased.left, *deleted.left))],
        "not_covered": list(NOT_COVERED) if deleted.is_hard else [],
    }


def _left(path: str, reason: str) -> dict[str, str]:
    return {"path": path, "reason": reason}
