"""Editing clients' configurations in place: what is not ours stays, byte for byte."""

import json
import tomllib

import pytest
import yaml

from lyra.connect.clients import CLIENTS, ClientConfig
from lyra.connect.edit import ConfigNotEditable, set_server_entry, snippet
from lyra.connect.launch import Launch

ENTRY = {"command": "/opt/lyra", "args": ["serve"], "env": {"LYRA_DATA_DIR": "/データ"}}
JSON = CLIENTS["claude-desktop"]
TOML = CLIENTS["codex"]
GOOSE = CLIENTS["goose"]
CONTINUE = CLIENTS["continue"]
LAUNCH = Launch("/opt/lyra", ("serve",), {"LYRA_DATA_DIR": "/データ"})


def put(text: str, kind: ClientConfig, entry: dict[str, object] | None = None) -> str:
    return set_server_entry(text, kind, "lyra", kind.entry(LAUNCH) if entry is None else entry)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_snippet_is_a_whole_file_and_stays_as_it_is(name: str) -> None:
    """What `--print` shows can be saved as it is, and connecting then finds nothing to change."""
    kind = CLIENTS[name]

    shown = snippet(kind, "lyra", kind.entry(LAUNCH))

    assert put(shown, kind) == shown


def test_other_servers_and_settings_stay() -> None:
    """The user's own configuration is not ours to change; Japanese stays readable."""
    before = json.dumps({"theme": "暗い", "mcpServers": {"weather": {"command": "w"}}, "n": 1.5}, ensure_ascii=False)

    after = put(before, JSON)

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

    after = put(before, JSON, {"command": "/opt/lyra", "args": ["serve"]})

    assert after == before


def test_what_the_user_added_to_the_entry_stays() -> None:
    """A moved installation gets the new command and keeps the user's variables beside its own."""
    before = '{"mcpServers": {"lyra": {"command": "/old", "args": [], "env": {"LYRA_LOG__LEVEL": "info"}}}}'

    after = put(before, JSON)

    assert json.loads(after)["mcpServers"]["lyra"] == {
        **ENTRY,
        "env": {"LYRA_LOG__LEVEL": "info", "LYRA_DATA_DIR": "/データ"},
    }


JSONC = """\
// my settings
{
\t"theme": "暗い", // keep
\t/* servers */
\t"mcpServers": {
\t\t"w": {"command": "w"}, // the weather, "quoted"
\t},
}
"""


def test_comments_and_trailing_commas_stay() -> None:
    """The new entry goes behind the last one, in the file's own indentation; every other line is the same."""
    after = put(JSONC, JSON)

    added = (
        '\t\t"lyra": {\n\t\t\t"command": "/opt/lyra",\n\t\t\t"args": ["serve"],\n'
        '\t\t\t"env": {\n\t\t\t\t"LYRA_DATA_DIR": "/データ"\n\t\t\t}\n\t\t},\n'
    )
    assert after == JSONC.replace("\t},\n}", added + "\t},\n}")


def test_a_comment_behind_the_last_member_stays_behind_it() -> None:
    """The comma goes before the comment, the new member on the next line."""
    after = put('{\n  "a": 1 // one\n}\n', JSON, {"command": "x"})

    assert after == '{\n  "a": 1, // one\n  "mcpServers": {\n    "lyra": {\n      "command": "x"\n    }\n  }\n}\n'


def test_only_fields_that_differ_are_written_anew() -> None:
    """Comments inside the entry stay."""
    before = (
        '{\n  "mcpServers": {\n    "lyra": {\n      // mine\n'
        '      "command": "/old", // here\n      "args": []\n    }\n  }\n}'
    )

    after = put(before, JSON, {"command": "/opt/lyra", "args": ["serve"]})

    assert after == before.replace("/old", "/opt/lyra").replace("[]", '["serve"]')


def test_json_null_is_a_group_without_servers() -> None:
    """As it is in YAML."""
    after = put('{\n  "mcpServers": null,\n  "a": 1\n}\n', JSON)

    assert after == put('{\n  "mcpServers": {},\n  "a": 1\n}\n', JSON)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"mcpServers": {', "not valid JSON"),
        ('{"a": 1 "b": 2}', "not valid JSON .line 1: a comma or"),
        ('{"a": 1} /* open', "not valid JSON .line 1: something follows"),
        ('{"a": NaN}', "not valid JSON"),
        ("{'a': 1}", "not valid JSON"),
        ("[1, 2]", "does not hold an object"),
        ('{"mcpServers": []}', "not a group of servers"),
        ('{"mcpServers": {"lyra": "yes"}}', "not a group of servers"),
        ('{"a": 1, "a": 2}', "occurs twice"),
        ("[" * 200_000, "not valid JSON"),
        ("\x00\x01\x02", "not valid JSON"),
    ],
    ids=["half", "comma", "comment", "nan", "quotes", "list", "section", "entry", "doubled", "deep", "binary"],
)
def test_json_that_cannot_be_edited_safely_is_refused(text: str, why: str) -> None:
    """Writing such a file again would lose something of it."""
    with pytest.raises(ConfigNotEditable, match=why):
        put(text, JSON)


def test_a_new_toml_table_goes_to_the_end() -> None:
    """The text before it is not touched; Codex gets time to start a server that must be fetched first."""
    before = '# my settings\nmodel = "gpt-5"  # keep\n'

    after = put(before, TOML)

    assert after == (
        before + '\n[mcp_servers.lyra]\ncommand = "/opt/lyra"\nargs = ["serve"]\n'
        'env = {LYRA_DATA_DIR = "/データ"}\nstartup_timeout_sec = 60\n'
    )


