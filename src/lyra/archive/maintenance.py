"""Maintenance of the archive: whether every record can be read, how large it is, and how it shrinks."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from lyra.archive.captures import capture_name, capture_sizes, remove_capture
from lyra.archive.cdxj import cdxj_line, url_key
from lyra.archive.checking import ArchiveCheck, ArchiveChecker
from lyra.archive.files import RepairedFile, is_being_written, recover, remove_files, warc_files
from lyra.archive.pruning import choose_removals, rewrite
from lyra.clock import Clock
from lyra.errors import StorageError
from lyra.model.archive import ArchivedRecord, RecordKind, RecordUse
from lyra.model.event import Event
from lyra.redact.redactor import PLAIN, Redactor
from lyra.storage import archive_index, journal
from lyra.storage.database import Database

_MOST_LISTED = 1_000


@dataclass(frozen=True, slots=True)
class ArchiveSizes:
    """Bytes on disk, and how many records evidence rests on."""

    warc_bytes: int
    capture_bytes: int
    files: int
    captures: int
    records: int
    evidence_records: int
    evidence_bytes: int

    @property
    def total_bytes(self) -> int:
        return self.warc_bytes + self.capture_bytes


@dataclass(frozen=True, slots=True)
class PruneResult:
    """What was removed or would be; `left` are files that could not be touched, each with the reason."""

    records: int
    evidence_records: int
    freed_bytes: int
    bytes_before: int
    left: tuple[tuple[str, str], ...] = ()


class ArchiveMaintenance:
    """Looks after one archive directory and its index."""

    def __init__(self, directory: Path, db: Database, clock: Clock, redactor: Redactor = PLAIN) -> None:
        self._directory = directory
        self._db = db
        self._clock = clock
        self._redactor = redactor

    async def check(self, *, repair: bool = False) -> ArchiveCheck:
        """Read every record; with `repair`, torn ends of dead processes are cut off and the index completed first."""
        mended: list[RepairedFile] = []
        if repair:
            mended = await asyncio.to_thread(recover, self._directory, {})
            await self._db.write(archive_index.add, [entry for file in mended for entry in file.entries])
        known = {record.ref.record_id: record for record in await self._db.read(archive_index.all_records)}
        needed = await self._db.read(archive_index.page_records)
        checked = await asyncio.to_thread(ArchiveChecker(self._directory, known, needed).check)
        return replace(checked, mended=tuple(file for file in mended if file.cut_bytes))

    async def of_address(self, url: str) -> tuple[ArchivedRecord, ...]:
        """What is kept of an address, newest first; scheme, `www.` and the order of parameters do not matter."""
        return await self._db.read(archive_index.of_address, url_key(self._redactor.url(url)), _MOST_LISTED)

    async def cdxj(self) -> str:
        """The whole index in the form that other web archive tools read."""
        return "".join(f"{_line(record)}\n" for record in await self._db.read(archive_index.all_records))

    async def sizes(self) -> ArchiveSizes:
        uses = await self._db.read(archive_index.record_uses)
        return await asyncio.to_thread(self._sizes, uses)

    async def prune(
        self, *, max_bytes: int | None, keep_days: int | None, is_forced: bool = False, is_dry_run: bool = False
    ) -> PruneResult:
        """Remove records by age and then until the size fits; what evidence needs stays unless forced.

        Each file is written anew, the index and the pages follow in one transaction, then the old file goes: a crash
        leaves at worst a file too many.
        """
        uses = await self._db.read(archive_index.record_uses)
        sizes = await asyncio.to_thread(self._sizes, uses)
        before = self._clock.now() - timedelta(days=keep_days) if keep_days is not None else None
        chosen = choose_removals(
            uses,
            excess_bytes=max(0, sizes.total_bytes - max_bytes) if max_bytes is not None else 0,
            before=before,
            is_forced=is_forced,
            sizes=await asyncio.to_thread(self._record_sizes, uses),
        )
        if is_dry_run or not chosen:
            return await self._preview(chosen, sizes.total_bytes)
        return await self._remove(chosen, sizes.total_bytes, is_forced=is_forced)

    async def _preview(self, chosen: Sequence[RecordUse], total_bytes: int) -> PruneResult:
        gained = await asyncio.to_thread(self._record_sizes, chosen)
        evidence = sum(use.is_evidence for use in chosen)
        return PruneResult(len(chosen), evidence, sum(gained.values()), total_bytes)

    async def _remove(self, chosen: Sequence[RecordUse], total_bytes: int, *, is_forced: bool) -> PruneResult:
        by_file: dict[str, list[RecordUse]] = defaultdict(list)
        for use in chosen:
            by_file[use.ref.path].append(use)
        removed: set[str] = set()
        left: list[tuple[str, str]] = []
        freed = 0
        for path, group in sorted(by_file.items()):
            if is_being_written(self._directory / path):
                left.append((path, "the process that writes it is still running"))
                continue
            try:
                result = await asyncio.to_thread(rewrite, self._directory, path, {u.ref.record_id for u in group})
            except StorageError as exc:
                left.append((path, exc.message))
                continue
            await self._db.write(archive_index.relocate, result.moved, result.removed)
            outcome = await asyncio.to_thread(remove_files, self._directory, [path])
            left += outcome.left
            removed |= set(result.removed)
            freed += result.freed_bytes + await asyncio.to_thread(self._remove_captures, result.removed)
        evidence = sum(use.is_evidence for use in chosen if use.ref.record_id in removed)
        pruned = PruneResult(len(removed), evidence, freed, total_bytes, tuple(left))
        await self._db.write(journal.append, [self._event(pruned, is_forced=is_forced)])
        return pruned

    def _event(self, pruned: PruneResult, *, is_forced: bool) -> Event:
        return Event(
            kind="archive_pruned",
            created_at=self._clock.now(),
            subject="archive",
            details={
                "records": pruned.records,
                "evidence_records": pruned.evidence_records,
                "freed_bytes": pruned.freed_bytes,
                "is_forced": is_forced,
                "left": [path for path, _ in pruned.left],
            },
        )

    def _sizes(self, uses: Sequence[RecordUse]) -> ArchiveSizes:
        files = [self._directory / path for path in warc_files(self._directory)]
        captured = capture_sizes(self._directory)
        needed = [use for use in uses if use.is_evidence]
        return ArchiveSizes(
            warc_bytes=sum(file.stat().st_size for file in files),
            capture_bytes=sum(captured.values()),
            files=len(files),
            captures=len(captured),
            records=len(uses),
            evidence_records=len(needed),
            evidence_bytes=sum(self._record_sizes(needed).values()),
        )

    def _record_sizes(self, uses: Sequence[RecordUse]) -> dict[str, int]:
        """The bytes that go with each record: its own, and those of its capture."""
        captured = capture_sizes(self._directory)
        return {use.ref.record_id: use.ref.length + captured.get(capture_name(use.ref.record_id), 0) for use in uses}

    def _remove_captures(self, record_ids: Sequence[str]) -> int:
        return sum(remove_capture(self._directory, record_id) for record_id in record_ids)


def _line(record: ArchivedRecord) -> str:
    return cdxj_line(
        record.url,
        record.archived_at,
        {
            "mime": "warc/revisit" if record.kind is RecordKind.REVISIT else record.media_type or None,
            "status": str(record.status_code) if record.status_code else None,
            "digest": record.digest,
            "length": str(record.ref.length),
            "offset": str(record.ref.offset),
            "filename": record.ref.path,
        },
    )
