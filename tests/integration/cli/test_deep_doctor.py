"""`lyra doctor --deep`: damage that the everyday checks do not see; and who may read what Lyra writes."""

import logging
import os
import stat
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from lyra.app import Lyra
from lyra.archive.captures import Captures
from lyra.archive.warc import WarcArchive
from lyra.cli.output_files import write_text
from lyra.disk import close_to_others
from lyra.health.deep import check_deeply
from lyra.health.finding import Finding
from lyra.model.archive import Capture, Exchange
from lyra.model.page import ArchiveRef, Page
from lyra.observe.log import DailyFile
from lyra.settings import Settings
from lyra.storage import pages
from lyra.storage.database import Database
from tests.clocks import HeldClock

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
URL = "https://a.example/x"


@pytest.fixture
async def loose_umask() -> AsyncIterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
async def archived(tmp_path: Path, loose_umask: None) -> ArchiveRef:
    """A page with its record and its capture, written under a umask that hides nothing."""
    settings, clock = Settings(data_dir=tmp_path / "home"), HeldClock(NOW)
    db = await Database.open(settings.database_path)
    archive = WarcArchive(settings.archive_dir, clock, db=db)
    ref = await archive.store(Exchange(URL, "GET", NOW, status_code=200, body=b"<p>Fell.</p>" * 200))
    await Captures(settings.archive_dir, clock).store(Capture(URL, ref.record_id, NOW, b"PNG"))
    await db.write(pages.save, Page("p_1", URL, "a.example", "A", "en", NOW, archive=ref, text="Fell."), ())
    await archive.close()
    await db.close()
    DailyFile(settings.log_dir).emit(_line())
    write_text(settings.reports_dir / "a.md", "# A", makes_folder=True)
    return ref


def _line() -> logging.LogRecord:
    return logging.LogRecord("lyra", logging.INFO, "", 0, "hello", (), None)


def deep(tmp_path: Path) -> list[Finding]:
    return check_deeply(Settings(data_dir=tmp_path / "home"), lambda *_: None)


def test_everything_that_lyra_writes_is_the_users_alone(archived: ArchiveRef, tmp_path: Path) -> None:
    """0700 and 0600 whatever the umask, also for an export that is written elsewhere."""
    write_text(tmp_path / "export.json", "{}")

    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "home").rglob("*") if path.is_dir()}
    files = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "home").rglob("*") if path.is_file()}
    assert (modes, files) == ({0o700}, {0o600})
    assert stat.S_IMODE((tmp_path / "export.json").stat().st_mode) == 0o600


def test_a_sound_directory_is_said_to_be_sound(archived: ArchiveRef, tmp_path: Path) -> None:
    """Three lines, all fine."""
    assert deep(tmp_path) == [
        Finding("integrity", True, "the database is sound"),
        Finding("archive", True, "records that are as they were written: 3"),
        Finding("permissions", True, "only this user can read the data directory"),
    ]


def test_a_deleted_archive_file_is_named(archived: ArchiveRef, tmp_path: Path) -> None:
    """The everyday doctor was content with it."""
    (tmp_path / "home" / "archive" / archived.path).unlink()

    missing, records = (one for one in deep(tmp_path) if not one.is_fine)

    assert missing.detail == f"archive files missing: 1 ({archived.path})"
    assert records.detail == f"problems in the archive: 1 ({archived.record_id} is in no file)"


def test_a_record_that_is_not_the_one_of_the_index_is_named(archived: ArchiveRef, tmp_path: Path) -> None:
    """A file that is sound in itself, and another than the one that was indexed."""
    _run(tmp_path, "update archive_records set digest = 'sha1:OTHER'")

    (wrong,) = (one for one in deep(tmp_path) if not one.is_fine)

    assert wrong.detail == f"problems in the archive: 1 ({archived.path}: its hash is not the one of the index)"


