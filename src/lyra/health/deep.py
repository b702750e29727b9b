"""The long checks of `lyra doctor --deep`: every record of database and archive, and who may read the files."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lyra.errors import LyraError
from lyra.health.finding import Finding
from lyra.settings import Settings

if TYPE_CHECKING:
    from lyra.archive.checking import ArchiveCheck
    from lyra.storage.integrity import DatabaseCheck

_RESTORE = (
    "Restore a backup with `lyra restore`; `lyra archive check --repair` removes incomplete records that a crash left."
)
_PROBLEMS_SHOWN = 3
_DAMAGE_SHOWN = 20
_UNCHECKED_ARCHIVE = Finding(
    "archive", False, "not checked: the database, which lists its records, cannot be read", _RESTORE
)
# Told which part is read, and how much of how much of it.
DeepProgress = Callable[[str, int, int], None]


def check_deeply(settings: Settings, on_progress: DeepProgress) -> list[Finding]:
    """Every page of the database and every record of the archive, and who may read the files. May be interrupted."""
    from lyra.archive.checking import ArchiveChecker
    from lyra.storage.integrity import check_database

    if not settings.database_path.exists():
        return [Finding("integrity", True, "there is no database yet")]
    try:
        database = check_database(settings.database_path, lambda: on_progress("database", 0, 1))
    except LyraError as exc:
        return [Finding("integrity", False, exc.message, exc.remedy), _UNCHECKED_ARCHIVE]
    known = {record.ref.record_id: record for record in database.records}
    checker = ArchiveChecker(settings.archive_dir, known, database.page_records)
    archive = checker.check(lambda done, total: on_progress("archive", done, total))
    return [_integrity(database), *_archive_findings(archive, database), _permissions(settings.data_dir)]


def _integrity(found: "DatabaseCheck") -> Finding:
    if not found.problems:
        return Finding("integrity", True, "the database is sound")
    shown = "; ".join(found.problems[:_DAMAGE_SHOWN])
    return Finding("integrity", False, f"problems in the database: {len(found.problems)} ({shown})", _RESTORE)


def _archive_findings(found: "ArchiveCheck", database: "DatabaseCheck") -> list[Finding]:
    lines = []
    if found.missing_files:
        shown = ", ".join(found.missing_files[:_PROBLEMS_SHOWN])
        lines.append(
            Finding("archive files", False, f"archive files missing: {len(found.missing_files)} ({shown})", _RESTORE)
        )
    wrong = [f"{one.path}: {one.problem}" for one in found.problems]
    wrong += [f"{record_id} is in no file" for record_id in found.missing]
    if wrong:
        shown = "; ".join(wrong[:_PROBLEMS_SHOWN])
        lines.append(Finding("archive", False, f"problems in the archive: {len(wrong)} ({shown})", _RESTORE))
    if not database.is_archive_known:
        lines.append(_UNCHECKED_ARCHIVE)
    elif not wrong:
        records = sum(found.records.values())
        lines.append(Finding("archive", True, f"records that are as they were written: {records}"))
    return lines


def _permissions(directory: Path) -> Finding:
    """Files of the data directory that others on this machine may read or change."""
    found = [path for path in (directory, *directory.rglob("*")) if not path.is_symlink() and _is_open_to_others(path)]
    if not found:
        return Finding("permissions", True, "only this user can read the data directory")
    detail = f"files and folders that others may read or change: {len(found)} ({found[0]})"
    return Finding("permissions", False, detail, f"chmod -R go= {directory}")


def _is_open_to_others(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & 0o077)
    except OSError:  # it went away meanwhile
        return False
