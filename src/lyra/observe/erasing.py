"""Log files without the lines that speak of a deleted task."""

import contextlib
import gzip
import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote, quote_plus

from lyra.disk import put_bytes

_SHORTEST_WORDS = 4


def erase_lines(directory: Path, words: Iterable[str]) -> int:
    """Remove every line that holds one of these words, plain, escaped or as part of an address; returns how many."""
    wanted = {form for one in words if len(one) >= _SHORTEST_WORDS for form in _forms(one)}
    if not wanted:
        return 0
    return sum(_erase(path, wanted) for path in sorted(directory.glob("lyra-*.log*")))


def _forms(words: str) -> set[bytes]:
    escaped = words.encode("unicode_escape").replace(b'"', b'\\"')
    return {words.encode("utf-8", "replace"), escaped, quote(words, safe="").encode(), quote_plus(words).encode()}


def _erase(path: Path, wanted: set[bytes]) -> int:
    is_packed = path.suffix == ".gz"
    with contextlib.suppress(FileNotFoundError):  # another process has packed or removed it meanwhile
        raw = path.read_bytes()
        lines = (gzip.decompress(raw) if is_packed else raw).splitlines(keepends=True)
        kept = [line for line in lines if not any(one in line for one in wanted)]
        if len(kept) == len(lines):
            return 0
        text = b"".join(kept)
        if not is_packed:  # lines that others have appended since
            with path.open("rb") as file:
                file.seek(len(raw), os.SEEK_SET)
                text += file.read()
        put_bytes(path, gzip.compress(text) if is_packed else text)
        return len(lines) - len(kept)
    return 0