def test_a_damaged_table_is_named(archived: ArchiveRef, tmp_path: Path) -> None:
    """Rows and their index no longer agree; opening the file does not show it."""
    _run(
        tmp_path,
        "pragma writable_schema = on; delete from sqlite_schema where name = 'pages_by_domain'; "
        "pragma writable_schema = off",
    )

    (wrong, *_) = (one for one in deep(tmp_path) if not one.is_fine)

    assert (wrong.name, wrong.is_fine) == ("integrity", False)
    assert "index pages_by_domain" in wrong.detail


def test_archive_is_not_called_sound_where_the_database_cannot_tell(archived: ArchiveRef, tmp_path: Path) -> None:
    """The file that is gone stands only in the damaged index."""
    (tmp_path / "home" / "archive" / archived.path).unlink()
    _damage_page(tmp_path / "home" / "lyra.db", "works", b"\xff" * 8)

    found = [one for one in deep(tmp_path) if one.name == "archive"]

    detail = "not checked: the database, which lists its records, cannot be read"
    assert [(one.is_fine, one.detail) for one in found] == [(False, detail)]


def _damage_page(path: Path, table: str, first: bytes) -> None:
    """Overwrite the beginning of the table's first page."""
    connection = apsw.Connection(str(path))
    size = connection.execute("pragma page_size").get
    page = connection.execute("select rootpage from sqlite_schema where name = ?", (table,)).get
    connection.close()
    data = bytearray(path.read_bytes())
    data[(page - 1) * size : (page - 1) * size + len(first)] = first
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("first", "named"),
    [(b"\xff" * 8, "table works cannot be read"), (b"\x0d\x00\x00\x00\x07", "table works is damaged (places: ")],
    ids=["no page at all", "wrong cells"],
)
def test_a_table_with_a_damaged_page_is_named(archived: ArchiveRef, tmp_path: Path, first: bytes, named: str) -> None:
    """SQLite names it by a number, or not at all."""
    _damage_page(tmp_path / "home" / "lyra.db", "works", first)

    detail = deep(tmp_path)[0].detail

    assert named in detail


def test_files_that_others_may_read_are_counted(archived: ArchiveRef, tmp_path: Path) -> None:
    """With the command that closes them."""
    (tmp_path / "home" / "archive").chmod(0o755)

    (wrong,) = (one for one in deep(tmp_path) if not one.is_fine)

    home = tmp_path / "home"
    assert wrong == Finding(
        "permissions",
        False,
        f"files and folders that others may read or change: 1 ({home / 'archive'})",
        f"chmod -R go= {home}",
    )


async def test_an_older_directory_is_closed_to_others_once(archived: ArchiveRef, tmp_path: Path) -> None:
    """Folders with every opening; files with the first, which a mark in the database remembers."""
    home, settings = tmp_path / "home", Settings(data_dir=tmp_path / "home")
    warc = home / "archive" / archived.path
    for path in (home, home / "archive", warc.parent, warc, home / "lyra.db"):
        path.chmod(0o755)

    async with Lyra.open(settings):
        first = deep(tmp_path)[-1]
    for path in (home / "archive", warc):
        path.chmod(0o755)
    async with Lyra.open(settings):
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (home / "archive", warc)]

    assert first == Finding("permissions", True, "only this user can read the data directory")
    assert modes == [0o700, 0o755]


def test_links_and_folders_of_everyone_keep_their_modes(tmp_path: Path) -> None:
    """What a link leads to is not Lyra's."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "shared").mkdir()
    (tmp_path / "elsewhere").chmod(0o755)
    (tmp_path / "own").chmod(0o755)
    (tmp_path / "shared").chmod(0o1777)

    changed = close_to_others((tmp_path / "own", tmp_path / "own" / "link", tmp_path / "shared"), is_deep=True)

    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("elsewhere", "own", "shared")]
    assert (changed, modes) == (1, [0o755, 0o700, 0o1777])


def test_ctrl_c_ends_it(archived: ArchiveRef, tmp_path: Path) -> None:
    """Whoever interrupts between two files gets the terminal back."""

    def interrupt(part: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_deeply(Settings(data_dir=tmp_path / "home"), interrupt)


def _run(tmp_path: Path, sql: str) -> None:
    connection = apsw.Connection(str(tmp_path / "home" / "lyra.db"))
    connection.execute(sql)
    connection.close()
