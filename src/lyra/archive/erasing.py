"""Erasing: what a deleted task alone has archived leaves the files, and what it asked leaves the records that stay.

Each file is written anew beside the old one, the index follows in one transaction, then the old file goes and only then
the entry in the list of what is to be done. Whoever is killed between leaves every record that stays in at least one
file, and the rest to the next start.
"""

import asyncio
import base64
import contextlib
import gzip
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from lyra.archive.captures import remove_capture
from lyra.archive.cdxj import url_key
from lyra.archive.files import is_being_written, remove_files
from lyra.archive.pruning import RewrittenFile, rewrite
from lyra.errors import InvalidParams, StorageError
from lyra.storage import archive_index, erasing
from lyra.storage.database import Database
from lyra.storage.erasing import Erasure, ErasureAction

ERASED = "erased"
_ADDRESS = re.compile(rb"^(WARC-Target-URI): *([^\r\n]*)", re.MULTILINE | re.IGNORECASE)
_ORIGIN = re.compile(rb"^(WARC-Refers-To-Target-URI): *([^\r\n]*)", re.MULTILINE | re.IGNORECASE)
# Headers of an answer that may repeat the address it was asked under.
_ECHOES = re.compile(rb"\r\n(?:link|location|content-location|refresh|x-cache-key):[^\r\n]*", re.IGNORECASE)
_WRITER_LIVES = "the process that writes it is still running; what is in it is erased with the next start after its end"


@dataclass(frozen=True, slots=True)
class ErasedArchive:
    """Records taken out of files, records that stay without what was asked, and files that could not be changed."""

    records: int = 0
    cleaned_records: int = 0
    files: int = 0
    left: tuple[tuple[str, str], ...] = ()


class Eraser:
    """Does in one archive directory what deleted tasks have left to be done."""

    def __init__(self, directory: Path, db: Database) -> None:
        self._directory = directory
        self._db = db

    async def finish(self) -> ErasedArchive:
        """Do all that is listed; what cannot be done now stays on the list, and is named."""
        found = await self._db.read(erasing.pending)
        if not found:
            return ErasedArchive()
        await asyncio.to_thread(_remove_parts, self._directory)
        counts: Counter[ErasureAction] = Counter()
        left: list[tuple[str, str]] = []
        files = 0
        for path, group in groupby(found, key=lambda one: one.warc_path):
            erasures = list(group)
            try:
                await self._erase(path, erasures)
            except StorageError as exc:
                left.append((path, exc.message))
                continue
            counts.update(one.action for one in erasures)
            files += 1
        removed = counts.pop(ErasureAction.REMOVE, 0)
        return ErasedArchive(removed, counts.total(), files, tuple(left))

    async def _erase(self, path: str, erasures: Sequence[Erasure]) -> None:
        if is_being_written(self._directory / path):
            raise StorageError(_WRITER_LIVES)
        gone = [one.record_id for one in erasures if one.action is ErasureAction.REMOVE]
        if not await self._db.read(archive_index.holds_more, path, gone):
            moved = RewrittenFile(path, (), tuple(gone), 0)
        elif await asyncio.to_thread((self._directory / path).is_file):
            moved = await asyncio.to_thread(_rewrite, self._directory, path, erasures)
        else:
            raise StorageError("it is missing, though pages that stay were read from it")
        await self._db.write(archive_index.relocate, moved.moved, (*moved.removed, *gone))
        await self._strip_queries([one.record_id for one in erasures if one.action is ErasureAction.READDRESS])
        outcome = await asyncio.to_thread(remove_files, self._directory, [path])
        if outcome.left:
            raise StorageError(outcome.left[0][1])
        await asyncio.to_thread(_remove_captures, self._directory, gone)
        await self._db.write(erasing.done, path)

    async def _strip_queries(self, record_ids: Sequence[str]) -> None:
        found = [await self._db.read(archive_index.get, one) for one in record_ids]
        addresses = [(one.ref.record_id, without_query(one.url)) for one in found if one is not None]
        await self._db.write(erasing.readdress, [(one, url, url_key(url)) for one, url in addresses])


def _rewrite(directory: Path, path: str, erasures: Sequence[Erasure]) -> RewrittenFile:
    named = {action: {one.record_id for one in erasures if one.action is action} for action in ErasureAction}
    return rewrite(
        directory,
        path,
        named[ErasureAction.REMOVE],
        edits={
            **dict.fromkeys(named[ErasureAction.READDRESS], readdressed),
            **dict.fromkeys(named[ErasureAction.READDRESS_ORIGIN], with_readdressed_origin),
        },
        without_request=named[ErasureAction.READDRESS],
        without_referer=named[ErasureAction.DROP_REQUEST],
    )


def readdressed(member: bytes) -> bytes:
    """A record without the queries of its addresses; the body of its answer stays to the byte."""
    head, _, rest = gzip.decompress(member).partition(b"\r\n\r\n")
    block = rest[: -len(b"\r\n\r\n")]
    answer, blank, body = block.partition(b"\r\n\r\n")
    if answer.startswith(b"HTTP/"):
        block = _ECHOES.sub(b"", answer) + blank + body
    head = _without_queries(head, _ADDRESS, _ORIGIN)
    head = _with_field(head, b"Content-Length", str(len(block)).encode())
    digest = base64.b32encode(hashlib.sha1(block, usedforsecurity=False).digest())
    head = _with_field(head, b"WARC-Block-Digest", b"sha1:" + digest)
    return gzip.compress(head + b"\r\n\r\n" + block + b"\r\n\r\n", mtime=0)


def with_readdressed_origin(member: bytes) -> bytes:
    """A record without the query of the address that its body first came from."""
    head, blank, rest = gzip.decompress(member).partition(b"\r\n\r\n")
    return gzip.compress(_without_queries(head, _ORIGIN) + blank + rest, mtime=0)


def _without_queries(head: bytes, *fields: re.Pattern[bytes]) -> bytes:
    for field in fields:
        head = field.sub(lambda one: one[1] + b": " + without_query(one[2].decode()).encode(), head)
    return head


def _with_field(head: bytes, name: bytes, value: bytes) -> bytes:
    return re.sub(rb"(?im)^(" + name + rb"): *[^\r\n]*", lambda one: one[1] + b": " + value, head)


def without_query(url: str) -> str:
    """The address with its query replaced by a word that says so."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=ERASED, fragment="")) if parts.query else url


def _remove_captures(directory: Path, record_ids: Sequence[str]) -> None:
    for record_id in record_ids:
        with contextlib.suppress(InvalidParams):  # no id of ours: there is no capture
            remove_capture(directory, record_id)


def _remove_parts(directory: Path) -> None:
    """Files that a killed process had begun to write anew."""
    for part in directory.rglob("*.warc.gz.part"):
        if not is_being_written(part):
            part.unlink(missing_ok=True)
