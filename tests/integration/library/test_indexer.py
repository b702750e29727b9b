"""The index of a library over a real database and real files."""

import asyncio
import os
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import apsw
import pytest

from lyra.charset import decode
from lyra.errors import InvalidParams, PipelineError
from lyra.extract.bibliography import read_bibliography
from lyra.extract.document import read_document
from lyra.library.libraries import Libraries
from lyra.library.walk import FileChangedWhileRead
from lyra.model.audit import CitedWork
from lyra.model.library import LibraryWork, ScanResult
from lyra.model.page import Document, Identifier
from lyra.settings.processes import LibrarySettings
from lyra.storage import leases, libraries
from lyra.storage.database import Database
from simweb.files.office import eml
from tests.clocks import HeldClock
from tests.conftest import NewDatabase

STROKE = "# Aspirin\n\nAspirin reduces the risk of a second stroke in adults."
COFFEE = "Three cups of coffee a day were associated with a lower risk of diabetes."
JAPANESE = "移住支援金は三十歳代の転入を増やした。"
BIB = """@article{berg, title={Aspirin after stroke}, author={Berg, Anna}, year={2020}, doi={10.5555/berg.1},
  abstract={Aspirin lowered the rate of a second stroke.}, file={papers/berg.txt}}
@book{nothing, title={A book without abstract}}
"""
BERG = LibraryWork("Aspirin after stroke", ("Berg, Anna",), 2020, (Identifier("doi", "10.5555/berg.1"),))


class PlainReader:
    """Reads here what the product reads in a process of its own."""

    async def read(self, body: bytes, *, content_type: str | None, url: str = "") -> Document:
        return read_document(body, content_type=content_type, url=url)

    async def read_works(self, body: bytes, suffix: str) -> tuple[CitedWork, ...]:
        return read_bibliography(decode(body, None), suffix)


@pytest.fixture
async def db(tmp_path: Path, new_database: NewDatabase) -> AsyncIterator[Database]:
    opened = await Database.open(new_database(tmp_path / "lyra.db"))
    yield opened
    await opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two documents."""
    path = tmp_path / "papers"
    path.mkdir()
    (path / "stroke.md").write_text(STROKE)
    (path / "coffee.txt").write_text(COFFEE)
    return path


@pytest.fixture
def shelf(db: Database) -> Libraries:
    return Libraries(db, HeldClock(), PlainReader(), LibrarySettings(max_file_mb=1))


async def scan(shelf: Libraries, path: Path) -> ScanResult:
    return await shelf.scan(await shelf.add(path), lambda done, total: None)


async def found(db: Database, words: str) -> list[str]:
    return [hit.url for hit in await db.read(libraries.search, words, 10)]


async def test_only_what_is_new_or_changed_is_read(db: Database, shelf: Libraries, folder: Path) -> None:
    """A second scan reads nothing; after one file was added it reads that one."""
    first, second = await scan(shelf, folder), await scan(shelf, folder)
    (folder / "new.txt").write_text(JAPANESE)
    third = await scan(shelf, folder)

    assert (first, second) == (ScanResult(files=2, read=2), ScanResult(files=2))
    assert third == ScanResult(files=3, read=1)
    assert len(await found(db, "移住支援金 転入")) == 1


async def test_the_nearest_document_comes_first_with_the_passage(db: Database, shelf: Libraries, folder: Path) -> None:
    """Any word finds a document; most words, and those of the title, come first."""
    await scan(shelf, folder)

    hits = await db.read(libraries.search, "risk of stroke with aspirin", 10)

    assert [(hit.title, hit.snippet) for hit in hits] == [
        ("Aspirin", "Aspirin reduces the risk of a second stroke in adults."),
        ("coffee.txt", COFFEE),
    ]


async def test_a_moved_file_is_the_same_document(db: Database, shelf: Libraries, folder: Path) -> None:
    """Its address stays when it is renamed into another folder; nothing is read again."""
    await scan(shelf, folder)
    (before,) = await found(db, "aspirin")
    (folder / "moved").mkdir()
    (folder / "stroke.md").rename(folder / "moved" / "renamed.md")

    result = await scan(shelf, folder)

    assert result == ScanResult(files=2, known=1, gone=1)
    assert await found(db, "aspirin") == [before]
    located = await db.read(libraries.locate, before)
    assert located is not None
    assert [path for path, _, _ in located.files] == [os.fsencode(folder / "moved" / "renamed.md")]


async def test_an_edited_file_is_the_same_document(db: Database, shelf: Libraries, folder: Path) -> None:
    """Its address stays, its words are the new ones."""
    await scan(shelf, folder)
    (before,) = await found(db, "aspirin")
    (folder / "stroke.md").write_text("Warfarin was compared with placebo in a trial.")

    await scan(shelf, folder)

    assert (await found(db, "aspirin"), await found(db, "warfarin")) == ([], [before])


async def test_copies_are_one_document_until_the_last_is_gone(db: Database, shelf: Libraries, folder: Path) -> None:
    """The same bytes twice are found once, and still found after one copy was deleted."""
    (folder / "copy.md").write_text(STROKE)
    await scan(shelf, folder)
    once = await found(db, "aspirin")
    (folder / "stroke.md").unlink()
    await scan(shelf, folder)
    still = await found(db, "aspirin")
    (folder / "copy.md").unlink()
    await scan(shelf, folder)

    assert (len(once), still, await found(db, "aspirin")) == (1, once, [])


async def test_what_cannot_be_read_is_named_and_the_rest_goes_on(db: Database, shelf: Libraries, folder: Path) -> None:
    """A broken, an encrypted, an empty and a huge file are each named with their reason; two documents are indexed."""
    (folder / "a-broken.docx").write_bytes(b"PK\x03\x04torn")
    (folder / "b-locked.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"))
    (folder / "c-empty.txt").write_text(" ")
    with (folder / "d-huge.pdf").open("wb") as stream:
        stream.truncate(2_000_000_000)

    result = await scan(shelf, folder)

    status = await shelf.status("papers", 10)
    assert result == ScanResult(files=6, read=2, failed=4)
    assert [(os.path.basename(one.path), one.reason) for one in status.unread] == [
        (b"a-broken.docx", "This document cannot be read: it is broken (File is not a zip file)."),
        (b"b-locked.docx", "This Office document cannot be read: it is encrypted."),
        (b"c-empty.txt", "The body is empty."),
        (b"d-huge.pdf", "The file is larger than 1 MB (library.max_file_mb)."),
    ]


async def test_a_file_that_changes_while_it_is_read_is_tried_again(
    db: Database, shelf: Libraries, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read of it before stays searchable, and the next scan reads it."""
    await scan(shelf, folder)
    (folder / "stroke.md").write_text("Warfarin was compared with placebo.")

    def unstable(path: bytes, most: int) -> bytes:
        raise FileChangedWhileRead

    with monkeypatch.context() as patched:
        patched.setattr("lyra.library.walk.read_stable", unstable)
        during = await scan(shelf, folder)
        old = await found(db, "aspirin")
    after = await scan(shelf, folder)

    assert (during, len(old)) == (ScanResult(files=2, waiting=1), 1)
    assert after == ScanResult(files=2, read=1)
    assert len(await found(db, "warfarin")) == 1


