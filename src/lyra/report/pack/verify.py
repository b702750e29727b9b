"""Checks a pack without any data of Lyra: its form, every hash, and every quote against the archived bytes."""

import hashlib
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from lyra.archive.records import RecordContents, parse_record
from lyra.archived_answers import answered_documents, is_answer
from lyra.errors import InvalidParams, LyraError, StorageError
from lyra.extract.reader import DocumentReader
from lyra.ids import text_hash
from lyra.model.page import ArchiveRef
from lyra.model.task_evidence import EvidenceEdge, EvidenceFragment, EvidenceMention, EvidencePage, TaskEvidence
from lyra.report.pack.contents import (
    APPENDIX,
    GRAPH,
    MANIFEST,
    MODELS,
    README,
    RECORDS,
    REPORT,
    SCREENSHOTS,
    Manifest,
    PackedRecord,
    parse_graph,
    parse_manifest,
    quotes_by_fragment,
)
from lyra.report.pack.zip_file import ZippedFile, broken, read_chunks, read_zip

_REQUIRED = (README, GRAPH, RECORDS, REPORT, APPENDIX)
_MAX_MANIFEST_BYTES = 64_000_000
_MAX_GRAPH_BYTES = 1_000_000_000
# A body that is read has 25 MB at most unless the settings say otherwise; a record that unpacks to more is a bomb.
_MAX_RECORD_BYTES = 256_000_000
# What is not a pack has its SHA-256 told as well, where that costs a moment only.
_HASHED_ANYWAY_BYTES = 256_000_000
_PNG = b"\x89PNG"
Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class PackProblem:
    """What fails: `where` is a file of the pack or an address, `quote` the words that are not there."""

    kind: str
    where: str
    problem: str
    quote: str = ""


@dataclass
class PackCheck:
    """What was checked. `problems` speak against the pack itself, `origin_problems` against who made it. `missing` are
    pages whose record was not there when the pack was made, by its manifest: nothing was changed, and `quotes_missing`
    of its quotes cannot be checked. `remarks` are no failures: another extractor, words at another place. `digest` is
    empty of a large file that is not a pack."""

    digest: str = ""
    manifest: Manifest | None = None
    files: int = 0
    pages: int = 0
    fragments: int = 0
    quotes: int = 0
    quotes_found: int = 0
    quotes_missing: int = 0
    problems: list[PackProblem] = field(default_factory=list)
    origin_problems: list[PackProblem] = field(default_factory=list)
    missing: list[PackProblem] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def is_consistent(self) -> bool:
        return not self.problems

    @property
    def is_fine(self) -> bool:
        return not self.problems and not self.origin_problems and not self.missing

    def fail(self, kind: str, where: str, problem: str, quote: str = "") -> None:
        self.problems.append(PackProblem(kind, where, problem, quote[:240]))


def check_pack(path: Path, reader: DocumentReader, tell: Tell = lambda done, of: None) -> PackCheck:
    """All checks; what fails is in the result. Raises InvalidParams only where the file cannot be opened at all."""
    found = PackCheck()
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InvalidParams(f"{path} is not a plain file.", remedy="Name a file of `lyra pack`.")
    try:
        with path.open("rb") as stream:
            try:
                files = read_zip(stream)  # first: what is not a pack is not read to its end
            except InvalidParams:
                found.digest = _digest(stream) if path.stat().st_size <= _HASHED_ANYWAY_BYTES else ""
                raise
            found.digest = _digest(stream)
            _check(stream, files, reader, found, tell)
    except OSError as exc:
        raise InvalidParams(f"{path} cannot be read: {exc.strerror}.", remedy="Name a file of `lyra pack`.") from exc
    except InvalidParams as exc:
        found.fail("form", path.name, exc.message)
    return found


def _digest(stream: BinaryIO) -> str:
    stream.seek(0)
    return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]


def _check(
    stream: BinaryIO, files: dict[str, ZippedFile], reader: DocumentReader, found: PackCheck, tell: Tell
) -> None:
    manifest = parse_manifest(_bytes(stream, files, MANIFEST, _MAX_MANIFEST_BYTES))
    found.manifest = manifest
    _check_files(stream, files, manifest, found)
    if found.problems:
        return
    graph = parse_graph(_bytes(stream, files, GRAPH, _MAX_GRAPH_BYTES))
    _check_graph(graph, manifest, found)
    if found.problems:
        return
    _QuoteCheck(stream, files[RECORDS], manifest, reader, found).check(graph, tell)


