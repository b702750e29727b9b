"""Tells AI clients how to start Lyra: where each keeps its list of MCP servers, and editing that file safely."""

import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any

from lyra.disk import put_whole
from lyra.errors import InvalidParams

SERVER_NAME = "lyra"
PACKAGE = "lyra-mcp"
_UVX_CACHE = "archive-v0"
_TOML_HEADER = re.compile(r"\s*\[")


class Client(StrEnum):
    """Clients by the name a user types."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


class ConfigFormat(StrEnum):
    """How a configuration file is written."""

    JSON = "json"
    TOML = "toml"


@dataclass(frozen=True, slots=True)
class MachineInfo:
    """What decides where a client's file is: `platform` as in `sys.platform`, the home and the environment."""

    platform: str
    home: str
    environ: Mapping[str, str]

    def path(self, text: str) -> PurePath:
        return PureWindowsPath(text) if self.platform == "win32" else PurePosixPath(text)

    @property
    def applications(self) -> PurePath:
        """Where applications keep their configuration."""
        home = self.path(self.home)
        if self.platform == "win32":
            return self.path(self.environ.get("APPDATA") or str(home / "AppData" / "Roaming"))
        if self.platform == "darwin":
            return home / "Library" / "Application Support"
        return self.path(self.environ.get("XDG_CONFIG_HOME") or str(home / ".config"))


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """One client's configuration file; `section` is the key of its servers, which are listed by name."""

    title: str
    form: ConfigFormat
    section: str
    names_type: bool
    where: Callable[[MachineInfo], PurePath]

    def file(self, machine: MachineInfo) -> Path:
        return Path(self.where(machine))

    def entry(self, command: str, args: tuple[str, ...]) -> dict[str, Any]:
        """The server's entry as this client writes it."""
        kind = {"type": "stdio"} if self.names_type else {}
        return {**kind, "command": command, "args": list(args)}


def _config_dir(machine: MachineInfo, variable: str, folder: str) -> PurePath:
    return machine.path(machine.environ.get(variable) or str(machine.path(machine.home) / folder))


CLIENTS: Mapping[Client, ClientConfig] = {
    Client.CLAUDE_CODE: ClientConfig(
        "Claude Code",
        ConfigFormat.JSON,
        "mcpServers",
        True,
        lambda on: _config_dir(on, "CLAUDE_CONFIG_DIR", "") / ".claude.json",
    ),
    Client.CLAUDE_DESKTOP: ClientConfig(
        "Claude Desktop",
        ConfigFormat.JSON,
        "mcpServers",
        False,
        lambda on: on.applications / "Claude" / "claude_desktop_config.json",
    ),
    Client.CURSOR: ClientConfig(
        "Cursor", ConfigFormat.JSON, "mcpServers", True, lambda on: on.path(on.home) / ".cursor" / "mcp.json"
    ),
    Client.VSCODE: ClientConfig(
        "Visual Studio Code",
        ConfigFormat.JSON,
        "servers",
        True,
        lambda on: on.applications / "Code" / "User" / "mcp.json",
    ),
    Client.CODEX: ClientConfig(
        "Codex",
        ConfigFormat.TOML,
        "mcp_servers",
        False,
        lambda on: _config_dir(on, "CODEX_HOME", ".codex") / "config.toml",
    ),
}


def launcher(
    options: Sequence[str] = (),
    *,
    executable: str = sys.executable,
    prefix: str = sys.prefix,
    suffix: str = ".exe" if os.name == "nt" else "",
) -> tuple[str, tuple[str, ...]]:
    """Command and arguments of `lyra … serve`; for a package in the cache of `uvx` the command is `uvx`."""
    arguments = (*options, "serve")
    if _UVX_CACHE in Path(prefix).parts:
        return "uvx", (PACKAGE, *arguments)
    script = Path(executable).parent / f"lyra{suffix}"
    if script.exists():
        return str(script), arguments
    return executable, ("-m", "lyra", *arguments)