async def test_a_folder_that_is_not_there_keeps_its_index(db: Database, shelf: Libraries, folder: Path) -> None:
    """An unplugged disk deletes nothing; the library says what is the matter."""
    await scan(shelf, folder)
    await asyncio.to_thread(folder.rename, folder.with_name("unplugged"))
    library = await shelf.find("papers")

    result = await shelf.scan(library, lambda done, total: None)

    (status,) = await shelf.list()
    assert (result, len(await found(db, "aspirin"))) == (ScanResult(), 1)
    assert status.library.problem == (
        "It is not there. Its index is kept until it is back; `lyra library remove` drops it."
    )


async def test_a_removed_library_is_no_longer_searched(db: Database, shelf: Libraries, folder: Path) -> None:
    """Its index is gone, its files are not."""
    await scan(shelf, folder)

    await shelf.remove(str(folder))

    assert (await found(db, "aspirin"), await shelf.list()) == ([], ())
    assert (folder / "stroke.md").read_text() == STROKE


async def test_each_message_of_a_mailbox_is_a_document(db: Database, shelf: Libraries, folder: Path) -> None:
    """Two messages of one file are found apart."""
    line = b"From anna@example.org Tue Mar  3 09:30:00 2026\n"
    (folder / "mail.mbox").write_bytes(
        line + eml("Metformin", ["Metformin lowers glucose."]) + b"\n\n" + line + eml("Insulin", ["Insulin was given."])
    )

    await scan(shelf, folder)

    hits = await db.read(libraries.search, "metformin insulin", 10)
    assert sorted(hit.title for hit in hits) == ["Insulin", "Metformin"]


async def test_a_bibliography_names_its_works_and_their_files(db: Database, shelf: Libraries, tmp_path: Path) -> None:
    """The abstract is searched, and the attached file is the entry's work; an entry without abstract is no evidence."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "berg.txt").write_text("The whole paper on dipyridamole and aspirin.")
    (tmp_path / "refs.bib").write_text(BIB)

    result = await scan(shelf, tmp_path / "refs.bib")

    entries, files = await found(db, "rate of a second stroke"), await found(db, "dipyridamole")
    works = [await db.read(libraries.work_of, url) for url in (entries[0], files[0])]
    assert result == ScanResult(files=2, read=2)
    assert works == [BERG, BERG]
    assert await found(db, "book") == []


async def test_an_attachment_that_is_no_longer_named_goes(db: Database, shelf: Libraries, tmp_path: Path) -> None:
    """What the bibliography has given up is not searched any more, though the file is still there."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "berg.txt").write_text("The whole paper on dipyridamole and aspirin.")
    (tmp_path / "refs.bib").write_text(BIB)
    await scan(shelf, tmp_path / "refs.bib")
    (tmp_path / "refs.bib").write_text(BIB.replace(", file={papers/berg.txt}", ""))

    result = await scan(shelf, tmp_path / "refs.bib")

    assert (result.gone, await found(db, "dipyridamole")) == (1, [])


