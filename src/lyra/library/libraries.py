"""Adding, removing and describing libraries."""

import asyncio
import os
import re
from dataclasses import dataclass
from pathlib import Path

from lyra.clock import Clock
from lyra.errors import InvalidParams
from lyra.ids import new_id
from lyra.library.indexer import Indexer, Progress, Reader
from lyra.library.walk import CSL, REFERENCES
from lyra.library.watch import LibraryWatch
from lyra.model.library import (
    SCHEME,
    Library,
    LibraryCounts,
    LibraryFile,
    LibraryKind,
    ScanResult,
    shown_path,
)
from lyra.settings.processes import LibrarySettings
from lyra.storage import libraries, zotero
from lyra.storage.database import Database

_NAME_CHARS = 40


@dataclass(frozen=True, slots=True)
class LibraryStatus:
    """A library with what it holds, and the files that could not be read."""

    library: Library
    counts: LibraryCounts
    unread: tuple[LibraryFile, ...] = ()


class Libraries:
    """What a user does with libraries."""

    def __init__(self, db: Database, clock: Clock, reader: Reader, settings: LibrarySettings) -> None:
        self._db = db
        self._clock = clock
        self._indexer = Indexer(db, clock, reader, settings)
        self.watch = LibraryWatch(db, clock, self._indexer, settings)

    async def add(self, path: Path) -> Library:
        """Make a folder, a bibliography or a Zotero folder a library; one that is known is returned as it is."""
        place = _whole(path)
        if place == Path(place.anchor):
            raise InvalidParams("A whole disk cannot be a library.", remedy="Name a folder on it.")
        kind = await asyncio.to_thread(_kind_of, place)
        known = await self._db.read(libraries.all_)
        raw = os.fsencode(place)
        found = next((one for one in known if one.path == raw), None)
        if found is not None:
            return found
        name = _name(place, {one.name for one in known})
        library = Library(new_id("lib"), name, raw, kind, self._clock.now())
        await self._db.write(libraries.add, library)
        return library

    async def scan(self, library: Library, progress: Progress) -> ScanResult:
        """Bring its index up to date, and try again what could not be read."""
        return await self._indexer.scan(library, progress, retries_failed=True)

    async def remove(self, named: str) -> LibraryStatus:
        """Drop the index of a library; what tasks cite of it stays."""
        status = await self._status(await self.find(named), 0)
        await self._db.write(libraries.remove, status.library.id, self._clock.now())
        return status

    async def find(self, named: str) -> Library:
        """The library at this path or of this name. Raises InvalidParams where there is none."""
        known = await self._db.read(libraries.all_)
        raw = os.fsencode(_whole(Path(named)))
        found = next((one for one in known if one.path == raw or one.name == named), None)
        if found is None:
            raise InvalidParams(
                f"There is no library {named[:200]!r}.",
                remedy="`lyra library list` shows them; `lyra library add DIR` adds one.",
            )
        return found

    async def list(self, unread: int = 0) -> tuple[LibraryStatus, ...]:
        """Every library, each with at most `unread` of the files that could not be read."""
        return tuple([await self._status(one, unread) for one in await self._db.read(libraries.all_)])

    async def status(self, named: str, unread: int) -> LibraryStatus:
        return await self._status(await self.find(named), unread)

    async def _status(self, library: Library, unread: int) -> LibraryStatus:
        counts = await self._db.read(libraries.counts, library.id)
        return LibraryStatus(library, counts, await self._db.read(libraries.unread, library.id, unread))


def _whole(path: Path) -> Path:
    """The path from the root, without going through links: what a user names is what a user sees."""
    try:
        return Path(os.path.normpath(path.expanduser().absolute()))
    except RuntimeError as exc:  # ~name of a user that does not exist
        raise InvalidParams(f"{path} cannot be opened: {exc}.", remedy="Write the path in full.") from exc


def domain_of(library: Library) -> str:
    """The name under which the trust of all its documents can be set."""
    return f"{library.name}.{SCHEME}"


def _kind_of(place: Path) -> LibraryKind:
    try:
        if place.is_dir():
            os.listdir(place)
            return LibraryKind.ZOTERO if (place / zotero.DATABASE).is_file() else LibraryKind.FOLDER
        is_there = place.is_file()
    except (OSError, ValueError) as exc:
        why = getattr(exc, "strerror", None) or exc
        raise InvalidParams(f"{place} cannot be opened: {why}.", remedy="Check who may read it.") from exc
    if is_there and place.suffix.lower() in (*REFERENCES, CSL):
        return LibraryKind.REFERENCES
    problem = "is neither a folder nor a bibliography" if is_there else "does not exist"
    raise InvalidParams(
        f"{place} {problem}.", remedy="Name a folder, a BibTeX, RIS or CSL-JSON file, or a Zotero folder."
    )


def _name(place: Path, taken: set[str]) -> str:
    """A short name of the folder that no other library has, in letters that may stand in an address."""
    plain = re.sub(r"[^a-z0-9]+", "-", shown_path(os.fsencode(place.stem)).lower()).strip("-")[:_NAME_CHARS]
    names = [plain or SCHEME, *(f"{plain or SCHEME}-{number}" for number in range(2, len(taken) + 3))]
    return next(one for one in names if one not in taken)
