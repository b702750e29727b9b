"""Makes the pack of a task: only what its evidence needs, and nothing that belongs to the user or to other tasks."""

import asyncio
import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lyra import __version__
from lyra.archive.captures import Captures, capture_name
from lyra.archive.records import RecordContents, make_copy
from lyra.archive.warc import WarcArchive
from lyra.disk import in_one_step, writing
from lyra.errors import InvalidParams, StorageError
from lyra.evidence.task_graph import evidence_of
from lyra.model.task import Task
from lyra.model.task_evidence import EvidencePage, TaskEvidence
from lyra.redact.redactor import public_url
from lyra.report.markdown import markdown
from lyra.report.pack.contents import (
    APPENDIX,
    GRAPH,
    MANIFEST,
    MODELS,
    README,
    README_TEXT,
    RECORDS,
    REPORT,
    SCREENSHOTS,
    Manifest,
    PackedFile,
    PackedRecord,
    graph_lines,
    quotes_by_page,
)
from lyra.report.pack.zip_file import Content, write_zip
from lyra.report.write import Reporter
from lyra.storage import archive_index
from lyra.storage.database import Database

# Of an answer's headers only those that say what it is: cookies, keys and locations with tokens never get in.
_KEPT_HEADERS = frozenset(
    {"content-type", "content-language", "content-disposition", "date", "last-modified", "memento-datetime"}
)
_SHORTEST_SECRET = 8
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"']+")
_AMPERSAND = "&amp;"
Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class MadePack:
    """A finished pack and its SHA-256. `damaged` are addresses whose archived record could not be read, with why; they
    are among those that the manifest calls missing, of which `missing_quotes` has the words that nobody can check.
    `pages` and `quotes` count all of the evidence."""

    path: Path
    digest: str
    size_bytes: int
    manifest: Manifest
    damaged: Mapping[str, str]
    missing_quotes: Mapping[str, tuple[str, ...]]
    pages: int
    quotes: int


