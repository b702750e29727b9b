"""Documents as pages: their works, their bytes, and what is not archived."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lyra.archive.warc import WarcArchive
from lyra.ids import bytes_hash
from lyra.library.getter import LibraryGetter
from lyra.library.libraries import Libraries
from lyra.model.archive import RecordKind
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult, Page
from lyra.research.library_pages import link_library_page
from lyra.settings.processes import LibrarySettings
from lyra.storage import libraries, pages, works
from lyra.storage.database import Database
from tests.clocks import HeldClock
from tests.conftest import NewDatabase
from tests.integration.library.test_indexer import BIB, STROKE, PlainReader

CLOCK = HeldClock()


@pytest.fixture
async def db(tmp_path: Path, new_database: NewDatabase) -> AsyncIterator[Database]:
    opened = await Database.open(new_database(tmp_path / "lyra.db"))
    yield opened
    await opened.close()


@pytest.fixture
def archive(db: Database, tmp_path: Path) -> WarcArchive:
    return WarcArchive(tmp_path / "archive", CLOCK, db=db)


async def no_web(request: FetchRequest) -> FetchResult:
    raise AssertionError(f"{request.url} was asked of the web")


async def added(db: Database, path: Path, words: str) -> str:
    """The address of the document that is found by these words in a library of this path."""
    shelf = Libraries(db, CLOCK, PlainReader(), LibrarySettings())
    await shelf.scan(await shelf.add(path), lambda done, total: None)
    (hit, *_) = await db.read(libraries.search, words, 1)
    return hit.url


async def test_a_document_is_read_from_its_file_and_archived(
    db: Database, archive: WarcArchive, tmp_path: Path
) -> None:
    """The bytes come back with their hash, and are kept as a resource under the document's address."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "stroke.md").write_text(STROKE)
    url = await added(db, tmp_path / "papers", "aspirin")
    getter = LibraryGetter(db, CLOCK, archive, LibrarySettings(), no_web)

    first = await getter(FetchRequest(url))
    again = await getter(FetchRequest(url, etag=first.header("etag")))

    assert (first.outcome, first.body, first.header("etag")) == (
        FetchOutcome.OK,
        STROKE.encode(),
        bytes_hash(STROKE.encode()),
    )
    assert first.archive is not None
    kept = await archive.contents(first.archive)
    assert (kept.entry.kind, kept.entry.url, kept.body) == (RecordKind.RESOURCE, url, STROKE.encode())
    assert (again.outcome, again.body) == (FetchOutcome.NOT_MODIFIED, b"")


async def test_a_large_document_is_read_and_not_archived(db: Database, archive: WarcArchive, tmp_path: Path) -> None:
    """Above the set size only its hash is kept."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "stroke.md").write_text(STROKE)
    url = await added(db, tmp_path / "papers", "aspirin")

    found = await LibraryGetter(db, CLOCK, archive, LibrarySettings(archive_max_mb=0), no_web)(FetchRequest(url))

    assert (found.outcome, found.archive) == (FetchOutcome.OK, None)


async def test_a_deleted_file_is_told_by_name(db: Database, archive: WarcArchive, tmp_path: Path) -> None:
    """A file that went since the last scan is not found; nothing else is asked for it."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "stroke.md").write_text(STROKE)
    url = await added(db, tmp_path / "papers", "aspirin")
    (tmp_path / "papers" / "stroke.md").unlink()

    found = await LibraryGetter(db, CLOCK, archive, LibrarySettings(), no_web)(FetchRequest(url))

    assert (found.outcome, found.reason) == (
        FetchOutcome.NOT_FOUND,
        "The file cannot be opened: No such file or directory.",
    )


async def test_the_page_of_an_entry_is_its_canonical_work(db: Database, tmp_path: Path) -> None:
    """A page of the library counts as the work that its reference manager names, and leads to its file."""
    (tmp_path / "refs.bib").write_text(BIB)
    url = await added(db, tmp_path / "refs.bib", "rate of a second stroke")
    page = Page("p_1", url, "x.refs.library", "Aspirin after stroke", "en", CLOCK.now())
    await db.write(pages.save, page, ())

    await db.write(link_library_page, page)

    work = await db.read(works.of_page, "p_1")
    assert work is not None
    assert (work.id, work.title, work.year) == ("doi:10.5555/berg.1", "Aspirin after stroke", 2020)
    assert await db.read(libraries.file_of, "p_1") == str(tmp_path / "refs.bib")
