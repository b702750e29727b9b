"""Terminals that are not UTF-8: no command ends in a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# One process for several commands, since each start takes a second.
_SCRIPT = """
import sys
import lyra.health
from lyra.cli.main import main

async def no_models(_):
    return []

lyra.health.check_models = no_models
for words in {commands}:
    sys.argv = ["lyra", *words]
    try:
        main()
    except SystemExit as ended:
        print("=", ended.code or 0, flush=True)
"""
_COMMANDS = [
    ["task", "new", "😀 給食費 é"],
    ["task", "list"],
    ["task", "list", "--json"],
    ["query", "select query from tasks"],
    ["settings"],
    ["task", "show", "給"],
    ["nonsense給"],
    ["doctor"],
]
_PLAIN = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize(
    "environ",
    [
        {"LANG": "C", "LC_ALL": "C"},
        {"LC_ALL": "POSIX", **_PLAIN},
        {"LC_ALL": "ja_JP.eucJP", "PYTHONIOENCODING": "euc_jp", **_PLAIN},
        {"PYTHONIOENCODING": "ascii:strict"},
    ],
    ids=["C", "POSIX", "eucJP", "ascii"],
)
def test_no_character_set_ends_in_a_traceback(tmp_path: Path, environ: dict[str, str]) -> None:
    """Every command ends with its own code; what cannot be shown is a question mark, in JSON an escape."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHONIO"))}
    env = {**kept, "LYRA_DATA_DIR": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), **environ}

    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT.format(commands=ascii(_COMMANDS))],
        env=env,
        capture_output=True,
        timeout=120,
    )

    codes = [int(line[2:]) for line in done.stdout.splitlines() if line.startswith(b"= ")]
    assert b"Traceback" not in done.stderr
    assert codes == [0, 0, 0, 0, 0, 3, 2, 0]
    listed = done.stdout.split(b"= 0\n")[2]
    assert [row["query"] for row in json.loads(listed)] == ["😀 給食費 é"]