@dataclass(frozen=True, slots=True)
class Packer:
    """Makes packs. `cards` are the files of the installed models' cards by model id, `embedder_id` is the one of them
    that finds what belongs together; `secrets` must not get in."""

    db: Database
    archive: WarcArchive
    captures: Captures
    archive_dir: Path
    reporter: Reporter
    cards: Callable[[], Mapping[str, bytes]]
    embedder_id: str
    secrets: Sequence[str]

    async def make(self, task: Task, file: Path, tell: Tell = lambda done, of: None) -> MadePack:
        """Write the pack in one step. Raises InvalidParams, DiskFull or StorageError, and then there is no file."""
        _check_target(file)
        with writing(file.parent, InvalidParams), in_one_step(file) as (scratch, stream):
            damaged: dict[str, str] = {}
            evidence = await self.db.read(evidence_of, task.id)
            manifest = await self._fill(task, evidence, scratch, stream, tell, damaged)
            digest, size = await asyncio.to_thread(_digest_of, stream)
        quotes = quotes_by_page(evidence)
        lost = {page.url: quotes.get(page.id, ()) for page in evidence.pages if page.url in manifest.missing}
        count = sum(map(len, quotes.values()))
        return MadePack(file, digest, size, manifest, damaged, lost, len(evidence.pages), count)

    async def _fill(
        self, task: Task, evidence: TaskEvidence, scratch: Path, stream: BinaryIO, tell: Tell, damaged: dict[str, str]
    ) -> Manifest:
        report, appendix = await self.reporter.documents(task)
        files: dict[str, Content] = {
            README: README_TEXT.encode(),
            GRAPH: b"".join(graph_lines(evidence)),
            REPORT: _without_tokens(markdown(report)).encode("utf-8", "surrogatepass"),
            APPENDIX: _without_tokens(markdown(appendix)).encode("utf-8", "surrogatepass"),
        }
        for name, content in files.items():
            self._refuse_secrets(name, content if isinstance(content, bytes) else b"")
        files |= self._model_cards(evidence)
        records, missing = await self._add_records(evidence, scratch / "records", files, tell, damaged)
        manifest = Manifest(
            task_id=task.id,
            question=task.query,
            lyra_version=__version__,
            graph_digest=evidence.digest,
            last_change=max((page.fetched_at for page in evidence.pages), default=""),
            files=tuple(_packed(name, files[name]) for name in sorted(files)),
            records=records,
            missing=missing,
            models=tuple(sorted({edge.model_id for edge in evidence.edges if edge.model_id})),
        )
        await asyncio.to_thread(write_zip, stream, {**files, MANIFEST: manifest.to_bytes()})
        return manifest

    def _model_cards(self, evidence: TaskEvidence) -> dict[str, Content]:
        used = {self.embedder_id, *(edge.model_id for edge in evidence.edges)}
        return {
            f"{MODELS}{re.sub(r'[^A-Za-z0-9._-]', '_', model_id)}.json": card
            for model_id, card in self.cards().items()
            if model_id in used
        }

    async def _add_records(
        self, evidence: TaskEvidence, file: Path, files: dict[str, Content], tell: Tell, damaged: dict[str, str]
    ) -> tuple[tuple[PackedRecord, ...], tuple[str, ...]]:
        """Copies of the records that the pages were read from, with their screenshots; what is missing is named."""
        wanted: dict[str, list[EvidencePage]] = {}
        for page in evidence.pages:
            wanted.setdefault(page.record_id or f"none of {page.url}", []).append(page)
        packed: list[PackedRecord] = []
        missing: list[str] = []
        with file.open("wb") as out:
            for done, (record_id, pages) in enumerate(sorted(wanted.items()), 1):
                tell(done, len(wanted))
                contents = await self._contents(pages, damaged)
                if contents is None:
                    missing += (page.url for page in pages)
                    continue
                url = public_url(contents.entry.url)
                member = await asyncio.to_thread(self._copy, contents, url)
                packed.append(PackedRecord(record_id, url, out.tell(), len(member)))
                out.write(member)
                files |= await self._screenshot(contents)
        files[RECORDS] = file
        return tuple(packed), tuple(sorted(set(missing)))

    async def _contents(self, pages: Sequence[EvidencePage], damaged: dict[str, str]) -> RecordContents | None:
        """The record of these pages, its bytes checked; None where it is gone, or damaged and noted as such."""
        record_id = pages[0].record_id
        entry = await self.db.read(archive_index.get, record_id) if record_id else None
        try:
            return await self.archive.contents(entry.ref) if entry else None
        except StorageError as exc:
            damaged |= dict.fromkeys((page.url for page in pages), exc.message)
            return None

    def _copy(self, contents: RecordContents, url: str) -> bytes:
        self._refuse_secrets(url, contents.body)
        headers = [(name, value) for name, value in contents.headers if name.lower() in _KEPT_HEADERS]
        return make_copy(contents, url, headers)

    async def _screenshot(self, contents: RecordContents) -> dict[str, Content]:
        for record_id in filter(None, (contents.entry.ref.record_id, contents.entry.refers_to)):
            found = await self.captures.of_record(record_id)
            if found is not None and found.screenshot is not None:
                return {f"{SCREENSHOTS}{capture_name(record_id)}.png": self.archive_dir / found.screenshot}
        return {}

    def _refuse_secrets(self, name: str, content: bytes) -> None:
        """The archive keeps known secrets out; this is the last look before others get the file."""
        for secret in self.secrets:
            if len(secret) >= _SHORTEST_SECRET and secret.encode() in content:
                raise InvalidParams(
                    f"The pack was not made: {name[:200]} holds a key or password of your settings.",
                    remedy="Change that key, delete the page's task with --hard, and pack again.",
                )


def _without_tokens(text: str) -> str:
    """A report whose addresses have no values of secret parameters."""

    def cleaned(found: re.Match[str]) -> str:
        address = found[0]
        if _AMPERSAND not in address:
            return public_url(address)
        return public_url(address.replace(_AMPERSAND, "&")).replace("&", _AMPERSAND)

    return _ADDRESS.sub(cleaned, text)


def _packed(name: str, content: Content) -> PackedFile:
    if isinstance(content, bytes):
        return PackedFile(name, len(content), hashlib.sha256(content).hexdigest())
    with content.open("rb") as file:
        return PackedFile(name, content.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def _digest_of(stream: BinaryIO) -> tuple[str, int]:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    return hashlib.file_digest(stream, "sha256").hexdigest(), size  # type: ignore[arg-type]


def _check_target(file: Path) -> None:
    if file.exists():
        raise InvalidParams(f"{file} exists already; it was left untouched.", remedy="Choose another name.")
    if not file.parent.is_dir():
        raise InvalidParams(
            f"{file} cannot be written: there is no folder {file.parent}.", remedy="Make the folder first."
        )
