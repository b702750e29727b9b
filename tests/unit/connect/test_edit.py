"""Editing configuration texts: one entry is put in, everything else keeps its value."""

import json
import tomllib

import pytest

from lyra.connect.clients import Form
from lyra.connect.edit import Unfit, put, snippet

ENTRY = {"command": "/opt/lyra", "args": ["--data-dir", "/データ", "serve"]}


def test_other_servers_and_settings_stay() -> None:
    """The user's own configuration is not ours to change; Japanese stays readable."""
    before = json.dumps({"theme": "暗い", "mcpServers": {"weather": {"command": "w"}}, "n": 1.5}, ensure_ascii=False)

    after = put(before, Form.JSON, "mcpServers", "lyra", ENTRY)

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

    after = put(before, Form.JSON, "mcpServers", "lyra", {"command": "/opt/lyra", "args": ["serve"]})

    assert after == before


def test_what_the_user_added_to_the_entry_stays() -> None:
    """A moved installation gets the new command and keeps the user's environment."""
    before = '{"mcpServers": {"lyra": {"command": "/old", "args": [], "env": {"LYRA_LOG__LEVEL": "info"}}}}'

    after = put(before, Form.JSON, "mcpServers", "lyra", ENTRY)

    assert json.loads(after)["mcpServers"]["lyra"] == {**ENTRY, "env": {"LYRA_LOG__LEVEL": "info"}}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"mcpServers": {', "not valid JSON"),
        ('{"a": 1, // comment\n "b": 2}', "not valid JSON"),
        ("[1, 2]", "does not hold an object"),
        ('{"mcpServers": []}', "not a group of servers"),
        ('{"mcpServers": {"lyra": "yes"}}', "not a group of servers"),
        ('{"a": 1, "a": 2}', "a key stands twice"),
        ("[" * 200_000, "not valid JSON"),
        ("\x00\x01\x02", "not valid JSON"),
    ],
    ids=["half", "comment", "list", "section", "entry", "doubled", "deep", "binary"],
)
def test_json_that_cannot_be_edited_safely_is_refused(text: str, why: str) -> None:
    """Writing such a file again would lose something of it."""
    with pytest.raises(Unfit, match=why):
        put(text, Form.JSON, "mcpServers", "lyra", ENTRY)


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

    after = put(before, Form.TOML, "mcp_servers", "lyra", ENTRY)

    assert after == (
        before + '\n[mcp_servers.lyra]\ncommand = "/opt/lyra"\nargs = ["--data-dir", "/データ", "serve"]\n'
    )


def test_a_toml_table_is_replaced_where_it_stands() -> None:
    """With its sub-tables, and with nothing else changed, comments included."""
    after = put(TOML, Form.TOML, "mcp_servers", "lyra", ENTRY)

    assert tomllib.loads(after) == {
        "model": "gpt-5",
        "mcp_servers": {"weather": {"command": "w"}, "lyra": {**ENTRY, "env": {"LYRA_LOG__LEVEL": "info"}}},
        "profiles": {"fast": {"x": 1}},
    }
    assert after.startswith('# my settings\nmodel = "gpt-5"  # keep\n')
    assert "[profiles.fast]  # also keep\nx = 1\n" in after
    assert put(after, Form.TOML, "mcp_servers", "lyra", ENTRY) == after


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
    with pytest.raises(Unfit, match=why):
        put(text, Form.TOML, "mcp_servers", "lyra", ENTRY)


def test_snippets_are_whole_files() -> None:
    """What `--print` shows can be saved as it is."""
    shown = (snippet(Form.JSON, "servers", "lyra", ENTRY), snippet(Form.TOML, "mcp_servers", "lyra", ENTRY))

    assert json.loads(shown[0]) == {"servers": {"lyra": ENTRY}}
    assert tomllib.loads(shown[1]) == {"mcp_servers": {"lyra": ENTRY}}
