"""Backups of a data directory that is in use, and their way back."""

import asyncio
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from lyra.archive.warc import WarcArchive
from lyra.backup import make_backup, restore_backup
from lyra.clock import SystemClock
from lyra.errors import DatabaseBusy, DiskFull, InvalidParams
from lyra.model.archive import Exchange
from lyra.model.page import ArchiveRef, Page
from lyra.settings import Settings
from lyra.storage import pages
from lyra.storage.database import Database

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
URL = "https://www.example.org/%E7%B3%96%E5%B0%BF%E7%97%85"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "home")


BODY = b"<p>HbA1c fell.</p>"


async def store_page(db: Database, archive: WarcArchive) -> Page:
    """A page with its archived exchange, as a fetch leaves it."""
    headers = (("content-type", "text/html"),)
    ref = await archive.store(Exchange(URL, "GET", NOW, status_code=200, status_text="OK", headers=headers, body=BODY))
    page = Page("p_1", URL, "example.org", "糖尿病", "ja", NOW, archive=ref, text="HbA1c fell.")
    await db.write(pages.save, page, ())
    return page


@pytest.fixture
async def kept(settings: Settings) -> ArchiveRef:
    """A data directory with a page, a report, a list of domains, and what is secret: a token, cookies, a profile."""
    db = await Database.open(settings.database_path)
    archive = WarcArchive(settings.archive_dir, SystemClock())
    page = await store_page(db, archive)
    await archive.close()
    await db.close()
    settings.reports_dir.mkdir()
    (settings.reports_dir / "報告.md").write_text("# 報告\n", "utf-8")
    (settings.data_dir / "domains.yaml").write_text("example.org: low\n", "utf-8")
    (settings.data_dir / "http-token").write_text("secret\n", "utf-8")
    (settings.data_dir / "sessions").mkdir()
    (settings.data_dir / "sessions" / "example.org.json").write_text('{"cookies": ["secret"]}', "utf-8")
    (settings.data_dir / "browser" / "person").mkdir(parents=True)
    (settings.data_dir / "browser" / "person" / "Cookies").write_text("secret", "utf-8")
    settings.log_dir.mkdir()
    (settings.log_dir / "lyra-2026-01-31.log").write_text("{}\n", "utf-8")
    assert page.archive is not None
    return page.archive