def _bytes(stream: BinaryIO, files: dict[str, ZippedFile], name: str, limit: int) -> bytes:
    if name not in files:
        raise broken(f"it has no {name}")
    if files[name].size > limit:
        raise broken(f"{name} is larger than any pack's")
    return b"".join(read_chunks(stream, files[name]))


def _check_files(stream: BinaryIO, files: dict[str, ZippedFile], manifest: Manifest, found: PackCheck) -> None:
    listed = {one.path: one for one in manifest.files}
    if len(listed) != len(manifest.files) or list(listed) != sorted(listed):
        found.fail("manifest", MANIFEST, "The list of files names one twice, or is not sorted.")
    for name in sorted({*files, *listed, *_REQUIRED} - {MANIFEST}):
        if name not in files or name not in listed:
            found.fail("file", name, "It is missing." if name not in files else "The manifest does not name it.")
        elif not (name in _REQUIRED or _is_extra(stream, files[name])):
            found.fail("file", name, "It is not a file of a pack.")
        else:
            _check_hash(stream, files[name], listed[name].size_bytes, listed[name].sha256, found)
    found.files = len({*listed, MANIFEST})


def _is_extra(stream: BinaryIO, file: ZippedFile) -> bool:
    """Whether a file is what the folder it lies in is for: a picture, or the card of a model."""
    if file.name.startswith(SCREENSHOTS):
        stream.seek(file.start)
        return file.name.endswith(".png") and stream.read(min(file.size, len(_PNG))) == _PNG
    return file.name.startswith(MODELS) and file.name.endswith(".json")


def _check_hash(stream: BinaryIO, file: ZippedFile, size: int, sha256: str, found: PackCheck) -> None:
    digest = hashlib.sha256()
    try:
        for chunk in read_chunks(stream, file):
            digest.update(chunk)
    except InvalidParams as exc:
        found.fail("hash", file.name, exc.message)
        return
    if file.size != size or digest.hexdigest() != sha256:
        found.fail("hash", file.name, "Its SHA-256 is not the one that the manifest names.")


def _check_graph(graph: TaskEvidence, manifest: Manifest, found: PackCheck) -> None:
    """The graph holds together, and is the one that the manifest speaks of."""
    versions = {(page.id, page.version) for page in graph.pages}
    fragments, claims = {one.id for one in graph.fragments}, {one.id for one in graph.claims}
    pages = {page.id for page in graph.pages}
    ends = [(one.fragment_id, one.claim_id) for one in _spoken(graph)]
    loose = sum((one.page_id, one.version) not in versions for one in graph.fragments)
    loose += sum(fragment not in fragments or claim not in claims for fragment, claim in ends)
    loose += sum(not {one.citing_page_id, one.cited_page_id} <= pages for one in graph.citations)
    if loose:
        found.fail("graph", GRAPH, f"{loose} of its lines name something that is not there.")
    elif graph.digest != manifest.graph_digest:
        found.fail("graph", GRAPH, "Its digest is not the one that the manifest names.")


