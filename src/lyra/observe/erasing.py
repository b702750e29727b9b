"""Log files without the lines that speak of a deleted task."""

import contextlib
import gzip
import os
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote, quote_plus

from lyra.disk import put_bytes

_SHORTEST_WORDS = 4


def erase_lines(directory: Path, words: Iterable[str], sites: Iterable[str] = ()) -> int:
    """Remove every line that holds one of these words, plain, escaped or as part of an address; returns how many.

    `sites` are names of hosts: a line that names one, or a host below it, goes too. Both logs are cleared.
    """
    forms = sorted({form for one in words if len(one) >= _SHORTEST_WORDS for form in _forms(one)})
    named = [rb"(?<![\w-])" + re.escape(one.encode()) + rb"(?![\w-]|\.\w)" for one in sorted(sites)]
    if not forms and not named:
        return 0
    wanted = re.compile(b"|".join([*map(re.escape, forms), *named]))
    found = (*directory.glob("lyra-*.log*"), *directory.glob("audit-*.log*"))
    return sum(_erase(path, wanted) for path in sorted(found))


def _forms(words: str) -> set[bytes]:
    escaped = words.encode("unicode_escape").replace(b'"', b'\\"')
    return {words.encode("utf-8", "replace"), escaped, quote(words, safe="").encode(), quote_plus(words).encode()}


def _erase(path: Path, wanted: re.Pattern[bytes]) -> int:
    is_packed = path.suffix == ".gz"
    with contextlib.suppress(FileNotFoundError):  # another process has packed or removed it meanwhile
        raw = path.read_bytes()
        lines = (gzip.decompress(raw) if is_packed else raw).splitlines(keepends=True)
        kept = [line for line in lines if not wanted.search(line)]
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
