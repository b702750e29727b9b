"""What the data directory and the settings file are like, and what the database holds that needs attention."""

import os
import shutil
from pathlib import Path

from lyra.errors import LyraError
from lyra.health.finding import Finding
from lyra.settings import Settings
from lyra.settings.values import default_config_path

_MIN_FREE_BYTES = 500_000_000
_LIBRARY_STATUS = "`lyra library status` names every file with its reason."
_PROBLEMS_SHOWN = 3


def check_settings_file(named: Path | None) -> Finding:
    path = Path(named or os.environ.get("LYRA_CONFIG") or default_config_path())
    return Finding("settings", True, str(path) if path.exists() else f"defaults (no file at {path})")


def check_data_dir(path: Path) -> Finding:
    existing = next(parent for parent in (path, *path.parents) if parent.exists())
    choose = "Choose another with --data-dir or LYRA_DATA_DIR."
    if not existing.is_dir():
        return Finding("data", False, f"{existing} is not a directory", choose)
    if not os.access(existing, os.W_OK | os.X_OK):
        return Finding("data", False, f"{path} cannot be written", choose)
    free = shutil.disk_usage(existing).free
    detail = f"{path} ({free / 1e9:.1f} GB free)"
    if free < _MIN_FREE_BYTES:
        return Finding("data", False, detail, "Free some disk space.")
    return Finding("data", True, detail)


async def check_database(settings: Settings) -> Finding:
    from lyra.storage.database import Database

    if not settings.database_path.exists():
        return Finding("database", True, "will be created on first use")
    try:
        db = await Database.open(settings.database_path)
    except LyraError as exc:
        return Finding("database", False, exc.message, exc.remedy)
    try:
        size = settings.database_path.stat().st_size
        return Finding("database", True, f"{settings.database_path} ({size / 1e6:.1f} MB)")
    finally:
        await db.close()


async def check_clock(settings: Settings) -> list[Finding]:
    """Times that are still to come, which a clock that was ahead has written; nothing where there are none. Waits for
    them are shortened, as when Lyra starts."""
    from lyra.clock import SystemClock, stamp
    from lyra.storage.clock_repair import ahead_until, shorten_long_waits
    from lyra.storage.database import Database

    if not settings.database_path.exists():
        return []
    try:
        db = await Database.open(settings.database_path)
    except LyraError:  # told by the line on the database
        return []
    try:
        now = SystemClock().now()
        repair = await db.write(shorten_long_waits, now)
        latest = await db.read(ahead_until, now)
    except LyraError as exc:
        return [Finding("clock", False, exc.message, exc.remedy)]
    finally:
        await db.close()
    remedy = "Compare `date` with a clock you trust."
    if repair.latest is not None:
        until = stamp(repair.latest if latest is None else max(latest, repair.latest))
        detail = (
            f"waits until {until} were stored: the clock of this machine was ahead, or is behind now; shortened to "
            f"what their rules allow from now: leases {repair.leases}, cooldowns {repair.rests}, others {repair.others}"
        )
        return [Finding("clock", True, detail, remedy)]
    if latest is None:
        return []
    detail = (
        f"the journal has times up to {stamp(latest)}: the clock of this machine was ahead, or is behind now; "
        "leases and cooldowns are shortened to what their rules allow from now"
    )
    return [Finding("clock", True, detail, remedy)]


async def check_vectors(settings: Settings) -> list[Finding]:
    """Texts that only another embedder has embedded, which is no fault; nothing where there are none."""
    from lyra.ml.card import EMBEDDER, load_card, model_directory
    from lyra.model_store.store import chosen_models
    from lyra.storage.database import Database
    from lyra.storage.reembedding import count_waiting

    if not settings.database_path.exists():
        return []
    try:
        place = chosen_models(settings).get(EMBEDDER) or model_directory(EMBEDDER, settings.models.directory)
        model_id = load_card(place, "embedder").model_id
        db = await Database.open(settings.database_path)
    except LyraError:  # told by the lines on models and database
        return []
    try:
        waiting = await db.read(count_waiting, model_id)
    finally:
        await db.close()
    detail = (
        f"texts embedded by another embedder: {waiting}; {model_id} embeds them again while `lyra serve` or a search "
        "runs, and vector_search does not find them before"
    )
    return [Finding("vectors", True, detail)] if waiting else []


async def check_libraries(settings: Settings) -> list[Finding]:
    """A line for every library: what it holds, and what could not be read; nothing where there are none."""
    from lyra.model.library import shown_path
    from lyra.storage import libraries
    from lyra.storage.database import Database

    if not settings.database_path.exists():
        return []
    try:
        db = await Database.open(settings.database_path)
    except LyraError:  # told by the line on the database
        return []
    found = []
    try:
        for one in await db.read(libraries.all_):
            counts = await db.read(libraries.counts, one.id)
            unread = await db.read(libraries.unread, one.id, _PROBLEMS_SHOWN)
            detail = f"{shown_path(one.path)}: {counts.documents} documents"
            if one.problem is not None:
                found.append(Finding(f"library {one.name}", False, f"{detail}. {one.problem}", _LIBRARY_STATUS))
                continue
            names = ", ".join(shown_path(file.path) for file in unread)
            detail += f"; files that could not be read: {counts.failed + counts.waiting} ({names})" if unread else ""
            found.append(Finding(f"library {one.name}", True, detail, _LIBRARY_STATUS if unread else None))
    finally:
        await db.close()
    return found
