"""The list of commands: what it says of a command is what the command says of itself."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer

from lyra import __version__
from lyra.cli import commands
from lyra.cli.commands import COMMANDS, Command, load
from lyra.cli.main import app
from lyra.errors import InvalidParams

BENCH = tomllib.loads((Path(__file__).parents[3] / "packages" / "bench" / "pyproject.toml").read_text("utf-8"))
HEAVY = ("lxml", "lyra.app", "mcp", "numpy", "onnxruntime", "pydantic", "yaml")
# Typer itself imports pydantic where a command has options.
HEAVY_FOR_HELP = (
    *("lxml", "lyra.answers.answer", "lyra.app", "lyra.mcp", "lyra.observe.log", "lyra.research", "lyra.settings"),
    *("lyra.storage.database", "apsw", "mcp", "numpy", "onnxruntime", "structlog", "yaml"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.name)
def test_the_list_has_the_commands_own_help(command: Command) -> None:
    """The first paragraph of its docstring, in one line."""
    first, *_ = load(command).help.split("\n\n")

    assert command.help == " ".join(first.split())


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_general_options_import_nothing_heavy(option: str) -> None:
    """Whoever asks for help or the version waits for no model, server or number crunching."""
    asked = f"import sys; sys.argv = ['lyra', {option!r}]; from lyra.cli.main import main\n"
    counted = f"try: main()\nfinally: print([one for one in {HEAVY} if one in sys.modules], file=sys.stderr)"

    done = subprocess.run([sys.executable, "-c", asked + counted], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "[]\n")


@pytest.mark.parametrize("command", [one for one in COMMANDS if not one.package], ids=lambda one: one.name)
def test_a_commands_help_imports_nothing_heavy(command: Command) -> None:
    """Its module and those below it import Lyra, its settings and its answers only when it runs."""
    asked = f"import sys; sys.argv = ['lyra', {command.name!r}, '--help']; from lyra.cli.main import main\n"
    counted = f"try: main()\nfinally: print([one for one in {HEAVY_FOR_HELP} if one in sys.modules], file=sys.stderr)"

    done = subprocess.run([sys.executable, "-c", asked + counted], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "[]\n")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is known without it, and says in one sentence what to install."""
    monkeypatch.setattr(commands, "entry_points", lambda **_: ())
    (demo,) = [one for one in COMMANDS if one.name == "demo"]

    with pytest.raises(InvalidParams) as caught:
        load(demo)

    assert caught.value.fields() == {
        "ok": False,
        "error_code": "INVALID_PARAMS",
        "error": "`lyra demo` is part of a package that is not installed: pip install lyra-bench",
        "retryable": False,
        "details": {"package": "lyra-bench"},
    }


def test_a_shell_that_completes_a_line_is_told_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the package is missing, there is nothing to offer after its command."""
    monkeypatch.setattr(commands, "entry_points", lambda **_: ())
    group: Any = typer.main.get_command(app)

    name, command, rest = group.resolve_command(typer.Context(group, resilient_parsing=True), ["demo", "--a"])

    assert (name, command.params, rest) == ("demo", [], ["--a"])


def test_the_second_package_registers_what_the_list_expects() -> None:
    """Its entry points are the commands that the list leaves to it, and it fits this version."""
    project = BENCH["project"]

    assert sorted(project["entry-points"]["lyra.commands"]) == sorted(one.name for one in COMMANDS if one.package)
    assert {one.package for one in COMMANDS if one.package} == {project["name"]}
    assert (project["version"], f"lyra-mcp=={__version__}" in project["dependencies"]) == (__version__, True)
