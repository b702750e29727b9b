"""Where each client keeps its servers, the command it runs, and editing its configuration."""

import json
import tomllib
from pathlib import Path

import pytest

from lyra.connect import (
    CLIENTS,
    Client,
    ConfigFormat,
    ConfigNotEditable,
    MachineInfo,
    launcher,
    set_server_entry,
    snippet,
)

ENTRY = {"command": "/opt/lyra", "args": ["--data-dir", "/データ", "serve"]}


def test_other_servers_and_settings_stay() -> None:
    """The user's own configuration is not ours to change; Japanese stays readable."""
    before = json.dumps({"theme": "暗い", "mcpServers": {"weather": {"command": "w"}}, "n": 1.5}, ensure_ascii=False)

    after = set_server_entry(before, ConfigFormat.JSON, "mcpServers", "lyra", ENTRY)

    assert json.loads(after) == {
        "theme": "暗い",
        "mcpServers": {"weather": {"command": "w"}, "lyra": ENTRY},
        "n": 1.5,
    }
    assert '"theme": "暗い"' in after


def test_an_entry_that_is_there_changes_nothing() -> None:
    """Byte for byte: also odd formatting of the file is left as the user wrote it."""
    before = (
        '{"mcpServers":   {"lyra": {"args": ["serve"], "command": "/opt/lyra", "env": {"LYRA_LOG__LEVEL": "info"}}}}'
    )

    after = set_server_entry(
        before, ConfigFormat.JSON, "mcpServers", "lyra", {"command": "/opt/lyra", "args": ["serve"]}
    )

    assert after == before


def test_what_the_user_added_to_the_entry_stays() -> None:
    """A moved installation gets the new command and keeps the user's environment."""
    before = '{"mcpServers": {"lyra": {"command": "/old", "args": [], "env": {"LYRA_LOG__LEVEL": "info"}}}}'

    after = set_server_entry(before, ConfigFormat.JSON, "mcpServers", "lyra", ENTRY)

    assert json.loads(after)["mcpServers"]["lyra"] == {**ENTRY, "env": {"LYRA_LOG__LEVEL": "info"}}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"mcpServers": {', "not valid JSON"),
        ('{"a": 1, // comment\n "b": 2}', "not valid JSON"),
        ("[1, 2]", "does not hold an object"),
        ('{"mcpServers": []}', "not a group of servers"),
        ('{"mcpServers": {"lyra": "yes"}}', "not a group of servers"),
        ('{"a": 1, "a": 2}', "a key occurs twice"),
        ("[" * 200_000, "not valid JSON"),
        ("\x00\x01\x02", "not valid JSON"),
    ],
    ids=["half", "comment", "list", "section", "entry", "doubled", "deep", "binary"],
)
def test_json_that_cannot_be_edited_safely_is_refused(text: str, why: str) -> None:
    """Writing such a file again would lose something of it."""
    with pytest.raises(ConfigNotEditable, match=why):
        set_server_entry(text, ConfigFormat.JSON, "mcpServers", "lyra", ENTRY)


TOML = """\
# my settings
model = "gpt-5"  # keep

[mcp_servers.weather]
command = "w"

[mcp_servers.lyra]
command = "/old"
args = [
  "serve",
]

[mcp_servers.lyra.env]
LYRA_LOG__LEVEL = "info"

[profiles.fast]  # also keep
x = 1
"""


def test_a_new_toml_table_goes_to_the_end() -> None:
    """Comments and order of everything else stay, since the text before it is not touched."""
    before = '# my settings\nmodel = "gpt-5"  # keep\n'

    after = set_server_entry(before, ConfigFormat.TOML, "mcp_servers", "lyra", ENTRY)

    assert after == (
        before + '\n[mcp_servers.lyra]\ncommand = "/opt/lyra"\nargs = ["--data-dir", "/データ", "serve"]\n'
    )


def test_a_toml_table_is_replaced_where_it_stands() -> None:
    """With its sub-tables, and with nothing else changed, comments included."""
    after = set_server_entry(TOML, ConfigFormat.TOML, "mcp_servers", "lyra", ENTRY)

    assert tomllib.loads(after) == {
        "model": "gpt-5",
        "mcp_servers": {"weather": {"command": "w"}, "lyra": {**ENTRY, "env": {"LYRA_LOG__LEVEL": "info"}}},
        "profiles": {"fast": {"x": 1}},
    }
    assert after.startswith('# my settings\nmodel = "gpt-5"  # keep\n')
    assert "[profiles.fast]  # also keep\nx = 1\n" in after
    assert set_server_entry(after, ConfigFormat.TOML, "mcp_servers", "lyra", ENTRY) == after


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("model = ", "not valid TOML"),
        ('mcp_servers = { lyra = { command = "/old" } }', "cannot be changed without harm"),
        ('mcp_servers.lyra.command = "/old"', "cannot be changed without harm"),
        ('[[mcp_servers]]\ncommand = "x"', "not a group of servers"),
    ],
    ids=["half", "inline", "dotted", "array"],
)
def test_toml_that_cannot_be_edited_safely_is_refused(text: str, why: str) -> None:
    """The result is read back and compared; what would differ elsewhere is not written."""
    with pytest.raises(ConfigNotEditable, match=why):
        set_server_entry(text, ConfigFormat.TOML, "mcp_servers", "lyra", ENTRY)


