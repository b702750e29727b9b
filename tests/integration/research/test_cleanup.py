"""Deleting a task through its shell: what runs is cancelled, files follow the rows, and the journal keeps it."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lyra.archive.files import FileRemoval, remove_files
from lyra.errors import TaskNotFound
from lyra.model.archive import ArchivedRecord, RecordKind
from lyra.model.edge import Relation
from lyra.model.job import JobState
from lyra.model.page import ArchiveRef
from lyra.model.search import SearchStatus
from lyra.model.trust import TrustLevel
from lyra.research.cleanup import Cleaner, DeletedTask
from lyra.settings import Settings
from lyra.storage import archive_index, jobs, searches
from lyra.storage.database import Database

FILE = "20260314/lyra-20260314-999999999-w_1.warc.gz"
TASK = "task_00000000000a"
OTHER = "task_00000000000b"


@pytest.fixture
def page(said: Any) -> Any:
    return said(
        "https://a.example/x", "a.example", "Gliptins do not prolong life.", Relation.REFUTES, 0.9, TrustLevel.LOW
    )


@pytest.fixture
def archived(settings: Settings) -> Path:
    path = settings.archive_dir / FILE
    path.parent.mkdir(parents=True)
    path.write_bytes(b"WARC/1.1")
    return path


@pytest.fixture
def cleaner(db: Database, clock: Any, settings: Settings) -> Cleaner:
    return Cleaner(db, clock, settings)


async def test_hard_deletion_removes_the_archive_file_and_its_empty_folder(
    db: Database, cleaner: Cleaner, archived: Path, write: Any, page: Any
) -> None:
    """The last page that lay in the file is gone, and so is the file."""
    await db.write(write, "Gliptins prolong life.", [page])

    deleted = await cleaner.delete(TASK, is_hard=True, is_dry_run=False)

    assert (deleted.removal.counts["pages"], deleted.files) == (1, FileRemoval((FILE,), ()))
    assert await asyncio.to_thread(archived.parent.exists) is False


async def test_a_file_whose_body_another_record_refers_to_stays_and_a_removed_one_leaves_the_index(
    db: Database, cleaner: Cleaner, archived: Path, write: Any, page: Any, clock: Any
) -> None:
    """Without its original a revisit elsewhere could prove nothing any more."""
    ref = page.page.archive
    origin = ArchivedRecord(ref, RecordKind.RESPONSE, "https://a.example/x", "x", clock.now())
    revisit = replace(origin, ref=ArchiveRef("20260315/b.warc.gz", 0, 8, "<b>"), refers_to=ref.record_id)
    await db.write(archive_index.add, [origin, revisit])
    await db.write(write, "Gliptins prolong life.", [page])

    kept = await cleaner.delete(TASK, is_hard=True, is_dry_run=False)
    await db.write(archive_index.forget_files, ["20260315/b.warc.gz"])
    await db.write(write, "Gliptins prolong life.", [page])
    removed = await cleaner.delete(TASK, is_hard=True, is_dry_run=False)

    assert (kept.removal.lone_files, kept.removal.shared_files) == ((), (FILE,))
    assert removed.files.removed == (FILE,)
    assert await db.read(archive_index.all_records) == ()


def counted(deleted: DeletedTask) -> dict[str, int]:
    return {table: count for table, count in deleted.removal.counts.items() if table != "event_log"}


async def test_a_dry_run_counts_the_same_and_leaves_everything(
    db: Database, cleaner: Cleaner, archived: Path, write: Any, page: Any
) -> None:
    """Whoever asks first what would go gets the true answer, and nothing has happened; only the journal grows by the
    cancelled search that deleting begins with."""
    await db.write(write, "Gliptins prolong life.", [page], running=True)

    rehearsed = await cleaner.delete(TASK, is_hard=True, is_dry_run=True)
    search = await db.read(searches.get, f"s_{TASK}")
    deleted = await cleaner.delete(TASK, is_hard=True, is_dry_run=False)

    assert search is not None
    assert search.status is SearchStatus.RUNNING
    assert rehearsed.files == FileRemoval()
    assert counted(rehearsed) == counted(deleted)
    assert (rehearsed.removal.lone_files, rehearsed.removal.shared_files) == (
        deleted.removal.lone_files,
        deleted.removal.shared_files,
    )


async def test_a_running_search_is_cancelled_and_let_go_before_anything_is_deleted(
    db: Database, cleaner: Cleaner, clock: Any, write: Any, page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process works on the task: it is told to stop, and given time to, while the rows still stand."""
    await db.write(write, "Gliptins prolong life.", [page], running=True)
    seen: list[tuple[JobState, SearchStatus]] = []

    async def look(seconds: float) -> None:
        (job,) = await db.read(jobs.of_task, TASK)
        search = await db.read(searches.get, f"s_{TASK}")
        assert search is not None
        seen.append((job.state, search.status))
        clock.slept.append(seconds)

    monkeypatch.setattr(clock, "sleep", look)
    await cleaner.delete(TASK, is_hard=False, is_dry_run=False)

    assert seen == [(JobState.CANCELLED, SearchStatus.CANCELLED)]
    assert clock.slept == [1.5]


