"""Writes a client's configuration: whole or not at all, with the file as it was kept beside it."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from lyra.connect.clients import ENVIRONMENT_KEYS, SERVER_NAME, ClientConfig
from lyra.connect.edit import ConfigNotEditable, server_entry, set_server_entry
from lyra.disk import put_whole
from lyra.errors import InvalidParams


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """Whether the file was changed; `entry` is Lyra's in it now, and `backup` a copy of the file before."""

    path: Path
    is_changed: bool
    entry: Mapping[str, Any]
    backup: Path | None = None

    @property
    def is_switched_off(self) -> bool:
        """Whether the user told the client not to start Lyra; that stays."""
        return self.entry.get("enabled") is False or self.entry.get("disabled") is True

    @property
    def data_dir(self) -> str | None:
        """The data directory that the entry names; None where Lyra takes its default."""
        groups = (self.entry.get(name) for name in ENVIRONMENT_KEYS)
        return next((one["LYRA_DATA_DIR"] for one in groups if one and "LYRA_DATA_DIR" in one), None)


def connect(kind: ClientConfig, path: Path, entry: Mapping[str, Any], now: datetime) -> ConfigChange:
    """Make the client start Lyra. Raises InvalidParams, and then the file is as it was."""
    target = path.resolve()  # a link into a folder of dotfiles stays a link
    try:
        _refuse_to_hide(kind, target)
        before = target.read_bytes().decode("utf-8-sig") if target.exists() else None
        after = _edited(before or "", kind, entry)
        written = server_entry(after, kind, SERVER_NAME)
        if after == before:
            return ConfigChange(path, False, written)
        return ConfigChange(path, True, written, _replace(target, after, now, is_new=before is None))
    except (ConfigNotEditable, UnicodeDecodeError) as exc:
        why = "it is not UTF-8 text" if isinstance(exc, UnicodeDecodeError) else str(exc)
        raise InvalidParams(
            f"The configuration {path} was left untouched: {why}.",
            remedy=f"Correct the file, or add by hand what `lyra connect {kind.name} --print` shows.",
            details={"path": str(path)},
        ) from exc
    except OSError as exc:
        raise InvalidParams(
            f"The configuration {path} cannot be read or written: {exc.strerror or exc}.",
            remedy=f"Make it writable for this user, or add by hand what `lyra connect {kind.name} --print` shows.",
            details={"path": str(path)},
        ) from exc


def _refuse_to_hide(kind: ClientConfig, target: Path) -> None:
    if kind.hides and not target.exists() and target.with_name(kind.hides).exists():
        raise InvalidParams(
            f"{target} was not made: {kind.title} would read it instead of {kind.hides}, which is there.",
            remedy=f"Move what {kind.hides} says into {target.name} first; "
            f"`lyra connect {kind.name} --print` shows what to add for Lyra.",
            details={"path": str(target)},
        )


def _edited(before: str, kind: ClientConfig, entry: Mapping[str, Any]) -> str:
    """The text with the entry; lines that end as on Windows go on to do so."""
    if "\r\n" in before and before.count("\r\n") == before.count("\n"):
        return _edited(before.replace("\r\n", "\n"), kind, entry).replace("\n", "\r\n")
    return set_server_entry(before, kind, SERVER_NAME, entry)


def _replace(target: Path, text: str, now: datetime, *, is_new: bool) -> Path | None:
    """Put the new text in place of the old in one step; returns the backup where there was something to keep."""
    target.parent.mkdir(parents=True, exist_ok=True)
    backup = None if is_new else target.with_name(f"{target.name}.before-lyra-{now:%Y%m%dT%H%M%S%fZ}")
    if backup is not None:
        shutil.copy2(target, backup)
    put_whole(target, text, keeps_mode=backup is not None)
    return backup
