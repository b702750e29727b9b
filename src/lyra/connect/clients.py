"""The AI clients we know: where each keeps its list of MCP servers on each platform, and in what form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any


class Client(StrEnum):
    """Clients by the name a user types."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


class Form(StrEnum):
    """How a configuration file is written."""

    JSON = "json"
    TOML = "toml"


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides where a client's file lies: `platform` as in `sys.platform`, the home and the environment."""

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
class Kind:
    """What is known of one client: `section` is the key under which its servers stand, by their names."""

    title: str
    form: Form
    section: str
    names_type: bool
    where: Callable[[Machine], PurePath]

    def file(self, machine: Machine) -> Path:
        return Path(self.where(machine))

    def entry(self, command: str, args: tuple[str, ...]) -> dict[str, Any]:
        """The server's entry as this client writes it."""
        kind = {"type": "stdio"} if self.names_type else {}
        return {**kind, "command": command, "args": list(args)}


def _below(machine: Machine, variable: str, folder: str) -> PurePath:
    return machine.path(machine.environ.get(variable) or str(machine.path(machine.home) / folder))


KINDS: Mapping[Client, Kind] = {
    Client.CLAUDE_CODE: Kind(
        "Claude Code", Form.JSON, "mcpServers", True, lambda on: _below(on, "CLAUDE_CONFIG_DIR", "") / ".claude.json"
    ),
    Client.CLAUDE_DESKTOP: Kind(
        "Claude Desktop",
        Form.JSON,
        "mcpServers",
        False,
        lambda on: on.applications / "Claude" / "claude_desktop_config.json",
    ),
    Client.CURSOR: Kind("Cursor", Form.JSON, "mcpServers", True, lambda on: on.path(on.home) / ".cursor" / "mcp.json"),
    Client.VSCODE: Kind(
        "Visual Studio Code", Form.JSON, "servers", True, lambda on: on.applications / "Code" / "User" / "mcp.json"
    ),
    Client.CODEX: Kind(
        "Codex", Form.TOML, "mcp_servers", False, lambda on: _below(on, "CODEX_HOME", ".codex") / "config.toml"
    ),
}
