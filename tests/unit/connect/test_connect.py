"""Where each client keeps its servers, how it writes them down, and the command it runs."""

from pathlib import Path

import pytest

from lyra.connect.clients import CLIENTS, MachineInfo, client_named
from lyra.connect.launch import Launch, kept_environment, launcher
from lyra.errors import InvalidParams

LINUX = MachineInfo("linux", "/home/mika", {})
MAC = MachineInfo("darwin", "/Users/mika", {})
WINDOWS = MachineInfo("win32", r"C:\Users\mika", {"APPDATA": r"C:\Users\mika\AppData\Roaming"})
ROAMING = r"C:\Users\mika\AppData\Roaming"


def linux(**environ: str) -> MachineInfo:
    return MachineInfo("linux", "/home/mika", environ)


@pytest.mark.parametrize(
    ("client", "machine", "expected"),
    [
        ("claude-code", LINUX, "/home/mika/.claude.json"),
        ("claude-code", linux(CLAUDE_CONFIG_DIR="/cfg"), "/cfg/.claude.json"),
        ("claude-desktop", MAC, "/Users/mika/Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", WINDOWS, rf"{ROAMING}\Claude\claude_desktop_config.json"),
        ("claude-desktop", LINUX, "/home/mika/.config/Claude/claude_desktop_config.json"),
        ("cursor", MAC, "/Users/mika/.cursor/mcp.json"),
        ("cursor", WINDOWS, r"C:\Users\mika\.cursor\mcp.json"),
        ("vscode", LINUX, "/home/mika/.config/Code/User/mcp.json"),
        ("vscode", linux(XDG_CONFIG_HOME="/xdg"), "/xdg/Code/User/mcp.json"),
        ("vscode", MAC, "/Users/mika/Library/Application Support/Code/User/mcp.json"),
        ("vscode", WINDOWS, rf"{ROAMING}\Code\User\mcp.json"),
        ("codex", LINUX, "/home/mika/.codex/config.toml"),
        ("codex", linux(CODEX_HOME="/codex"), "/codex/config.toml"),
        ("codex", WINDOWS, r"C:\Users\mika\.codex\config.toml"),
        ("gemini-cli", LINUX, "/home/mika/.gemini/settings.json"),
        ("windsurf", WINDOWS, r"C:\Users\mika\.codeium\windsurf\mcp_config.json"),
        ("zed", MAC, "/Users/mika/.config/zed/settings.json"),
        ("zed", WINDOWS, rf"{ROAMING}\Zed\settings.json"),
        ("cline", LINUX, "/home/mika/.cline/data/settings/cline_mcp_settings.json"),
        ("cline", linux(CLINE_DIR="/c"), "/c/data/settings/cline_mcp_settings.json"),
        ("cline", linux(CLINE_MCP_SETTINGS_PATH="/c.json"), "/c.json"),
        ("continue", LINUX, "/home/mika/.continue/config.yaml"),
        ("goose", MAC, "/Users/mika/.config/goose/config.yaml"),
        ("goose", WINDOWS, rf"{ROAMING}\Block\goose\config\config.yaml"),
        ("goose", linux(GOOSE_PATH_ROOT="/g"), "/g/config/config.yaml"),
        ("lm-studio", LINUX, "/home/mika/.lmstudio/mcp.json"),
        ("opencode", LINUX, "/home/mika/.config/opencode/opencode.json"),
        ("jan", LINUX, "/home/mika/.local/share/Jan/data/mcp_config.json"),
        ("jan", MAC, "/Users/mika/Library/Application Support/Jan/data/mcp_config.json"),
        ("jan", WINDOWS, rf"{ROAMING}\Jan\data\mcp_config.json"),
        ("jan", linux(JAN_DATA_FOLDER="/j"), "/j/mcp_config.json"),
    ],
)
def test_every_platform_has_its_own_place(client: str, machine: MachineInfo, expected: str) -> None:
    """A file in the wrong place is silently ignored by the client, so each path is pinned."""
    found = CLIENTS[client].places(machine)[0]

    assert str(found) == expected


@pytest.mark.parametrize(
    ("client", "there", "content", "expected"),
    [
        ("opencode", ".config/opencode/opencode.jsonc", "{}", ".config/opencode/opencode.jsonc"),
        (
            "cline",
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            "{}",
            ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ),
        ("lm-studio", ".lmstudio-home-pointer", "{home}/.cache/lm-studio\n", ".cache/lm-studio/mcp.json"),
        ("jan", ".local/share/Jan/settings.json", '{"data_folder": "{home}/moved"}', "moved/mcp_config.json"),
        ("jan", ".local/share/Jan/settings.json", "{", ".local/share/Jan/data/mcp_config.json"),
    ],
    ids=["jsonc", "cline before 4", "lm studio moved", "jan moved", "jan broken"],
)
def test_a_file_that_is_elsewhere_is_found(
    tmp_path: Path, client: str, there: str, content: str, expected: str
) -> None:
    """Older versions and moved folders: the client says where it keeps them."""
    (tmp_path / there).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / there).write_text(content.replace("{home}", str(tmp_path)))

    found = CLIENTS[client].file(MachineInfo("linux", str(tmp_path), {}))

    assert found == tmp_path / expected


