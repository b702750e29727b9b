"""A small gzip file that expands to a great many spaces."""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache

_CHUNK_BYTES = 1 << 20


@lru_cache(maxsize=2)
def gzip_bomb(expanded_bytes: int) -> bytes:
    """A valid gzip member of spaces, about a thousandth of its expanded size."""
    chunk = b" " * _CHUNK_BYTES
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    # After a full flush the packer starts anew, so that the same chunk gives the same bytes each time.
    packed = packer.compress(chunk) + packer.flush(zlib.Z_FULL_FLUSH)
    times = max(1, expanded_bytes // _CHUNK_BYTES)
    check = 0
    for _ in range(times):
        check = zlib.crc32(chunk, check)
    head = struct.pack("<BBBBIBB", 0x1F, 0x8B, 8, 0, 0, 2, 255)
    return head + packed * times + packer.flush(zlib.Z_FINISH) + struct.pack("<II", check, times * _CHUNK_BYTES)