async def test_nothing_is_waited_for_when_nothing_runs(
    db: Database, cleaner: Cleaner, clock: Any, write: Any, page: Any
) -> None:
    """A finished task is deleted at once."""
    await db.write(write, "Gliptins prolong life.", [page])

    await cleaner.delete(TASK, is_hard=False, is_dry_run=False)

    assert clock.slept == []


async def test_the_journal_keeps_that_a_task_was_deleted_and_nothing_of_what_it_asked(
    db: Database, cleaner: Cleaner, write: Any, page: Any
) -> None:
    """The task's own lines go with it; one line with its id and the counts stays."""
    await db.write(write, "Gliptins prolong life.", [page])

    await cleaner.delete(TASK, is_hard=False, is_dry_run=False)

    lines = await db.read(
        lambda c: c.execute(
            "select kind, subject, task_id, details ->> 'is_hard', details ->> 'removed' ->> 'claims' from event_log"
        ).fetchall()
    )
    assert lines == [("task_deleted", TASK, None, 0, 1)]


async def test_a_page_that_another_task_reached_stays_with_its_file(
    db: Database, cleaner: Cleaner, archived: Path, write: Any, page: Any
) -> None:
    """Both tasks read the page; deleting one leaves the other its evidence and the bytes behind it."""
    await db.write(write, "Gliptins prolong life.", [page])
    await db.write(write, "Gliptins prolong life.", [page], task_id=OTHER)

    deleted = await cleaner.delete(TASK, is_hard=True, is_dry_run=False)

    assert (deleted.removal.counts["pages"], deleted.files) == (0, FileRemoval())
    assert await asyncio.to_thread(archived.read_bytes) == b"WARC/1.1"


@pytest.mark.parametrize("task_id", ["task_ffffffffffff", "../../etc", ""])
async def test_an_unknown_or_malformed_id_is_refused(cleaner: Cleaner, task_id: str) -> None:
    """TASK_NOT_FOUND, before anything is touched."""
    with pytest.raises(TaskNotFound):
        await cleaner.delete(task_id, is_hard=True, is_dry_run=True)


def test_a_file_that_a_living_process_may_write_to_stays(tmp_path: Path) -> None:
    """Its next record may belong to another task's page that is not stored yet."""
    own = f"20260314/lyra-20260314-{os.getpid()}-w_1.warc.gz"
    (tmp_path / own).parent.mkdir()
    (tmp_path / own).write_bytes(b"")

    found = remove_files(tmp_path, [own, FILE, "../outside.warc.gz"])

    assert found == FileRemoval(
        (FILE,),
        ((own, "the process that writes it is still running"), ("../outside.warc.gz", "it is outside the archive")),
    )
