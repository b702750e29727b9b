"""From a fragment back to the archived bytes: the words are read from them once more and compared."""

import asyncio
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from lyra.archive.captures import Captures
from lyra.archive.records import RecordContents
from lyra.archive.warc import WarcArchive
from lyra.archived_answers import answered_document, is_answer
from lyra.errors import InvalidParams, StorageError
from lyra.extract.reader import DocumentReader
from lyra.ids import text_hash
from lyra.model.archive import ArchivedRecord, CaptureRef
from lyra.model.library import is_library_url
from lyra.model.page import Document, Fragment, Page
from lyra.research.plain_fields import plain_fields
from lyra.storage import archive_index, libraries, pages
from lyra.storage.database import Database
from lyra.urls import canonical, is_web_url

_CONTEXT_CHARS = 240


class ProofStatus(StrEnum):
    """VERIFIED: the archived bytes give these words at this place. DIFFERS: they give others, named in the checks."""

    VERIFIED = "verified"
    DIFFERS = "differs"
    UNREADABLE = "unreadable"
    NOT_ARCHIVED = "not_archived"


@dataclass(frozen=True, slots=True)
class ProofCheck:
    """One comparison; `difference` says exactly what is not as it was."""

    name: str
    holds: bool
    difference: str | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """The archived record behind a fragment or a page. `before` and `after` are the words around the fragment; `file`
    is where a document of the user's library lies."""

    status: ProofStatus
    page: Page
    fragment: Fragment | None = None
    record: RecordContents | None = None
    checks: tuple[ProofCheck, ...] = ()
    before: str = ""
    after: str = ""
    capture: CaptureRef | None = None
    remark: str | None = None
    file: str | None = None


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """A page with its archived answer and what a browser saw of it, as far as kept; `remark` says why it is missing."""

    page: Page
    record: RecordContents | None = None
    capture: CaptureRef | None = None
    remark: str | None = None


class Proofs:
    """Finds the record behind a fragment, a page or an address, and tests the words against it."""

    def __init__(self, db: Database, archive: WarcArchive, captures: Captures, reader: DocumentReader) -> None:
        self._db = db
        self._archive = archive
        self._captures = captures
        self._reader = reader

    async def of(self, name: str) -> Proof:
        """The proof of a fragment id, a page id or an address. Raises InvalidParams where none is known."""
        page, fragment = await self._find(name)
        return replace(await self._proof(page, fragment), file=await self._db.read(libraries.file_of, page.id))

    async def _proof(self, page: Page, fragment: Fragment | None) -> Proof:
        if page.archive is None:
            return _with_context(Proof(ProofStatus.NOT_ARCHIVED, page, fragment, remark=_why_not_archived(page)))
        try:
            record = await self._archive.contents(page.archive)
            capture = await self._capture(record)
            document = await self._read(record, page)
        except StorageError as exc:
            return _with_context(Proof(ProofStatus.UNREADABLE, page, fragment, remark=exc.message))
        except InvalidParams as exc:
            remark = f"The archived bytes can no longer be read: {exc.message}"
            return _with_context(Proof(ProofStatus.DIFFERS, page, fragment, record, capture=capture, remark=remark))
        checks = compare(page, fragment, document)
        status = (
            ProofStatus.VERIFIED
            if all(check.holds for check in checks if check.name != "extractor")
            else ProofStatus.DIFFERS
        )
        return _with_context(Proof(status, page, fragment, record, checks, capture=capture))

    async def archived(self, name: str) -> ArchivedPage:
        """What is kept of a page, a fragment's page or an address; nothing is read again from it."""
        page, _ = await self._find(name)
        if page.archive is None:
            return ArchivedPage(page, remark=_why_not_archived(page))
        try:
            record = await self._archive.contents(page.archive)
            return ArchivedPage(page, record, await self._capture(record))
        except StorageError as exc:
            return ArchivedPage(page, remark=exc.message)

    async def record(self, record_id: str) -> RecordContents:
        """An archived answer whole, by the id that the journal has. Raises StorageError where it cannot be read."""
        entry = await self._db.read(archive_index.get, f"<{record_id.strip('<>')}>")
        if entry is None:
            raise InvalidParams(
                f"There is no record {record_id[:80]!r} in this archive.", remedy="Take an id from `lyra log TASK`."
            )
        return await self._archive.contents(entry.ref)

    async def _find(self, name: str) -> tuple[Page, Fragment | None]:
        if name.startswith("f_"):
            fragments = await self._db.read(pages.fragments, [name])
            page = await self._db.read(pages.source_of, name)
            if fragments and page is not None:
                return page, fragments[0]
        page = await self._db.read(pages.get, name)
        if page is None and (is_web_url(name) or is_library_url(name)):
            page = await self._db.read(pages.by_url, canonical(name))
        if page is None:
            raise InvalidParams(
                f"There is no fragment, page or address {name[:200]!r} in this data directory.",
                remedy="Take an id from `lyra log TASK CLAIM`, or the address of a page that was read.",
            )
        return page, None

    async def _capture(self, record: RecordContents) -> CaptureRef | None:
        """What a browser saw, kept under the record itself or the one it was built from."""
        for record_id in (record.entry.ref.record_id, record.entry.refers_to):
            found = await self._captures.of_record(record_id) if record_id else None
            if found is not None:
                return found
        return None

    async def _read(self, record: RecordContents, page: Page) -> Document:
        if is_answer(page.extractor):
            found = await asyncio.to_thread(answered_document, page.extractor, record.body, page.text)
            if found is None:
                raise InvalidParams("the answer of the API holds no such text.")
            return replace(found, extractor=page.extractor)
        content_type = next((value for name, value in record.headers if name.lower() == "content-type"), None)
        return await self._reader.read(record.body, content_type=content_type, url=page.final_url or page.url)


