"""One zip for one content: sorted names, no compression, fixed times, no gap, comment or extra field.

A reader of any make opens it; and since every byte of it follows from names and contents, a byte that was changed,
added or hidden anywhere, in headers too, is found by building the headers again and comparing.
"""

import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lyra.errors import InvalidParams

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_VERSION = 20
_MADE_BY_UNIX = 0x0314
_FIRST_DAY = 0x0021  # 1980-01-01, the first that the format knows
_PLAIN_FILE = 0o100600 << 16
_LARGEST = 0xFFFFFFFF - 1
MAX_FILES = 20_000
_LONGEST_NAME = 200
_CHUNK_BYTES = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*){0,3}")
Content = bytes | Path


@dataclass(frozen=True, slots=True)
class ZippedFile:
    """A file within the zip: its checksum, its size, and where its bytes begin."""

    name: str
    crc: int
    size: int
    start: int


def write_zip(stream: BinaryIO, files: Mapping[str, Content]) -> None:
    """Write the files, whatever order they are given in. Raises InvalidParams where they are too large for the form."""
    entries: list[tuple[bytes, int, int, int]] = []
    offset = 0
    for name in sorted(files):
        crc, size = _measure(files[name])
        _check_name(name)
        encoded = name.encode("ascii")
        if offset + size > _LARGEST or len(entries) >= MAX_FILES:
            raise InvalidParams(
                "The evidence is too large for one pack: at most 4 GB.", remedy="Split the question into several tasks."
            )
        stream.write(_local(encoded, crc, size))
        for chunk in _chunks(files[name]):
            stream.write(chunk)
        entries.append((encoded, crc, size, offset))
        offset += _LOCAL.size + len(encoded) + size
    listing = b"".join(_central(*entry) for entry in entries)
    stream.write(listing)
    stream.write(_ending(len(entries), len(listing), offset))


def read_zip(stream: BinaryIO) -> dict[str, ZippedFile]:
    """The files of a zip in this form. Raises InvalidParams with what is wrong with it; nothing is unpacked."""
    size = stream.seek(0, 2)
    if size > _LARGEST + MAX_FILES * (_CENTRAL.size + _LONGEST_NAME):
        raise broken("it is larger than any pack (4 GB)")
    entries = _listing(stream, size)
    found: dict[str, ZippedFile] = {}
    offset = 0
    for name, crc, length in entries:
        encoded = name.encode("ascii")
        local = _read(stream, offset, _LOCAL.size + len(encoded))
        if local != _local(encoded, crc, length):
            raise broken(f"the header of {name} is not as it must be")
        start = offset + len(local)
        found[name] = ZippedFile(name, crc, length, start)
        offset = start + length
    listing = b"".join(
        _central(one.name.encode("ascii"), one.crc, one.size, one.start - _LOCAL.size - len(one.name))
        for one in found.values()
    )
    if _read(stream, offset, size - offset) != listing + _ending(len(found), len(listing), offset):
        raise broken("its list of files is not as it must be")
    return found


def read_chunks(stream: BinaryIO, file: ZippedFile) -> Iterator[bytes]:
    """The bytes of a file. Raises InvalidParams where they are not those that its checksum is of."""
    stream.seek(file.start)
    left, crc = file.size, 0
    while left:
        chunk = stream.read(min(left, _CHUNK_BYTES))
        if not chunk:
            raise broken(f"it ends within {file.name}")
        crc = zlib.crc32(chunk, crc)
        left -= len(chunk)
        yield chunk
    if crc != file.crc:
        raise broken(f"the bytes of {file.name} were changed", file.name)


def broken(why: str, name: str | None = None) -> InvalidParams:
    """The file is not a pack, or was changed."""
    return InvalidParams(
        f"The pack is not intact: {why}.",
        remedy="Ask for the file again, and compare its SHA-256 with the one that its maker names.",
        details={"problems": [f"{name}: {why}" if name else why]},
    )


def _listing(stream: BinaryIO, size: int) -> list[tuple[str, int, int]]:
    """Name, checksum and size of each file, by the list at the end."""
    if size < _END.size:
        raise broken("it is too short for a zip")
    end = _END.unpack(_read(stream, size - _END.size, _END.size))
    count, length, offset = end[3], end[5], end[6]
    if end[0] != b"PK\x05\x06":
        raise broken("it has no list of files at its end: it was cut off, or something was added")
    is_listing_too_long = length > count * (_CENTRAL.size + _LONGEST_NAME)
    if count > MAX_FILES or is_listing_too_long or offset + length != size - _END.size:
        raise broken("the list of files at its end does not fit its size")
    data, at = _read(stream, offset, length), 0
    entries: list[tuple[str, int, int]] = []
    for _ in range(count):
        if at + _CENTRAL.size > length:
            raise broken("its list of files is cut off")
        fields = _CENTRAL.unpack_from(data, at)
        crc, packed, plain, name_length = fields[7], fields[8], fields[9], fields[10]
        name = _decoded(data[at + _CENTRAL.size : at + _CENTRAL.size + name_length])
        if packed != plain:
            raise broken(f"{name} is compressed, which no pack is")
        if entries and name <= entries[-1][0]:
            raise broken(f"{name} is there twice, or out of order")
        entries.append((name, crc, plain))
        at += _CENTRAL.size + name_length
    if at != length:
        raise broken("its list of files holds more than files")
    return entries


def _decoded(name: bytes) -> str:
    text = name.decode("ascii", "replace")
    _check_name(text)
    return text


def _check_name(name: str) -> None:
    """Plain names in plain folders: none leads out of a directory, whatever unpacks it."""
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        raise broken(f"{name[:60]!r} is not a name that a pack may contain")


def _local(name: bytes, crc: int, size: int) -> bytes:
    return _LOCAL.pack(b"PK\x03\x04", _VERSION, 0, 0, 0, _FIRST_DAY, crc, size, size, len(name), 0) + name


def _central(name: bytes, crc: int, size: int, offset: int) -> bytes:
    fields = (_MADE_BY_UNIX, _VERSION, 0, 0, 0, _FIRST_DAY, crc, size, size, len(name), 0, 0, 0, 0, _PLAIN_FILE, offset)
    return _CENTRAL.pack(b"PK\x01\x02", *fields) + name


def _ending(count: int, length: int, offset: int) -> bytes:
    return _END.pack(b"PK\x05\x06", 0, 0, count, count, length, offset, 0)


def _read(stream: BinaryIO, at: int, length: int) -> bytes:
    stream.seek(at)
    found = stream.read(length)
    if len(found) != length:
        raise broken("it ends too early")
    return found


def _measure(content: Content) -> tuple[int, int]:
    crc = size = 0
    for chunk in _chunks(content):
        crc = zlib.crc32(chunk, crc)
        size += len(chunk)
    return crc, size


def _chunks(content: Content) -> Iterable[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk
