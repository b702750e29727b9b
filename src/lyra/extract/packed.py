"""Parts of zipped documents (DOCX, ODT, PPTX, XLSX, EPUB). Hostile files are refused: what unpacks to too much, what is
encrypted, and XML that declares entities."""

import io
import zipfile
import zlib
from typing import TYPE_CHECKING

from lyra.errors import InvalidParams

if TYPE_CHECKING:
    from lxml.etree import _Element

ZIP = b"PK\x03\x04"
MAX_PART_BYTES = 64 * 1024 * 1024
_MAX_ALL_BYTES = 256 * 1024 * 1024
_MAX_PARTS = 20_000
_ENCRYPTED_FLAG = 1
_BROKEN = (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError, EOFError, zlib.error)


def unreadable(kind: str, why: str) -> InvalidParams:
    """Why nothing of a document of this kind is read."""
    is_locked = "encrypted" in why
    return InvalidParams(
        f"This {kind} cannot be read: it {why}.",
        remedy="Open it with its password and save an unprotected copy."
        if is_locked
        else "Open it in its program and save it again.",
        details={"looks_like": f"{'encrypted' if is_locked else 'broken'} {kind}"},
    )


class Packed:
    """An open zipped document; `kind` is what people call it. All parts together may unpack to a limit."""

    def __init__(self, body: bytes, kind: str = "document") -> None:
        self.kind = kind
        self._left = _MAX_ALL_BYTES
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except _BROKEN as exc:
            raise self.refused(f"is broken ({exc})") from exc
        if len(self._zip.infolist()) > _MAX_PARTS:
            raise self.refused("has too many parts")
        self.names = frozenset(self._zip.namelist())

    def refused(self, why: str) -> InvalidParams:
        """Why nothing of it is read."""
        return unreadable(self.kind, why)

    def read(self, name: str) -> bytes | None:
        """The bytes of a part; None where there is no such part. Raises InvalidParams where it cannot be read."""
        if name not in self.names:
            return None
        if self._zip.getinfo(name).flag_bits & _ENCRYPTED_FLAG:
            raise self.refused("is encrypted")
        limit = min(MAX_PART_BYTES, self._left)
        try:
            with self._zip.open(name) as stream:
                content = stream.read(limit + 1)
        except _BROKEN as exc:
            raise self.refused(f"is broken ({exc})") from exc
        if len(content) > limit:
            raise self.refused(f"unpacks to more than {limit // 1024 // 1024} MB")
        self._left -= len(content)
        return content

    def xml(self, name: str) -> "_Element | None":
        """The tree of a part; None where there is no such part."""
        from lxml import etree

        content = self.read(name)
        if content is None:
            return None
        if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
            raise self.refused("declares entities, which no such program does")
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            return etree.fromstring(content, parser)
        except etree.XMLSyntaxError as exc:
            raise self.refused(f"is broken ({exc.msg})") from exc
