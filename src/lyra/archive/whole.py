"""How much of an archive file is whole: another process may be writing its last record this very moment."""

import zlib
from pathlib import Path

_CHUNK_BYTES = 1 << 20


def complete_bytes(path: Path, known: int = 0) -> int:
    """The end of the last complete record; the first `known` bytes are taken as complete. Zero-length tells nothing."""
    end = known
    with path.open("rb") as file:
        file.seek(known)
        position = known
        member = zlib.decompressobj(wbits=31)
        while chunk := file.read(_CHUNK_BYTES):
            position += len(chunk)
            while chunk:
                try:
                    while chunk and not member.eof:
                        member.decompress(chunk, _CHUNK_BYTES)
                        chunk = member.unconsumed_tail
                except zlib.error:
                    return end
                if member.eof:
                    chunk = member.unused_data
                    end = position - len(chunk)
                    member = zlib.decompressobj(wbits=31)
    return end
