"""The pages of a recording, read once more from their archived bytes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from lyra.archive.records import RecordContents
from lyra.archived_answers import answered_documents, is_answer
from lyra.clock import stamp
from lyra.errors import InvalidParams, StorageError
from lyra.extract.fragments import to_fragments
from lyra.extract.reader import DocumentReader
from lyra.ids import text_hash
from lyra.model.event import Event
from lyra.model.page import ArchiveRef, Document, Identifier, Page, StoredPage
from lyra.research.flow import page_from
from lyra.research.page_facts import link_targets, page_notice

if TYPE_CHECKING:
    from collections.abc import Awaitable


class RecordReader(Protocol):
    """Where archived answers are found."""

    def __call__(self, ref: ArchiveRef) -> "Awaitable[RecordContents]":
        """The record whole. Raises StorageError where it is not there or cannot be read."""


@dataclass(frozen=True, slots=True)
class SourceProblem:
    """A page that could not be read as it was: its record is missing, or gives another text now."""

    url: str
    record_id: str | None
    problem: str
    is_missing: bool


@dataclass(frozen=True, slots=True)
class ReplayedPage:
    """A page as its archived bytes give it now, with what it links to."""

    stored: StoredPage
    links: tuple[tuple[str, Identifier], ...]
    problem: SourceProblem | None = None


async def read_page(event: Event, records: RecordReader, reader: DocumentReader) -> ReplayedPage | SourceProblem:
    """The page that an entry of the journal tells of, or why it cannot be read."""
    then, version = page_from({**event.details["page"], "text": ""}), str(event.details["version"])
    if then.archive is None:
        return SourceProblem(then.url, None, "No record of it was kept in the archive.", is_missing=True)
    try:
        contents = await records(then.archive)
        document = await _document(contents, then, version, reader)
    except (StorageError, InvalidParams) as exc:
        return SourceProblem(then.url, then.archive.record_id, exc.message, is_missing=True)
    page = _page(then, version, document)
    problem = None
    if text_hash(document.text) != version:
        problem = SourceProblem(then.url, then.archive.record_id, _why_other(then, document), is_missing=False)
    links = () if is_answer(then.extractor) else tuple(link_targets(document))
    return ReplayedPage(StoredPage(page, to_fragments(page.id, document)), links, problem)


def _why_other(then: Page, document: Document) -> str:
    """Why the same bytes give another text; their digests were right when they were read."""
    if then.extractor == document.extractor:
        return "The archived bytes give another text than then, though the extractor is the same."
    before, now = then.extractor, document.extractor
    return f"The archived bytes give another text: they were read by {before} then and by {now} now."


async def _document(contents: RecordContents, then: Page, version: str, reader: DocumentReader) -> Document:
    if is_answer(then.extractor):
        found = [one for one in answered_documents(then.extractor, contents.body) if text_hash(one.text) == version]
        if not found:
            raise InvalidParams("The archived answer of the API holds no such text.")
        return replace(found[0], title=then.title, extractor=then.extractor)
    content_type = next((value for name, value in contents.headers if name.lower() == "content-type"), None)
    return await reader.read(contents.body, content_type=content_type, url=then.final_url or then.url)


def _page(then: Page, version: str, document: Document) -> Page:
    """What the bytes say; where they say nothing, what the address's finder had said of it."""
    now = replace(
        then,
        title=document.title or then.title,
        language=document.language,
        date=document.date or then.date,
        updated=document.updated,
        authors=document.authors or then.authors,
        page_type=document.page_type,
        extractor=document.extractor,
        text=document.text,
        site_name=None if then.site_name is None else document.site_name,
    )
    if text_hash(document.text) == version:
        return now
    read_on = stamp(then.fetched_at)[:10]
    notice = page_notice(
        now.title, now.text, updated=now.updated, read_on=read_on, is_marked=document.is_marked_retracted
    )
    return replace(now, notice=notice)


def in_storage_order(events: Sequence[Event], order: Sequence[str]) -> list[Event]:
    """Entries that tell of a page, by the order in which the pages were stored; what is unknown there comes last."""
    places: dict[Any, int] = {page_id: at for at, page_id in enumerate(order)}
    return sorted(events, key=lambda event: places.get(event.details["page"]["id"], len(places)))
