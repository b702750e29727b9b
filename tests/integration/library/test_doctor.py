"""What `lyra doctor` says of libraries."""

from pathlib import Path

from lyra.health.data import check_libraries
from lyra.health.finding import Finding
from lyra.library.libraries import Libraries
from lyra.settings import Settings
from lyra.settings.processes import LibrarySettings
from lyra.storage.database import Database
from tests.clocks import HeldClock
from tests.integration.library.test_indexer import PlainReader


async def test_a_library_is_named_with_what_could_not_be_read(tmp_path: Path) -> None:
    """One line a library: how many documents, and which files were not read."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "good.txt").write_text("A document with words.")
    (folder / "torn.docx").write_bytes(b"PK\x03\x04torn")
    settings = Settings(data_dir=tmp_path / "data")
    settings.data_dir.mkdir()
    db = await Database.open(settings.database_path)
    shelf = Libraries(db, HeldClock(), PlainReader(), LibrarySettings())
    await shelf.scan(await shelf.add(folder), lambda done, total: None)
    await db.close()

    found = await check_libraries(settings)

    assert found == [
        Finding(
            "library papers",
            True,
            f"{folder}: 1 documents; files that could not be read: 1 ({folder / 'torn.docx'})",
            "`lyra library status` names every file with its reason.",
        )
    ]
