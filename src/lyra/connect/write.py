"""Writing a client's configuration file: with a backup, in one step, or not at all."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from lyra.connect.clients import Kind
from lyra.connect.edit import Unfit, put
from lyra.disk import put_whole
from lyra.errors import InvalidParams

NAME = "lyra"


@dataclass(frozen=True, slots=True)
class Written:
    """What was done: nothing where the file said so already; `backup` is the file as it was."""

    path: Path
    is_changed: bool
    backup: Path | None = None


def connect(kind: Kind, path: Path, entry: Mapping[str, Any], now: datetime) -> Written:
    """Make the client start Lyra. Raises InvalidParams, and then the file is as it was."""
    target = path.resolve()  # a link into a folder of dotfiles stays a link
    try:
        before = target.read_text("utf-8-sig") if target.exists() else None
        after = put(before or "", kind.form, kind.section, NAME, entry)
        if after == before:
            return Written(path, False)
        return Written(path, True, _replace(target, after, now, is_new=before is None))
    except (Unfit, UnicodeDecodeError) as exc:
        why = "it is not UTF-8 text" if isinstance(exc, UnicodeDecodeError) else str(exc)
        raise InvalidParams(
            f"The configuration {path} was left untouched: {why}.",
            remedy="Correct the file, or add by hand what `--print` shows.",
            details={"path": str(path)},
        ) from exc
    except OSError as exc:
        raise InvalidParams(
            f"The configuration {path} cannot be read or written: {exc.strerror or exc}.",
            remedy="Make it writable for this user, or add by hand what `--print` shows.",
            details={"path": str(path)},
        ) from exc


def _replace(target: Path, text: str, now: datetime, *, is_new: bool) -> Path | None:
    """Put the new text in place of the old in one step; returns the backup where there was something to keep."""
    target.parent.mkdir(parents=True, exist_ok=True)
    backup = None if is_new else target.with_name(f"{target.name}.before-lyra-{now:%Y%m%dT%H%M%S%fZ}")
    if backup is not None:
        shutil.copy2(target, backup)
    put_whole(target, text, keeps_mode=backup is not None)
    return backup
