"""Where each client keeps its servers."""

import pytest

from lyra.connect.clients import KINDS, Client, Machine

LINUX = Machine("linux", "/home/mika", {})
MAC = Machine("darwin", "/Users/mika", {})
WINDOWS = Machine("win32", r"C:\Users\mika", {"APPDATA": r"C:\Users\mika\AppData\Roaming"})


@pytest.mark.parametrize(
    ("client", "machine", "expected"),
    [
        (Client.CLAUDE_CODE, LINUX, "/home/mika/.claude.json"),
        (Client.CLAUDE_CODE, Machine("linux", "/home/mika", {"CLAUDE_CONFIG_DIR": "/cfg"}), "/cfg/.claude.json"),
        (Client.CLAUDE_DESKTOP, MAC, "/Users/mika/Library/Application Support/Claude/claude_desktop_config.json"),
        (Client.CLAUDE_DESKTOP, WINDOWS, r"C:\Users\mika\AppData\Roaming\Claude\claude_desktop_config.json"),
        (Client.CLAUDE_DESKTOP, LINUX, "/home/mika/.config/Claude/claude_desktop_config.json"),
        (Client.CURSOR, MAC, "/Users/mika/.cursor/mcp.json"),
        (Client.CURSOR, WINDOWS, r"C:\Users\mika\.cursor\mcp.json"),
        (Client.VSCODE, LINUX, "/home/mika/.config/Code/User/mcp.json"),
        (Client.VSCODE, Machine("linux", "/home/mika", {"XDG_CONFIG_HOME": "/xdg"}), "/xdg/Code/User/mcp.json"),
        (Client.VSCODE, MAC, "/Users/mika/Library/Application Support/Code/User/mcp.json"),
        (Client.VSCODE, WINDOWS, r"C:\Users\mika\AppData\Roaming\Code\User\mcp.json"),
        (Client.CODEX, LINUX, "/home/mika/.codex/config.toml"),
        (Client.CODEX, Machine("linux", "/home/mika", {"CODEX_HOME": "/codex"}), "/codex/config.toml"),
        (Client.CODEX, WINDOWS, r"C:\Users\mika\.codex\config.toml"),
    ],
)
def test_every_platform_has_its_own_place(client: Client, machine: Machine, expected: str) -> None:
    """A file in the wrong place is silently ignored by the client, so each path is pinned."""
    found = KINDS[client].where(machine)

    assert str(found) == expected


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        (Client.CLAUDE_CODE, {"type": "stdio", "command": "/opt/lyra", "args": ["serve"]}),
        (Client.CLAUDE_DESKTOP, {"command": "/opt/lyra", "args": ["serve"]}),
        (Client.CURSOR, {"type": "stdio", "command": "/opt/lyra", "args": ["serve"]}),
        (Client.VSCODE, {"type": "stdio", "command": "/opt/lyra", "args": ["serve"]}),
        (Client.CODEX, {"command": "/opt/lyra", "args": ["serve"]}),
    ],
)
def test_entries_are_written_as_each_client_reads_them(client: Client, expected: dict[str, object]) -> None:
    """Some clients want the transport named, others refuse fields they do not know."""
    entry = KINDS[client].entry("/opt/lyra", ("serve",))

    assert entry == expected
