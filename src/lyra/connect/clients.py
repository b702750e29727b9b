"""The clients: where each keeps its configuration and how it writes a server down. A new client is one entry here."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any

from lyra.connect.launch import Launch
from lyra.errors import InvalidParams

SERVER_NAME = "lyra"
ENVIRONMENT_KEYS = ("env", "environment", "envs")  # of an entry; each client has one of them
# `uvx` may have to fetch the package first. Codex gives a server 10 s to start, Continue 20 s, OpenCode 5 s.
_STARTUP_S = 60
_GOOSE_TIMEOUT_S = 300  # Goose's own default; its files are expected to name it


class ConfigFormat(StrEnum):
    """How a configuration file is written; JSON may have comments and trailing commas."""

    JSON = "json"
    TOML = "toml"
    YAML = "yaml"


@dataclass(frozen=True, slots=True)
class MachineInfo:
    """What decides where a client's file is: `platform` as in `sys.platform`, the home and the environment."""

    platform: str
    home: str
    environ: Mapping[str, str]

    def path(self, text: str) -> PurePath:
        return PureWindowsPath(text) if self.platform == "win32" else PurePosixPath(text)

    def at_home(self, *parts: str) -> PurePath:
        return self.path(self.home).joinpath(*parts)

    def named(self, variable: str, otherwise: PurePath) -> PurePath:
        """The path that an environment variable names, or another where it is not set."""
        return self.path(self.environ.get(variable) or str(otherwise))

    @property
    def applications(self) -> PurePath:
        """Where applications keep their configuration."""
        if self.platform == "win32":
            return self.named("APPDATA", self.at_home("AppData", "Roaming"))
        if self.platform == "darwin":
            return self.at_home("Library", "Application Support")
        return self.xdg_config

    @property
    def application_data(self) -> PurePath:
        """Where applications keep their data; beside their configuration on Windows and macOS."""
        if self.platform in ("win32", "darwin"):
            return self.applications
        return self.named("XDG_DATA_HOME", self.at_home(".local", "share"))

    @property
    def xdg_config(self) -> PurePath:
        """Where applications that follow the XDG rules on every platform keep their configuration."""
        return self.named("XDG_CONFIG_HOME", self.at_home(".config"))


def _standard(launch: Launch) -> dict[str, Any]:
    return {"command": launch.command, "args": list(launch.args), **_env("env", launch)}


def _with_type(launch: Launch) -> dict[str, Any]:
    return {"type": "stdio", **_standard(launch)}


def _switched_on(launch: Launch) -> dict[str, Any]:
    return {**_standard(launch), "active": True}


def _opencode(launch: Launch) -> dict[str, Any]:
    command = [launch.command, *launch.args]
    return {"type": "local", "command": command, "enabled": True, **_env("environment", launch)}


def _goose(launch: Launch) -> dict[str, Any]:
    fields = {"name": SERVER_NAME, "type": "stdio", "cmd": launch.command, "args": list(launch.args), "enabled": True}
    return {**fields, **_env("envs", launch)}


def _named(launch: Launch) -> dict[str, Any]:
    return {"name": SERVER_NAME, **_standard(launch)}


def _env(key: str, launch: Launch) -> dict[str, Any]:
    return {key: dict(launch.env)} if launch.env else {}


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """One client's configuration file.

    `section` is the key of its servers: listed by name, or a list of entries with a `name` where `is_list`. Of
    `places` the first that exists is the file, else the first. `defaults` are fields written only where the entry has
    none; `new_file` is what a file needs besides its servers; `hides` is a file beside it that the client no longer
    reads once this one exists.
    """

    name: str
    title: str
    form: ConfigFormat
    section: str
    places: Callable[[MachineInfo], tuple[PurePath, ...]]
    entry: Callable[[Launch], dict[str, Any]] = _standard
    defaults: Mapping[str, Any] = field(default_factory=dict)
    new_file: Mapping[str, Any] = field(default_factory=dict)
    is_list: bool = False
    hides: str | None = None

    def file(self, machine: MachineInfo) -> Path:
        """The file to edit, which may not exist yet."""
        places = [Path(place) for place in self.places(machine)]
        return next((place for place in places if place.exists()), places[0])


def _lm_studio_home(on: MachineInfo) -> PurePath:
    """The folder that LM Studio's pointer file names: installations from before 2025 keep it in ~/.cache."""
    named = _read(on.at_home(".lmstudio-home-pointer")).strip()
    return on.path(named) if named else on.at_home(".lmstudio")


def _jan_data(on: MachineInfo) -> PurePath:
    """Jan's data folder, which its user may have moved."""
    home = on.application_data / "Jan"
    try:
        settings = json.loads(_read(home / "settings.json") or "{}")
    except ValueError:
        settings = {}
    moved = settings.get("data_folder") if isinstance(settings, dict) else None
    return on.named("JAN_DATA_FOLDER", on.path(moved) if isinstance(moved, str) and moved else home / "data")


