"""The key of a data directory: 32 random bytes that only this user can read, made when they are first needed."""

import os
import re
import secrets
from functools import cache, partial
from pathlib import Path

from lyra.disk import writing
from lyra.errors import StorageError
from lyra.ids import new_id
from lyra.redact.redactor import Redactor

KEY_FILE = "redaction.key"
_KEY = re.compile(r"[0-9a-f]{64}")


def redactor_of(directory: Path) -> Redactor:
    """What redacts for this data directory; the key is read, or made, with the first secret."""
    return Redactor(partial(_key, directory.absolute()))


@cache
def _key(directory: Path) -> bytes:
    path = directory / KEY_FILE
    with writing(directory):
        if not path.exists():
            _make(path)
        return parse_key(path.read_text("ascii", errors="replace"))


def parse_key(text: str) -> bytes:
    """The bytes of a key file. Raises StorageError where it is none."""
    if not _KEY.fullmatch(text.strip()):
        raise StorageError(
            f"The file {KEY_FILE} in the data directory holds no key.",
            remedy="Restore it from a backup, or remove it: then addresses that were redacted are no longer found.",
        )
    return bytes.fromhex(text.strip())


def _make(path: Path) -> None:
    """Of two processes that make one at once, the first one's stays."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{new_id('k')}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_bytes(32).hex())
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(part, path)
        except FileExistsError:
            return
    finally:
        part.unlink()