def test_a_toml_table_is_changed_where_it_stands() -> None:
    """With its sub-table, and with nothing else changed, comments and the user's own limit included."""
    before = (
        "# c\n[mcp_servers.lyra]\n# why\ncommand = '/old' # d\nargs = [\n  \"serve\", # s\n]\nstartup_timeout_sec = 5\n"
        '\n[mcp_servers.lyra.env]\nA = "1" # a\n\n[profiles.fast]  # keep\nx = 1\n'
    )

    after = put(before, TOML)

    assert after == before.replace("'/old'", '"/opt/lyra"').replace(
        'A = "1" # a\n', 'A = "1" # a\nLYRA_DATA_DIR = "/データ"\n'
    )
    assert put(after, TOML) == after


@pytest.mark.parametrize(
    "before",
    [
        'mcp_servers = { lyra = { command = "/old" } } # c\nx = 1\n',
        'mcp_servers.lyra.command = "/old" # c\nx = 1\n',
        'mcp_servers = { other = { command = "/old" } } # c\nx = 1\n',
        'x = 1\n[mcp_servers]\nlyra = {command = "/old"} # c\n',
    ],
    ids=["inline", "dotted", "other", "half inline"],
)
def test_inline_tables_and_dotted_keys_are_edited_as_they_are_written(before: str) -> None:
    """The comment stays, and so does everything else."""
    after = put(before, TOML)

    found = tomllib.loads(after)
    assert found["mcp_servers"]["lyra"] == {**ENTRY, "startup_timeout_sec": 60}
    assert found["x"] == 1
    assert "# c\n" in after


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("model = ", "not valid TOML"),
        ('[[mcp_servers]]\ncommand = "x"', "not a group of servers"),
    ],
    ids=["half", "array"],
)
def test_toml_that_cannot_be_edited_safely_is_refused(text: str, why: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(ConfigNotEditable, match=why):
        put(text, TOML)


GOOSE_TEXT = """\
# goose
extensions:
  developer: # built in
    enabled: true
# tail
GOOSE_MODEL: "x" # m
"""
GOOSE_ENTRY = """\
  lyra:
    name: lyra
    type: stdio
    cmd: /opt/lyra
    args:
    - serve
    enabled: true
    envs:
      LYRA_DATA_DIR: /データ
    description: Research with provable evidence
    timeout: 300
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (GOOSE_TEXT, GOOSE_TEXT.replace("# tail", GOOSE_ENTRY + "# tail")),
        ("extensions: {} # none\nA: 1\n", f"extensions: # none\n{GOOSE_ENTRY}A: 1\n"),
        ("extensions:\nA: 1\n", f"extensions:\n{GOOSE_ENTRY}A: 1\n"),
        ("A: 1", f"A: 1\nextensions:\n{GOOSE_ENTRY}"),
        ("# only a comment\n", f"# only a comment\nextensions:\n{GOOSE_ENTRY}"),
    ],
    ids=["others", "empty", "null", "missing", "comment"],
)
def test_an_entry_in_yaml_is_put_in_line_by_line(before: str, after: str) -> None:
    """Every line that was there is there again, comments and quotes included."""
    assert put(before, GOOSE) == after


def test_an_entry_in_yaml_is_changed_where_it_stands() -> None:
    """Comments behind the values stay, and so does the user's own limit."""
    before = (
        "extensions:\n  lyra:\n    # mine\n    name: lyra\n    type: stdio\n    description: d\n    cmd: /old # o\n"
        '    args: [a, b] # p\n    enabled: false\n    envs:\n      FOO: "1" # f\n    timeout: 20\n# end\n'
    )

    after = put(before, GOOSE)

    assert after == (
        "extensions:\n  lyra:\n    # mine\n    name: lyra\n    type: stdio\n    description: d\n    cmd: /opt/lyra "
        '# o\n    args: [serve] # p\n    enabled: true\n    envs:\n      FOO: "1" # f\n      LYRA_DATA_DIR: /データ\n'
        "    timeout: 20\n# end\n"
    )


def test_a_list_of_servers_gets_one_more() -> None:
    """Continue lists its servers with their names inside."""
    before = "name: x\nmcpServers:\n  - name: o # other\n    command: o\n  # after\nmodels: []\n"

    after = put(before, CONTINUE)

    assert yaml.safe_load(after)["mcpServers"] == [
        {"name": "o", "command": "o"},
        {"name": "lyra", **ENTRY, "connectionTimeout": 60_000},
    ]
    assert after.replace(after[after.index("  - name: lyra") : after.index("  # after")], "") == before


def test_a_server_in_a_list_is_found_by_its_name() -> None:
    """The old command goes, the list keeps its length."""
    before = "mcpServers:\n- name: lyra\n  command: /old\n  args:\n  - x\n  - y\n- name: z\n  command: z\n"

    after = put(before, CONTINUE)

    assert after == (
        "mcpServers:\n- name: lyra\n  command: /opt/lyra\n  args:\n  - serve\n  env:\n    LYRA_DATA_DIR: /データ\n"
        "  connectionTimeout: 60000\n- name: z\n  command: z\n"
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [", "not valid YAML"),
        ("a: 1\na: 2\n", "not valid YAML"),
        ("- 1\n", "does not hold an object"),
        ("extensions: [1]\n", "not a group of servers"),
        ("extensions: {a: {b: 1}}\n", "cannot be changed without harm"),
        ("a: 1\n---\nb: 2\n", "not valid YAML"),
    ],
    ids=["half", "doubled", "list", "section", "braces", "documents"],
)
def test_yaml_that_cannot_be_edited_safely_is_refused(text: str, why: str) -> None:
    """The edited text is read again and compared; what would differ elsewhere is not written."""
    with pytest.raises(ConfigNotEditable, match=why):
        put(text, GOOSE)