def tree(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


async def test_what_was_backed_up_comes_back(settings: Settings, kept: ArchiveRef, tmp_path: Path) -> None:
    """Database, archive, reports and lists; tokens, cookies, browser profiles and logs stay behind. It is private."""
    file = tmp_path / "out" / "lyra.zip"

    made = make_backup(settings, file, NOW)
    done = restore_backup(file, tmp_path / "again", NOW)

    names = ["lyra.db", f"archive/{kept.path}", "reports/報告.md", "domains.yaml"]
    assert [entry.path for entry in made.manifest.files] == names
    assert (made.manifest.missing, done.manifest, done.earlier) == ((), made.manifest, None)
    assert (file.stat().st_mode & 0o777, (tmp_path / "again").stat().st_mode & 0o777) == (0o600, 0o700)
    before, after = tree(settings.data_dir), tree(tmp_path / "again")
    assert sorted(after) == sorted(names)
    assert {name: after[name] for name in names[1:]} == {name: before[name] for name in names[1:]}
    headers, body = await WarcArchive(tmp_path / "again" / "archive", SystemClock()).read(kept)
    assert (headers[0], body) == (("content-type", "text/html"), BODY)
    db = await Database.open(tmp_path / "again" / "lyra.db")
    page = await db.read(pages.by_url, URL)
    await db.close()
    assert page is not None
    assert (page.title, page.archive) == ("糖尿病", kept)


async def test_a_backup_is_consistent_while_others_write(settings: Settings, tmp_path: Path) -> None:
    """Rows that are written together are there together, and the archive holds every record the copy refers to."""
    db = await Database.open(settings.database_path)
    archive = WarcArchive(settings.archive_dir, SystemClock())
    page = await store_page(db, archive)
    writing = True
    under_way = asyncio.Event()

    def pair(connection: apsw.Connection, number: int) -> None:
        connection.execute("insert into meta values (?, 'one')", (f"a{number}",))
        connection.execute("insert into meta values (?, 'two')", (f"b{number}",))

    async def write() -> int:
        number = 0
        while writing:
            await db.write(pair, number)
            number += 1
            if number == 20:
                under_way.set()
        return number

    writer = asyncio.create_task(write())
    await under_way.wait()
    await asyncio.to_thread(make_backup, settings, tmp_path / "lyra.zip", NOW)
    writing = False
    written = await writer
    await archive.close()
    await db.close()

    done = restore_backup(tmp_path / "lyra.zip", tmp_path / "again", NOW)
    copy = apsw.Connection(str(tmp_path / "again" / "lyra.db"))
    counted = "select (select count(*) from meta where value = 'one'), (select count(*) from meta where value = 'two')"
    ((firsts, seconds),) = copy.execute(counted)
    copy.close()
    assert firsts == seconds
    assert 20 <= firsts <= written
    assert done.manifest.missing == ()
    assert page.archive is not None
    assert (await WarcArchive(tmp_path / "again" / "archive", SystemClock()).read(page.archive))[1] == BODY


def test_a_record_under_way_and_a_missing_file_are_told_apart(
    settings: Settings, kept: ArchiveRef, tmp_path: Path
) -> None:
    """Half a record at the end is left out; an archive file that the user deleted is named, and the rest is kept."""
    warc = settings.archive_dir / kept.path
    whole = warc.read_bytes()
    warc.write_bytes(whole + whole[:100])

    first = make_backup(settings, tmp_path / "first.zip", NOW)
    warc.unlink()
    second = make_backup(settings, tmp_path / "second.zip", NOW)

    assert (first.manifest.files[1].size_bytes, first.manifest.missing) == (len(whole), ())
    assert second.manifest.missing == (kept.path,)


def test_a_file_that_begins_with_no_record_is_named_and_the_rest_comes_back(
    settings: Settings, kept: ArchiveRef, tmp_path: Path
) -> None:
    """A restore takes no such file in, so a backup that held it could not be used."""
    warc = settings.archive_dir / kept.path
    warc.write_bytes(bytes(warc.stat().st_size))

    done = make_backup(settings, tmp_path / "lyra.zip", NOW)

    restored = restore_backup(tmp_path / "lyra.zip", tmp_path / "again", NOW)
    assert done.manifest.missing == restored.manifest.missing == (kept.path,)


def test_what_is_there_is_not_overwritten(settings: Settings, kept: ArchiveRef, tmp_path: Path) -> None:
    """Without --force nothing happens; with it the old directory lies beside the new one, untouched."""
    make_backup(settings, tmp_path / "lyra.zip", NOW)
    before = tree(settings.data_dir)

    with pytest.raises(InvalidParams, match="is not empty"):
        restore_backup(tmp_path / "lyra.zip", settings.data_dir, NOW)
    unchanged = tree(settings.data_dir)
    done = restore_backup(tmp_path / "lyra.zip", settings.data_dir, NOW, force=True)

    assert unchanged == before
    assert done.earlier == tmp_path / "home.before-restore-20260131T093000Z"
    assert tree(done.earlier) == before
    assert "http-token" not in tree(settings.data_dir)


async def test_a_directory_in_use_is_not_replaced(settings: Settings, kept: ArchiveRef, tmp_path: Path) -> None:
    """A server would go on writing into the files that were moved away."""
    make_backup(settings, tmp_path / "lyra.zip", NOW)
    db = await Database.open(settings.database_path)

    with pytest.raises(DatabaseBusy):
        restore_backup(tmp_path / "lyra.zip", settings.data_dir, NOW, force=True)

    await db.close()
    assert folders(tmp_path) == ["home"]


def folders(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir() if path.is_dir())


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flipped(data: bytes) -> bytes:
    """One bit of the archive file changed where it lies, stored, in the backup."""
    at = data.index(b"\x1f\x8b") + 200
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    "damage",
    [cut, flipped, lambda _: b"", lambda _: b"PK\x03\x04 not a zip", lambda data: data[:-30]],
    ids=["half", "one bit", "empty", "other", "end lost"],
)
def test_a_damaged_backup_changes_nothing(
    settings: Settings, kept: ArchiveRef, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    """A typed error, and neither the directory nor anything beside it is touched."""
    file = tmp_path / "lyra.zip"
    make_backup(settings, file, NOW)
    file.write_bytes(damage(file.read_bytes()))
    before = tree(tmp_path)

    with pytest.raises(InvalidParams, match="cannot be used"):
        restore_backup(file, settings.data_dir, NOW, force=True)

    assert tree(tmp_path) == before


def remade(file: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """The same backup with other members."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_a_backup_holds_exactly_what_it_lists(settings: Settings, kept: ArchiveRef, tmp_path: Path) -> None:
    """A file smuggled in, or one taken out, is noticed before anything is unpacked."""
    file = tmp_path / "lyra.zip"
    make_backup(settings, file, NOW)
    remade(file, lambda members: members.update({"../evil": b"x"}))

    with pytest.raises(InvalidParams, match="does not hold what it lists"):
        restore_backup(file, tmp_path / "again", NOW)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "lyra.zip"]


def test_every_file_has_the_hash_that_is_listed(settings: Settings, kept: ArchiveRef, tmp_path: Path) -> None:
    """A file that was exchanged for one of the same size inside a sound zip is noticed too."""
    file = tmp_path / "lyra.zip"
    make_backup(settings, file, NOW)
    remade(file, lambda members: members.update({"domains.yaml": b"example.org: top\n"}))

    with pytest.raises(InvalidParams, match=r"domains\.yaml in it is damaged"):
        restore_backup(file, tmp_path / "again", NOW)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "lyra.zip"]


def test_a_backup_larger_than_the_disk_is_refused_first(settings: Settings, kept: ArchiveRef, tmp_path: Path) -> None:
    """The list says how much is needed; a lie about it cannot fill the disk either."""

    def huge(members: dict[str, bytes]) -> None:
        listed = json.loads(members["manifest.json"])
        listed["files"][0]["size_bytes"] = 10**18
        members["manifest.json"] = json.dumps(listed).encode()

    file = tmp_path / "lyra.zip"
    make_backup(settings, file, NOW)
    remade(file, huge)

    with pytest.raises(DiskFull):
        restore_backup(file, tmp_path / "again", NOW)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "lyra.zip"]


def test_wrong_places_are_refused(settings: Settings, kept: ArchiveRef, tmp_path: Path) -> None:
    """No database, a file that exists, a file inside the data directory, a target that is a file."""
    taken = tmp_path / "taken"
    taken.write_text("mine")
    made = make_backup(settings, tmp_path / "lyra.zip", NOW).path

    with pytest.raises(InvalidParams, match="nothing to back up"):
        make_backup(Settings(data_dir=tmp_path / "empty"), tmp_path / "x.zip", NOW)
    with pytest.raises(InvalidParams, match="exists already"):
        make_backup(settings, taken, NOW)
    with pytest.raises(InvalidParams, match="inside the data directory"):
        make_backup(settings, settings.data_dir / "x.zip", NOW)
    with pytest.raises(InvalidParams, match="is not a directory"):
        restore_backup(made, taken, NOW, force=True)
    with pytest.raises(InvalidParams, match="cannot be read"):
        restore_backup(tmp_path / "absent.zip", tmp_path / "again", NOW)
    assert taken.read_text() == "mine"
