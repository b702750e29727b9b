"""The index as the archive uses it: what has been stored, by id, by body and by address."""

from collections.abc import Sequence

from lyra.archive.cdxj import url_key
from lyra.model.archive import ArchivedRecord
from lyra.storage import archive_index
from lyra.storage.database import Database


class RecordIndex:
    """Shared by every process over one data directory."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def enter(self, records: Sequence[ArchivedRecord]) -> None:
        await self._db.write(archive_index.add, records)

    async def get(self, record_id: str) -> ArchivedRecord | None:
        return await self._db.read(archive_index.get, record_id)

    async def with_digest(self, digest: str) -> ArchivedRecord | None:
        """The first whole answer with this body."""
        return await self._db.read(archive_index.with_digest, digest)

    async def last_answer(self, url: str) -> ArchivedRecord | None:
        """The newest whole answer of this very address."""
        return await self._db.read(archive_index.last_answer, url, url_key(url))

    async def known_ends(self) -> dict[str, int]:
        """Each indexed file with the end of its last indexed record."""
        return await self._db.read(archive_index.known_ends)
