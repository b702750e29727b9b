"""Whether the archive is whole: every record against its own digests and against the index, and what is missing."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lyra.archive.files import RepairedFile, is_being_written, warc_files
from lyra.archive.records import WarcRecord, read_records
from lyra.errors import StorageError
from lyra.model.archive import ArchivedRecord

# Told how many files of how many were read.
Progress = Callable[[int, int], None]


def no_progress(done: int, total: int) -> None:
    """Tells nobody."""


@dataclass(frozen=True, slots=True)
class ArchiveProblem:
    """Something wrong in one file, at one record where that can be said."""

    path: str
    problem: str
    offset: int | None = None
    record_id: str | None = None


@dataclass(frozen=True, slots=True)
class ArchiveCheck:
    """What a check found; `records` counts every record of every kind, `unindexed` those the index lacks.

    `missing` are records that the index or a page names and no file holds, `missing_files` the files that are gone.
    """

    files: int
    records: dict[str, int]
    problems: tuple[ArchiveProblem, ...]
    unindexed: int
    missing: tuple[str, ...]
    missing_files: tuple[str, ...] = ()
    mended: tuple[RepairedFile, ...] = ()

    @property
    def is_whole(self) -> bool:
        return not self.problems and not self.missing and not self.missing_files


class ArchiveChecker:
    """Reads every file below a directory once; `known` is the index, `needed` the records of pages with their files."""

    def __init__(self, directory: Path, known: Mapping[str, ArchivedRecord], needed: Iterable[tuple[str, str]]) -> None:
        self._directory = directory
        self._known = known
        self._needed = dict(needed)
        self._kinds: Counter[str] = Counter()
        self._problems: list[ArchiveProblem] = []
        self._seen: set[str] = set()
        self._moved: dict[str, ArchiveProblem] = {}
        self._in_place: set[str] = set()
        self._unindexed = 0

    def check(self, on_progress: Progress = no_progress) -> ArchiveCheck:
        """Read everything; may be interrupted between two records."""
        paths = warc_files(self._directory)
        for number, path in enumerate(paths):
            on_progress(number, len(paths))
            self._check_file(path)
        on_progress(len(paths), len(paths))
        elsewhere = [problem for name, problem in self._moved.items() if name not in self._in_place]
        named = {record.ref.path for record in self._known.values()} | set(self._needed.values())
        return ArchiveCheck(
            len(paths),
            dict(sorted(self._kinds.items())),
            (*self._problems, *elsewhere),
            self._unindexed,
            tuple(sorted({*self._known, *self._needed} - self._seen)),
            tuple(sorted(named - set(paths))),
        )

    def _check_file(self, path: str) -> None:
        end = 0
        try:
            for member in read_records(self._directory, path):
                if member.is_cut_off:
                    break
                end = member.offset + member.length
                self._check_record(path, member)
        except StorageError as exc:
            self._problems.append(ArchiveProblem(path, exc.message, end))
            return
        self._problems += self._torn(path, end)

    def _check_record(self, path: str, member: WarcRecord) -> None:
        self._kinds[member.kind] += 1
        self._seen.add(member.record_id)
        self._problems += [ArchiveProblem(path, text, member.offset, member.record_id) for text in member.problems]
        if member.entry is None:
            return
        known = self._known.get(member.record_id)
        if known is None:
            self._unindexed += 1
        elif known.ref != member.entry.ref:
            self._moved[member.record_id] = ArchiveProblem(
                path, "the index names another place", member.offset, member.record_id
            )
        else:
            self._in_place.add(member.record_id)
            if known.digest != member.entry.digest and member.entry.digest is not None:
                self._problems.append(
                    ArchiveProblem(path, "its hash is not the one of the index", member.offset, member.record_id)
                )

    def _torn(self, path: str, end: int) -> list[ArchiveProblem]:
        """A file whose last record is not whole; one that is being written may be so for a moment."""
        file = self._directory / path
        behind = file.stat().st_size - end
        if behind <= 0 or is_being_written(file):
            return []
        return [ArchiveProblem(path, f"{behind} bytes at the end are not a complete record", end)]