LAUNCH = Launch("/opt/lyra", ("serve",), {"LYRA_DATA_DIR": "/data"})
ENV = {"LYRA_DATA_DIR": "/data"}
STANDARD = {"command": "/opt/lyra", "args": ["serve"], "env": ENV}


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("claude-code", {"type": "stdio", **STANDARD}),
        ("claude-desktop", STANDARD),
        ("cursor", {"type": "stdio", **STANDARD}),
        ("vscode", {"type": "stdio", **STANDARD}),
        ("codex", STANDARD),
        ("gemini-cli", STANDARD),
        ("windsurf", STANDARD),
        ("zed", STANDARD),
        ("cline", STANDARD),
        ("continue", {"name": "lyra", **STANDARD}),
        (
            "goose",
            {"name": "lyra", "type": "stdio", "cmd": "/opt/lyra", "args": ["serve"], "enabled": True, "envs": ENV},
        ),
        ("lm-studio", STANDARD),
        ("opencode", {"type": "local", "command": ["/opt/lyra", "serve"], "enabled": True, "environment": ENV}),
        ("jan", {**STANDARD, "active": True}),
    ],
)
def test_entries_are_written_as_each_client_reads_them(client: str, expected: dict[str, object]) -> None:
    """Some clients want the transport named, others refuse fields they do not know."""
    assert CLIENTS[client].entry(LAUNCH) == expected


def test_an_entry_without_variables_has_no_environment() -> None:
    """Nothing is written that says nothing."""
    assert CLIENTS["zed"].entry(Launch("/opt/lyra", ("serve",))) == {"command": "/opt/lyra", "args": ["serve"]}


def test_an_unknown_client_is_answered_with_those_there_are() -> None:
    """The remedy is the list."""
    with pytest.raises(InvalidParams, match="There is no client 'emacs'") as refused:
        client_named("emacs")

    assert refused.value.remedy == (
        "Use one of: claude-code, claude-desktop, cursor, vscode, codex, gemini-cli, windsurf, zed, cline, continue, "
        "goose, lm-studio, opencode, jan."
    )


def test_the_script_beside_python_is_named_in_full(tmp_path: Path) -> None:
    """Clients do not have the user's PATH: only an absolute command starts."""
    (tmp_path / "lyra").touch()

    found = launcher(("--config", "/c"), ENV, executable=str(tmp_path / "python"), prefix="/opt/venv", suffix="")

    assert found == Launch(str(tmp_path / "lyra"), ("--config", "/c", "serve"), ENV)


def test_without_a_script_python_runs_the_package(tmp_path: Path) -> None:
    """A source checkout without installed scripts works as well."""
    found = launcher(executable=str(tmp_path / "python"), prefix="/opt/venv", suffix="")

    assert found == Launch(str(tmp_path / "python"), ("-m", "lyra", "serve"))


def test_a_cached_environment_is_not_pointed_at(tmp_path: Path) -> None:
    """What `uvx` unpacked into its cache may be gone tomorrow, so the client is told to ask `uvx` again."""
    (tmp_path / "lyra").touch()
    cached = "/home/mika/.cache/uv/archive-v0/Xy12"

    found = launcher(executable=str(tmp_path / "python"), prefix=cached, suffix="")

    assert found == Launch("uvx", ("lyra-mcp", "serve"))


@pytest.mark.parametrize(
    ("environ", "data_dir", "expected"),
    [
        ({}, None, {}),
        ({"LYRA_DATA_DIR": "/a", "LYRA_LOG__LEVEL": "debug"}, None, {"LYRA_DATA_DIR": "/a"}),
        ({"LYRA_DATA_DIR": "/a"}, Path("/b"), {"LYRA_DATA_DIR": "/b"}),
        ({"LYRA_CONFIG": "/c.toml"}, Path("/b"), {"LYRA_CONFIG": "/c.toml", "LYRA_DATA_DIR": "/b"}),
        ({"LYRA_DATA_DIR": ""}, None, {}),
    ],
    ids=["none", "variable", "flag wins", "settings file", "empty"],
)
def test_where_data_lies_is_kept(environ: dict[str, str], data_dir: Path | None, expected: dict[str, str]) -> None:
    """The client starts Lyra without the user's shell, and without this it would start with an empty database."""
    assert kept_environment(environ, data_dir) == expected
