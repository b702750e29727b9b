"""Gold data from files: one JSON object a line, every mistake named with its line."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lyra.errors import InvalidParams
from lyra.text import without_surrogates

Progress = Callable[[int, int], None]
# Ten megabytes of Japanese text, escaped, take a sixth; a file without line ends must not fill the memory.
_LONGEST_LINE_BYTES = 128 * 1024 * 1024


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and object of every line that is not blank."""
    for number, line in text_lines(path):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as exc:
            raise bad_row(path, number, "it is not valid JSON") from exc
        if not isinstance(row, dict):
            raise bad_row(path, number, "it is not a JSON object")
        yield number, row


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Line number and text of every line that is not blank."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE_BYTES + 1), b""), 1):
                if len(line) > _LONGEST_LINE_BYTES:
                    raise bad_row(path, number, f"it is longer than {_LONGEST_LINE_BYTES >> 20} MiB")
                try:
                    text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
                except UnicodeDecodeError as exc:
                    raise bad_row(path, number, "it is not UTF-8") from exc
                if text.strip():
                    yield number, text
    except OSError as exc:
        raise InvalidParams(
            f"{path} cannot be read: {exc.strerror}.", remedy="Name a file or directory that exists."
        ) from exc


def text_field(row: dict[str, Any], name: str, path: Path, number: int, *, may_be_empty: bool = False) -> str:
    given = row.get(name)
    value = without_surrogates(given) if isinstance(given, str) else None
    if value is None or not (may_be_empty or value.strip()):
        raise bad_row(path, number, f"{name!r} must be a text")
    return value


def bad_row(path: Path, number: int, reason: str) -> InvalidParams:
    return InvalidParams(
        f"{path.name}, line {number}: {reason}.",
        remedy="Correct the line.",
        details={"line": number, "file": str(path)},
    )
