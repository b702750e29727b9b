"""An archive with its index over a real database, and a clock that stands until a test moves it."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lyra.archive.maintenance import ArchiveMaintenance
from lyra.archive.warc import WarcArchive
from lyra.model.archive import Exchange
from lyra.storage.database import Database
from tests.clocks import HeldClock
from tests.conftest import NewDatabase

NOW = datetime(2026, 1, 31, 9, 30, 0, 123_456, tzinfo=UTC)


@pytest.fixture
def moving_clock() -> HeldClock:
    return HeldClock(NOW)


@pytest.fixture
async def db(tmp_path: Path, new_database: NewDatabase) -> AsyncIterator[Database]:
    database = await Database.open(new_database(tmp_path / "lyra.db"))
    yield database
    await database.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
async def indexed(folder: Path, db: Database, moving_clock: HeldClock) -> AsyncIterator[WarcArchive]:
    archive = WarcArchive(folder, moving_clock, db=db)
    yield archive
    await archive.close()


@pytest.fixture
def keeper(folder: Path, db: Database, moving_clock: HeldClock) -> ArchiveMaintenance:
    return ArchiveMaintenance(folder, db, moving_clock)


@pytest.fixture
def ended_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written under the number of a process that is gone, as those of yesterday are."""
    monkeypatch.setattr(os, "getpid", lambda: 999_999_999)


@pytest.fixture
def exchange() -> Callable[..., Exchange]:
    """An answer of a few kilobytes, such as a page."""

    def made(url: str, words: str, *, status: int = 200, moment: datetime = NOW) -> Exchange:
        body = b"" if status == 304 else f"<p>{words}</p>".encode() * 100
        headers = (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"1"'))
        return Exchange(url, "GET", moment, status_code=status, status_text="OK", headers=headers, body=body)

    return made


@pytest.fixture
def warcio_check() -> Callable[[Path], int]:
    """The exit code of `warcio check`."""

    def check(path: Path) -> int:
        return subprocess.run([sys.executable, "-m", "warcio.cli", "check", str(path)], capture_output=True).returncode

    return check