def zotero(folder: Path) -> apsw.Connection:
    """A Zotero folder with one paper and its file, and the connection that Zotero would hold."""
    (folder / "storage" / "ATT1").mkdir(parents=True)
    (folder / "storage" / "ATT1" / "berg.txt").write_text("The whole paper on dipyridamole and aspirin.")
    connection = apsw.Connection(str(folder / "zotero.sqlite"))
    connection.execute(
        """
        create table itemTypes (itemTypeID integer primary key, typeName text);
        create table items (itemID integer primary key, itemTypeID int, key text);
        create table deletedItems (itemID integer primary key);
        create table fields (fieldID integer primary key, fieldName text);
        create table itemDataValues (valueID integer primary key, value);
        create table itemData (itemID int, fieldID int, valueID int);
        create table creators (creatorID integer primary key, firstName text, lastName text, fieldMode int);
        create table itemCreators (itemID int, creatorID int, creatorTypeID int, orderIndex int);
        create table itemAttachments (itemID integer primary key, parentItemID int, linkMode int, path text);
        insert into itemTypes values (1, 'journalArticle'), (2, 'attachment');
        insert into items values (1, 1, 'ITEM1'), (2, 2, 'ATT1'), (3, 1, 'GONE');
        insert into deletedItems values (3);
        insert into fields values (1, 'title'), (2, 'date'), (3, 'DOI'), (4, 'abstractNote');
        insert into itemDataValues values (1, 'Aspirin after stroke'), (2, '2020-05-00 05/2020'),
            (3, '10.5555/berg.1'), (4, 'Aspirin lowered the rate of a second stroke.'), (5, 'Deleted');
        insert into itemData values (1, 1, 1), (1, 2, 2), (1, 3, 3), (1, 4, 4), (3, 1, 5);
        insert into creators values (1, 'Anna', 'Berg', 0);
        insert into itemCreators values (1, 1, 1, 0);
        insert into itemAttachments values (2, 1, 0, 'storage:berg.txt');
        """
    )
    return connection


async def test_zotero_is_read_while_it_runs(db: Database, shelf: Libraries, tmp_path: Path) -> None:
    """Zotero holds an exclusive lock: its entries, their works and files are indexed all the same."""
    running = zotero(tmp_path / "Zotero")
    running.execute("pragma locking_mode = exclusive; begin exclusive")

    result = await scan(shelf, tmp_path / "Zotero")

    running.close()
    entries, files = await found(db, "rate of a second stroke"), await found(db, "dipyridamole")
    assert result == ScanResult(files=2, read=2)
    assert [await db.read(libraries.work_of, url) for url in (entries[0], files[0])] == [BERG, BERG]


async def test_zotero_in_the_middle_of_writing_loses_nothing(db: Database, shelf: Libraries, tmp_path: Path) -> None:
    """A torn state of its database is tried again later; what was indexed stays."""
    zotero(tmp_path / "Zotero").close()
    await scan(shelf, tmp_path / "Zotero")
    database = tmp_path / "Zotero" / "zotero.sqlite"
    database.write_bytes(database.read_bytes()[:4096] + b"\xff" * 8192)

    result = await scan(shelf, tmp_path / "Zotero")

    assert (result.waiting, result.gone) == (1, 0)
    assert [len(await found(db, words)) for words in ("rate of a second stroke", "dipyridamole")] == [1, 1]


async def test_one_process_at_a_time_scans_a_library(db: Database, shelf: Libraries, folder: Path) -> None:
    """A second one is told that it is under way."""
    library = await shelf.add(folder)
    until = datetime.fromisoformat("2026-03-01T12:00:30+00:00")
    await db.write(leases.acquire, f"library:{library.id}", "other", HeldClock().now(), until)

    with pytest.raises(PipelineError) as caught:
        await shelf.scan(library, lambda done, total: None)

    assert caught.value.message == "Another process indexes the library 'papers' now."


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        pytest.param("nowhere", "does not exist.", id="absent"),
        pytest.param("tool.exe", "is neither a folder nor a bibliography.", id="another kind of file"),
    ],
)
async def test_what_is_no_library_is_refused(shelf: Libraries, tmp_path: Path, name: str, problem: str) -> None:
    """The error names the path and what can be added."""
    (tmp_path / "tool.exe").write_text("x")

    with pytest.raises(InvalidParams) as caught:
        await shelf.add(tmp_path / name)

    assert caught.value.message == f"{tmp_path / name} {problem}"
    assert caught.value.remedy == "Name a folder, a BibTeX, RIS or CSL-JSON file, or a Zotero folder."