def _cline_settings(on: MachineInfo) -> tuple[PurePath, ...]:
    """The file that the extension and the command share, and the one that the extension had before version 4."""
    name = "cline_mcp_settings.json"
    data = on.named("CLINE_DATA_DIR", on.named("CLINE_DIR", on.at_home(".cline")) / "data")
    storage = on.applications / "Code" / "User" / "globalStorage" / "saoudrizwan.claude-dev"
    return on.named("CLINE_MCP_SETTINGS_PATH", data / "settings" / name), storage / "settings" / name


def _goose_config(on: MachineInfo) -> PurePath:
    if on.platform == "win32":
        folder = on.applications / "Block" / "goose" / "config"
    else:
        folder = on.xdg_config / "goose"
    root = on.environ.get("GOOSE_PATH_ROOT")
    return (on.path(root) / "config" if root else folder) / "config.yaml"


def _read(path: PurePath) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


_JSON, _TOML, _YAML = ConfigFormat.JSON, ConfigFormat.TOML, ConfigFormat.YAML

CLIENTS: Mapping[str, ClientConfig] = {
    one.name: one
    for one in (
        ClientConfig(
            "claude-code",
            "Claude Code",
            _JSON,
            "mcpServers",
            lambda on: (on.named("CLAUDE_CONFIG_DIR", on.at_home()) / ".claude.json",),
            _with_type,
        ),
        ClientConfig(
            "claude-desktop",
            "Claude Desktop",
            _JSON,
            "mcpServers",
            lambda on: (on.applications / "Claude" / "claude_desktop_config.json",),
        ),
        ClientConfig(
            "cursor", "Cursor", _JSON, "mcpServers", lambda on: (on.at_home(".cursor", "mcp.json"),), _with_type
        ),
        ClientConfig(
            "vscode",
            "Visual Studio Code",
            _JSON,
            "servers",
            lambda on: (on.applications / "Code" / "User" / "mcp.json",),
            _with_type,
        ),
        ClientConfig(
            "codex",
            "Codex",
            _TOML,
            "mcp_servers",
            lambda on: (on.named("CODEX_HOME", on.at_home(".codex")) / "config.toml",),
            defaults={"startup_timeout_sec": _STARTUP_S},
        ),
        # geminicli.com/docs/tools/mcp-server
        ClientConfig(
            "gemini-cli", "Gemini CLI", _JSON, "mcpServers", lambda on: (on.at_home(".gemini", "settings.json"),)
        ),
        # docs.windsurf.com/windsurf/cascade/mcp
        ClientConfig(
            "windsurf",
            "Windsurf",
            _JSON,
            "mcpServers",
            lambda on: (on.at_home(".codeium", "windsurf", "mcp_config.json"),),
        ),
        # zed.dev/docs/ai/mcp; macOS has its settings in ~/.config as well
        ClientConfig(
            "zed",
            "Zed",
            _JSON,
            "context_servers",
            lambda on: (
                (on.applications / "Zed" if on.platform == "win32" else on.xdg_config / "zed") / "settings.json",
            ),
        ),
        # docs.cline.bot/mcp; github.com/cline/cline: sdk/packages/shared/src/storage/paths.ts
        ClientConfig("cline", "Cline", _JSON, "mcpServers", _cline_settings),
        # docs.continue.dev/reference: name, version and schema are required
        ClientConfig(
            "continue",
            "Continue",
            _YAML,
            "mcpServers",
            lambda on: (on.named("CONTINUE_GLOBAL_DIR", on.at_home(".continue")) / "config.yaml",),
            _named,
            defaults={"connectionTimeout": _STARTUP_S * 1000},
            new_file={"name": "Local Config", "version": "1.0.0", "schema": "v1"},
            is_list=True,
            hides="config.json",
        ),
        # block.github.io/goose/docs/guides/config-files; github.com/block/goose: crates/goose/src/config/paths.rs
        ClientConfig(
            "goose",
            "Goose",
            _YAML,
            "extensions",
            lambda on: (_goose_config(on),),
            _goose,
            defaults={"description": "Research with provable evidence", "timeout": _GOOSE_TIMEOUT_S},
        ),
        # lmstudio.ai/docs/app/mcp
        ClientConfig("lm-studio", "LM Studio", _JSON, "mcpServers", lambda on: (_lm_studio_home(on) / "mcp.json",)),
        # opencode.ai/docs/mcp-servers; its timeout counts for every request
        ClientConfig(
            "opencode",
            "OpenCode",
            _JSON,
            "mcp",
            lambda on: (
                on.xdg_config / "opencode" / "opencode.json",
                on.xdg_config / "opencode" / "opencode.jsonc",
            ),
            _opencode,
            defaults={"timeout": _STARTUP_S * 1000},
            new_file={"$schema": "https://opencode.ai/config.json"},
        ),
        # github.com/janhq/jan: src-tauri/src/core/app/commands.rs and core/mcp/constants.rs
        ClientConfig("jan", "Jan", _JSON, "mcpServers", lambda on: (_jan_data(on) / "mcp_config.json",), _switched_on),
    )
}


def client_named(name: str) -> ClientConfig:
    """The client of that name. Raises InvalidParams with the names there are."""
    found = CLIENTS.get(name)
    if found is None:
        raise InvalidParams(f"There is no client {name[:60]!r}.", remedy=f"Use one of: {', '.join(CLIENTS)}.")
    return found
