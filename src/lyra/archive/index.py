"""The archive's index: what has been stored, by id, by body and by address; and its CDXJ form."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from urllib.parse import urlsplit

from lyra.model.archive import ArchivedRecord
from lyra.storage import archive_index
from lyra.storage.database import Database
from lyra.urls import escaped, wire_host

_WWW = re.compile(r"^www\d*\.")
_ORDINARY_PORTS = {"http": 80, "https": 443}


def cdxj_line(url: str, moment: datetime, fields: Mapping[str, object]) -> str:
    """One line without its end; fields without a value are left out."""
    stated = {name: value for name, value in {"url": url, **fields}.items() if value is not None}
    stamp = moment.astimezone(UTC).strftime("%Y%m%d%H%M%S")
    return f"{url_key(url)} {stamp} {json.dumps(stated, ensure_ascii=False)}"


def url_key(url: str) -> str:
    """The address from the general to the particular: `https://www.a.example/B?y&x` becomes `example,a)/b?x&y`."""
    try:
        parts = urlsplit(url)
        host, port = wire_host(parts.hostname or ""), parts.port
    except ValueError:
        return _one_word(url.lower())
    if not host:
        return _one_word(url.lower())
    reversed_host = ",".join(reversed(_WWW.sub("", host).split(".")))
    suffix = f":{port}" if port and port != _ORDINARY_PORTS.get(parts.scheme) else ""
    query = "&".join(sorted(escaped(parts.query).lower().split("&")))
    path = (escaped(parts.path).lower() or "/") + (f"?{query}" if query else "")
    return _one_word(f"{reversed_host}{suffix}){path}")


def _one_word(key: str) -> str:
    return re.sub(r"\s", "%20", key)


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
