"""Keeps the data directory private: files closed to others, secrets taken out of what is kept."""

import asyncio
from pathlib import Path

from lyra.clock import Clock, stamp
from lyra.disk import close_to_others
from lyra.redact.key import redactor_of
from lyra.redact.redactor import Redactor
from lyra.settings import Settings
from lyra.storage import journal, marks
from lyra.storage.database import Database

_FILES_PRIVATE = "files_private"
_REDACTED_AT_ONCE = 2_000


async def make_private(settings: Settings, db: Database, clock: Clock) -> None:
    """Close what earlier versions left open to other users: its folders always, every file in them once.

    The home of the user, where somebody keeps the data there, stays as it is.
    """
    is_done = await db.read(marks.is_set, _FILES_PRIVATE)
    await asyncio.to_thread(close_to_others, settings.own_folders, is_deep=not is_done)
    if settings.data_dir.absolute() != Path.home():
        await asyncio.to_thread(close_to_others, (settings.data_dir,), is_deep=False)
    if not is_done:
        files = settings.data_dir.glob("lyra.db*")
        await asyncio.to_thread(close_to_others, files, is_deep=False)
        await db.write(marks.put, _FILES_PRIVATE, stamp(clock.now()))


async def redact_journal(settings: Settings, db: Database) -> None:
    """Take secrets out of what a version wrote that had no rules for them: once, in steps; others write in between."""
    while not await db.write(journal.redact_older, redactor_for(settings), _REDACTED_AT_ONCE):
        pass


def redactor_for(settings: Settings) -> Redactor:
    """Takes secrets out of what is kept, the user's own keys by value."""
    return redactor_of(settings.data_dir).with_known_secrets(settings.api_keys)