def compare(page: Page, fragment: Fragment | None, document: Document) -> tuple[ProofCheck, ...]:
    """What was stored against what the archived bytes give now. Another extractor is reported, but is no difference."""
    checks = [
        _check("extractor", page.extractor == document.extractor, f"then {page.extractor}, now {document.extractor}"),
    ]
    if fragment is None:
        return (*checks, _check("text", page.text == document.text, _first_difference(page.text, document.text)))
    found = document.text[fragment.char_start : fragment.char_end]
    return (
        *checks,
        _check("hash", text_hash(fragment.text_content) == fragment.text_hash, "the stored words have another hash"),
        _check("words", found == fragment.text_content, _words_difference(fragment, document.text, found)),
    )


def _check(name: str, holds: bool, difference: str) -> ProofCheck:
    return ProofCheck(name, holds, None if holds else difference)


def _words_difference(fragment: Fragment, text: str, found: str) -> str:
    place = text.find(fragment.text_content)
    if place >= 0:
        end = place + len(fragment.text_content)
        return f"the same words are at {place}-{end} instead of {fragment.char_start}-{fragment.char_end}"
    return f"at {fragment.char_start}-{fragment.char_end} the archived bytes give {found[:160]!r}"


def _first_difference(then: str, now: str) -> str:
    place = next((i for i, (a, b) in enumerate(zip(then, now, strict=False)) if a != b), min(len(then), len(now)))
    return f"from character {place}: then {then[place : place + 60]!r}, now {now[place : place + 60]!r}"


def _why_not_archived(page: Page) -> str:
    if is_answer(page.extractor):
        return "The text is from an API, whose answer was pruned or kept before it was noted."
    if is_library_url(page.url):
        return "The document is larger than what is archived (library.archive_max_mb), or its record was pruned."
    return "No record is kept for this page: it was pruned, or stored without one."


def _with_context(proof: Proof) -> Proof:
    if proof.fragment is None:
        return proof
    start, end = proof.fragment.char_start, proof.fragment.char_end
    text = proof.page.text
    return replace(proof, before=text[max(0, start - _CONTEXT_CHARS) : start], after=text[end : end + _CONTEXT_CHARS])


def record_fields(record: ArchivedRecord) -> dict[str, Any]:
    """An entry of the index."""
    return {
        "record_id": record.ref.record_id,
        **plain_fields(
            kind=record.kind,
            url=record.url,
            archived_at=record.archived_at,
            status_code=record.status_code,
            media_type=record.media_type,
            digest=record.digest,
            refers_to=record.refers_to,
        ),
        "warc_path": record.ref.path,
        "warc_offset": record.ref.offset,
        "warc_length": record.ref.length,
    }


def proof_fields(proof: Proof, directory: Path) -> dict[str, Any]:
    """`standing checks page record fragment capture`; paths of a capture are whole, to be opened."""
    capture = proof.capture
    return {
        "standing": proof.status.value,
        "remark": proof.remark,
        "checks": [asdict(check) for check in proof.checks],
        "page": plain_fields(
            id=proof.page.id,
            url=proof.page.url,
            final_url=proof.page.final_url,
            title=proof.page.title,
            fetched_at=proof.page.fetched_at,
            extractor=proof.page.extractor,
            file=proof.file,
        ),
        "record": record_fields(proof.record.entry) if proof.record else None,
        "fragment": _fragment_fields(proof),
        "capture": None
        if capture is None
        else {
            "screenshot": str(directory / capture.screenshot) if capture.screenshot else None,
            "resources": str(directory / capture.resources),
            "har": str(directory / capture.har),
        },
    }


def _fragment_fields(proof: Proof) -> dict[str, Any] | None:
    fragment = proof.fragment
    if fragment is None:
        return None
    return {
        "id": fragment.id,
        "text": fragment.text_content,
        **plain_fields(
            text_hash=fragment.text_hash,
            char_start=fragment.char_start,
            char_end=fragment.char_end,
            page_number=fragment.page_number,
            heading_context=fragment.heading_context,
        ),
        "before": proof.before,
        "after": proof.after,
    }
