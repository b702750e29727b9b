"""A journal that a version wrote which redacted nothing: opened by this one, it keeps no secret."""

import contextlib
from pathlib import Path

import pytest

from lyra.app import Lyra
from lyra.redact.key import redactor_of
from lyra.redact.redactor import RULES
from lyra.settings import Settings
from lyra.storage import journal, marks
from lyra.storage.columns import to_json
from lyra.storage.connection import connect
from tests.integration.storage.conftest import make_at_schema

SIGNATURE = "8f14e45fceea167a5a36dedd4bea2543aa11bb22"
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
OWN_KEY = "the key of this user 42"
URL = f"https://files.example/paper.pdf?sig={SIGNATURE}&page=2"
# Entries as they were written before redaction came: schema 19, addresses and reasons whole.
ENTRIES = [
    (1, "fetch", URL, f'{{"lane":"page","final_url":"{URL}","rung":"http"}}'),
    (2, "fetch", "https://plain.example/a?code=JP", '{"lane":"page","levels":{"https://plain.example":0.5}}'),
    (3, "answer", "", f'{{"reason":"HTTP 401 for {TOKEN}","keys":["{OWN_KEY}"]}}'),
]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    connection = make_at_schema(data / "lyra.db", 19)
    connection.executemany(
        "insert into event_log (id, kind, subject, details, created_at) values (?, ?, ?, ?, '2026-01-01T00:00:00Z')",
        ENTRIES,
    )
    connection.close()
    return Settings.model_validate({"data_dir": data, "academic": {"openalex_key": OWN_KEY}})


def _entries(connection: object) -> list[tuple[object, ...]]:
    return connection.execute("select id, kind, subject, details from event_log order by id").fetchall()  # type: ignore[attr-defined,no-any-return]


async def test_secrets_of_an_older_journal_become_hashes(settings: Settings) -> None:
    """In addresses, texts and names, the user's own keys too; what is none stays byte for byte."""
    async with Lyra.open(settings) as lyra:
        found = await lyra.db.read(_entries)

    redactor = redactor_of(settings.data_dir)
    url = f"https://files.example/paper.pdf?sig={redactor.mask(SIGNATURE)}&page=2"
    assert found == [
        (1, "fetch", url, f'{{"lane":"page","final_url":"{url}","rung":"http"}}'),
        ENTRIES[1],
        (3, "answer", "", f'{{"reason":"HTTP 401 for {redactor.mask(TOKEN)}","keys":["{redactor.mask(OWN_KEY)}"]}}'),
    ]


async def test_nothing_of_the_secrets_is_left_in_the_files(settings: Settings) -> None:
    """What stood there is overwritten, not only unlinked: the entry is shorter now by some pages of the file."""
    with contextlib.closing(connect(settings.database_path)) as connection:
        long = to_json({"reasons": [f"HTTP 401 for {TOKEN}"] * 400})
        connection.execute("update event_log set details = ? where id = 3", (long,))
    async with Lyra.open(settings):
        pass

    left = b"".join(file.read_bytes() for file in settings.data_dir.glob("lyra.db*"))
    assert [secret for secret in (SIGNATURE, TOKEN, OWN_KEY) if secret.encode() in left] == []


async def test_an_interrupted_redaction_goes_on_where_it_stopped(settings: Settings) -> None:
    """Two entries at a time: the second step ends it, and there is no third."""
    redactor = redactor_of(settings.data_dir)
    async with Lyra.open(settings) as lyra:
        await lyra.db.write(marks.put, "journal_redacted", "0:all")

        steps = [await lyra.db.write(journal.redact_older, redactor, 2) for _ in range(3)]

        mark = await lyra.db.read(marks.get, "journal_redacted")
    assert (steps, mark) == ([False, True, True], f"{RULES}:all")