class ConfigNotEditable(ValueError):
    """The text cannot be edited safely; the message says why."""


def set_server_entry(text: str, form: ConfigFormat, section: str, name: str, entry: Mapping[str, Any]) -> str:
    """The text with `entry` as server `name`; the same text where it has that entry already.

    Fields that the user added to an earlier entry stay. Raises ConfigNotEditable where the text is not valid.
    """
    known = _read(text, form)
    servers = known.get(section, {})
    if not isinstance(servers, dict) or not isinstance(servers.get(name, {}), dict):
        raise ConfigNotEditable(f"{section} in it is not a group of servers")
    earlier = servers.get(name)
    wanted = {**(earlier or {}), **entry}
    if wanted == earlier:
        return text
    expected = {**known, section: {**servers, name: wanted}}
    if form is ConfigFormat.JSON:
        return json.dumps(expected, indent=2, ensure_ascii=False) + "\n"
    edited = _set_table(text, f"{section}.{name}", wanted)
    if _read_or_none(edited, form) != expected:
        raise ConfigNotEditable(f"{section}.{name} in it is written in a way that cannot be changed without harm")
    return edited


def snippet(form: ConfigFormat, section: str, name: str, entry: Mapping[str, Any]) -> str:
    """What a user would paste into an empty file."""
    return set_server_entry("", form, section, name, entry)


def _read(text: str, form: ConfigFormat) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        found = json.loads(text, object_pairs_hook=_unique_keys) if form is ConfigFormat.JSON else tomllib.loads(text)
    except (ValueError, RecursionError) as exc:
        raise ConfigNotEditable(f"it is not valid {form.value.upper()} ({exc})") from exc
    if not isinstance(found, dict):
        raise ConfigNotEditable("it does not hold an object")
    return found


def _read_or_none(text: str, form: ConfigFormat) -> dict[str, Any] | None:
    try:
        return _read(text, form)
    except ConfigNotEditable:
        return None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; one that names a key twice would lose a value when written again."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return found


def _set_table(text: str, dotted: str, values: Mapping[str, Any]) -> str:
    """TOML with the table `dotted` replaced in its place, or added at the end; comments elsewhere stay."""
    table = [f"[{dotted}]", *(f"{_toml_key(key)} = {_toml_value(value)}" for key, value in values.items())]
    lines = text.splitlines()
    own = [number for number, line in enumerate(lines) if _belongs(line, dotted)]
    if not own:
        before = text.rstrip("\n") + "\n\n" if text.strip() else ""
        return before + "\n".join(table) + "\n"
    kept: list[str] = []
    inside = False
    for number, line in enumerate(lines):
        if _TOML_HEADER.match(line):
            inside = number in own
        if number == own[0]:
            kept += [*table, ""]
        if not inside:
            kept.append(line)
    return "\n".join(kept).rstrip("\n") + "\n"


def _belongs(line: str, dotted: str) -> bool:
    """Whether the line is the head of the table or of one below it."""
    return re.match(rf"\s*\[\s*{re.escape(dotted)}\s*[\].]", line) is not None


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml_key(key)} = {_toml_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml_value(item) for item in value) + "]"
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """Whether the file was changed; `backup` is a copy of the file before."""

    path: Path
    is_changed: bool
    backup: Path | None = None


def connect(kind: ClientConfig, path: Path, entry: Mapping[str, Any], now: datetime) -> ConfigChange:
    """Make the client start Lyra. Raises InvalidParams, and then the file is as it was."""
    target = path.resolve()  # a link into a folder of dotfiles stays a link
    try:
        before = target.read_text("utf-8-sig") if target.exists() else None
        after = set_server_entry(before or "", kind.form, kind.section, SERVER_NAME, entry)
        if after == before:
            return ConfigChange(path, False)
        return ConfigChange(path, True, _replace(target, after, now, is_new=before is None))
    except (ConfigNotEditable, UnicodeDecodeError) as exc:
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