def test_snippets_are_whole_files() -> None:
    """What `--print` shows can be saved as it is."""
    shown = (
        snippet(ConfigFormat.JSON, "servers", "lyra", ENTRY),
        snippet(ConfigFormat.TOML, "mcp_servers", "lyra", ENTRY),
    )

    assert json.loads(shown[0]) == {"servers": {"lyra": ENTRY}}
    assert tomllib.loads(shown[1]) == {"mcp_servers": {"lyra": ENTRY}}


LINUX = MachineInfo("linux", "/home/mika", {})
MAC = MachineInfo("darwin", "/Users/mika", {})
WINDOWS = MachineInfo("win32", r"C:\Users\mika", {"APPDATA": r"C:\Users\mika\AppData\Roaming"})


@pytest.mark.parametrize(
    ("client", "machine", "expected"),
    [
        (Client.CLAUDE_CODE, LINUX, "/home/mika/.claude.json"),
        (Client.CLAUDE_CODE, MachineInfo("linux", "/home/mika", {"CLAUDE_CONFIG_DIR": "/cfg"}), "/cfg/.claude.json"),
        (Client.CLAUDE_DESKTOP, MAC, "/Users/mika/Library/Application Support/Claude/claude_desktop_config.json"),
        (Client.CLAUDE_DESKTOP, WINDOWS, r"C:\Users\mika\AppData\Roaming\Claude\claude_desktop_config.json"),
        (Client.CLAUDE_DESKTOP, LINUX, "/home/mika/.config/Claude/claude_desktop_config.json"),
        (Client.CURSOR, MAC, "/Users/mika/.cursor/mcp.json"),
        (Client.CURSOR, WINDOWS, r"C:\Users\mika\.cursor\mcp.json"),
        (Client.VSCODE, LINUX, "/home/mika/.config/Code/User/mcp.json"),
        (Client.VSCODE, MachineInfo("linux", "/home/mika", {"XDG_CONFIG_HOME": "/xdg"}), "/xdg/Code/User/mcp.json"),
        (Client.VSCODE, MAC, "/Users/mika/Library/Application Support/Code/User/mcp.json"),
        (Client.VSCODE, WINDOWS, r"C:\Users\mika\AppData\Roaming\Code\User\mcp.json"),
        (Client.CODEX, LINUX, "/home/mika/.codex/config.toml"),
        (Client.CODEX, MachineInfo("linux", "/home/mika", {"CODEX_HOME": "/codex"}), "/codex/config.toml"),
        (Client.CODEX, WINDOWS, r"C:\Users\mika\.codex\config.toml"),
    ],
)
def test_every_platform_has_its_own_place(client: Client, machine: MachineInfo, expected: str) -> None:
    """A file in the wrong place is silently ignored by the client, so each path is pinned."""
    found = CLIENTS[client].where(machine)

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
    entry = CLIENTS[client].entry("/opt/lyra", ("serve",))

    assert entry == expected


def test_the_script_beside_python_is_named_in_full(tmp_path: Path) -> None:
    """Clients do not have the user's PATH: only an absolute command starts."""
    (tmp_path / "lyra").touch()

    found = launcher(("--data-dir", "/safe"), executable=str(tmp_path / "python"), prefix="/opt/venv", suffix="")

    assert found == (str(tmp_path / "lyra"), ("--data-dir", "/safe", "serve"))


def test_without_a_script_python_runs_the_package(tmp_path: Path) -> None:
    """A source checkout without installed scripts works as well."""
    found = launcher(executable=str(tmp_path / "python"), prefix="/opt/venv", suffix="")

    assert found == (str(tmp_path / "python"), ("-m", "lyra", "serve"))


def test_a_cached_environment_is_not_pointed_at(tmp_path: Path) -> None:
    """What `uvx` unpacked into its cache may be gone tomorrow, so the client is told to ask `uvx` again."""
    (tmp_path / "lyra").touch()
    cached = "/home/mika/.cache/uv/archive-v0/Xy12"

    found = launcher(executable=str(tmp_path / "python"), prefix=cached, suffix="")

    assert found == ("uvx", ("lyra-mcp", "serve"))