@dataclass
class _QuoteCheck:
    """Reads every page once more from its record and looks for the words."""

    stream: BinaryIO
    records: ZippedFile
    manifest: Manifest
    reader: DocumentReader
    found: PackCheck

    def check(self, graph: TaskEvidence, tell: Tell) -> None:
        by_record = {one.record_id: one for one in self.manifest.records}
        quotes = quotes_by_fragment(graph)
        missing = _missing_at_packing(graph, self.manifest)
        found = self.found
        found.pages, found.fragments = len(graph.pages), len(graph.fragments)
        found.quotes = sum(len(words) for words in quotes.values())
        own: dict[tuple[str, str], list[EvidenceFragment]] = {}
        for one in graph.fragments:
            own.setdefault((one.page_id, one.version), []).append(one)
        for done, page in enumerate(graph.pages, 1):
            tell(done, len(graph.pages))
            fragments, record = own.get((page.id, page.version), ()), by_record.get(page.record_id or "")
            if record is None and page.id in missing:
                self._note_missing(page, sum(len(quotes.get(one.id, ())) for one in fragments))
                text = None
            else:
                text = self._text(page, record)
            for fragment in fragments:
                self._check_fragment(page, fragment, quotes.get(fragment.id, ()), text)

    def _note_missing(self, page: EvidencePage, quotes: int) -> None:
        told = f"The archive had no whole record of it when the pack was made: {quotes} quotes cannot be checked."
        self.found.missing.append(PackProblem("missing", page.url, told))
        self.found.quotes_missing += quotes

    def _text(self, page: EvidencePage, record: PackedRecord | None) -> str | None:
        """The text that the archived bytes give; None where there are none, or nothing can be read from them."""
        if record is None:
            self.found.fail("record", page.url, "Its archived record is not in the pack: its quotes cannot be checked.")
            return None
        try:
            contents = self._contents(record)
            text, extractor = self._read(page, contents)
        except LyraError as exc:
            self.found.fail("record", page.url, exc.message)
            return None
        if text_hash(text) != page.version:
            self._note_other_text(page, extractor)
        return text

    def _note_other_text(self, page: EvidencePage, extractor: str) -> None:
        if extractor == page.extractor:
            self.found.fail("text", page.url, "The archived bytes give another text than the one that was quoted from.")
        else:
            told = f"{page.url}: read by {page.extractor} then and by {extractor} now; the words are looked for."
            self.found.remarks.append(told)

    def _contents(self, record: PackedRecord) -> RecordContents:
        ref = ArchiveRef(RECORDS, record.offset, record.length, record.record_id)
        if record.offset < 0 or record.length <= 0 or record.offset + record.length > self.records.size:
            raise StorageError(f"The archived record {record.record_id} lies outside its file.")
        self.stream.seek(self.records.start + record.offset)
        return parse_record(_unpacked(self.stream.read(record.length), record.record_id), ref)

    def _read(self, page: EvidencePage, contents: RecordContents) -> tuple[str, str]:
        """The text and who extracted it."""
        if is_answer(page.extractor):
            texts = [one.text for one in answered_documents(page.extractor, contents.body)]
            return next((one for one in texts if text_hash(one) == page.version), ""), page.extractor
        content_type = next((value for name, value in contents.headers if name.lower() == "content-type"), None)
        document = self.reader.read_blocking(contents.body, content_type=content_type, url=page.final_url or page.url)
        return document.text, document.extractor

    def _check_fragment(
        self, page: EvidencePage, fragment: EvidenceFragment, quotes: "tuple[str, ...]", text: str | None
    ) -> None:
        if text_hash(fragment.text) != fragment.text_hash:
            self.found.fail("hash", page.url, "The words of a fragment have another hash.", fragment.text)
            return
        if text is None:
            return
        if text[fragment.char_start : fragment.char_end] != fragment.text:
            if fragment.text not in text:
                self.found.fail("words", page.url, "The archived bytes do not hold these words.", fragment.text)
                return
            self.found.remarks.append(f"{page.url}: the words are at another place: {fragment.text[:60]!r}")
        for quote in quotes:
            if quote in fragment.text:
                self.found.quotes_found += 1
            else:
                self.found.fail("quote", page.url, "The archived bytes do not hold this quote.", quote)


def _spoken(graph: TaskEvidence) -> "list[EvidenceMention | EvidenceEdge]":
    return [*graph.mentions, *graph.edges]


def _missing_at_packing(graph: TaskEvidence, manifest: Manifest) -> frozenset[str]:
    """Ids of the pages whose record the archive lacked: those the manifest names, and others read from the same."""
    named = [page for page in graph.pages if page.url in manifest.missing]
    records = {page.record_id for page in named if page.record_id}
    return frozenset({page.id for page in named} | {page.id for page in graph.pages if page.record_id in records})


def _unpacked(member: bytes, record_id: str) -> bytes:
    """A gzip member unpacked. Raises StorageError for one that is none, holds more than one, or grows too large."""
    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        data = unpacking.decompress(member, _MAX_RECORD_BYTES)
    except zlib.error as exc:
        raise StorageError(f"The archived record {record_id} cannot be unpacked.") from exc
    if not unpacking.eof or unpacking.unused_data:
        raise StorageError(f"The archived record {record_id} is larger than any page, or not whole.")
    return data


def check_fields(found: PackCheck) -> dict[str, Any]:
    """The check as plain data."""
    manifest = found.manifest
    return {
        "is_consistent": found.is_consistent,
        "digest": found.digest,
        "task_id": manifest.task_id if manifest else None,
        "question": manifest.question if manifest else None,
        "graph_digest": manifest.graph_digest if manifest else None,
        "lyra_version": manifest.lyra_version if manifest else None,
        "files": found.files,
        "pages": found.pages,
        "fragments": found.fragments,
        "quotes": found.quotes,
        "quotes_found": found.quotes_found,
        "quotes_missing": found.quotes_missing,
        "problems": [asdict(one) for one in found.problems],
        "missing": [asdict(one) for one in found.missing],
        "origin_problems": [asdict(one) for one in found.origin_problems],
        "report_checked_by": "hash",
        "remarks": found.remarks,
    }
