"""Output in whatever character set the terminal has: nothing that Lyra prints ends in a traceback."""

import io
import json
import sys
from typing import Any

from lyra.errors import InvalidParams


def accept_any_text() -> None:
    """From now on `?` stands for characters that standard output or error cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON for standard output; characters are escaped where it is not UTF-8, so that none is lost."""
    is_utf8 = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    return json.dumps(value, ensure_ascii=not is_utf8, indent=indent, default=str)


def unusable_characters(exc: UnicodeEncodeError) -> InvalidParams:
    """The error of a name, such as a file's, that the system's character set cannot write."""
    return InvalidParams(
        f"{exc.object[:60]!r} has characters that {exc.encoding}, the character set of this system, does not have.",
        remedy="Set LC_ALL=C.UTF-8 in the environment, or use names without them.",
    )
