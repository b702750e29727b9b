"""Cookies stay where they are: not in a backup, not in the database, not in the archive."""

import zipfile
from datetime import UTC, datetime
from pathlib import Path

from lyra.backup import make_backup
from lyra.clock import SystemClock
from lyra.fetch.sessions import Cookie, SessionStore
from lyra.settings import Settings
from lyra.storage.database import Database

SECRET = "s3cr3t-of-aomine"


async def test_backup_leaves_sessions_and_profiles_behind(tmp_path: Path) -> None:
    """A backup may be given away; what signs its owner in may not."""
    settings = Settings(data_dir=tmp_path / "data")
    await (await Database.open(settings.database_path)).close()
    store = SessionStore(settings.sessions_dir, SystemClock())
    await store.save("https://www.city.aomine.lg.jp/", [Cookie("sid", SECRET, ".aomine.lg.jp")])
    (settings.browser_dir / "person").mkdir(parents=True)
    (settings.browser_dir / "person" / "Cookies").write_text(SECRET)

    make_backup(settings, tmp_path / "lyra.zip", datetime(2026, 11, 15, tzinfo=UTC))

    with zipfile.ZipFile(tmp_path / "lyra.zip") as archive:
        names = sorted(archive.namelist())
        content = b"".join(archive.read(name) for name in names)
    assert names == ["lyra.db", "manifest.json"]
    assert SECRET.encode() not in content
