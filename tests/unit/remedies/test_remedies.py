"""What to do next, for a terminal and for an AI client."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import lyra
from lyra.cli.commands import COMMANDS
from lyra.errors import TaskNotFound
from lyra.mcp.server import TOOLS
from lyra.remedies import fields_for_client, fields_for_terminal, for_client, for_terminal
from lyra.research.reviewing import _HOW_TO_FIND
from lyra.translate import in_language, translate

_SOURCE = Path(lyra.__file__).parent
_TOOL_WORDS = re.compile(
    rf"(?<![\w`-])(?:{'|'.join(tool.name for tool in TOOLS if '_' in tool.name)}|calibrate \w+_\w+|options\.\w+"
    r"|retry_after_s)\b"
)
_COMMAND = re.compile(r"`lyra ([a-z-]+)")
with in_language("ja"):
    _HOW_TO_FIND_JA = translate(_HOW_TO_FIND)


def remedies() -> Iterator[str]:
    """Every text in the code that is given as a remedy or named as one, but for those of MCP's own calls."""
    for path in sorted(_SOURCE.rglob("*.py")):
        if "mcp" in path.relative_to(_SOURCE).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "remedy":
                yield from texts(node.value)
            if isinstance(node, ast.Assign) and re.search(r"REMED|_WAIT$|_PERSON", ast.unparse(node.targets[0])):
                yield from texts(node.value)
            if isinstance(node, ast.AnnAssign) and node.value and "REMED" in ast.unparse(node.target):
                yield from texts(node.value)


def texts(node: ast.AST) -> list[str]:
    return [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]


@pytest.mark.parametrize(
    ("remedy", "terminal", "client"),
    [
        (
            TaskNotFound("x").remedy,
            "Make one with `lyra task new`; `lyra task list` lists those there are.",
            'Make one with create_task; query_graph "SELECT id, query FROM tasks" lists those there are.',
        ),
        (
            "Pass options.extend_budget, or end with stop_task.",
            "Pass --extend-pages or --extend-seconds, or end with `lyra task stop`.",
            "Pass options.extend_budget, or end with stop_task.",
        ),
        (
            "Search again after retry_after_s, or name other engines in options.engines; `lyra engines` shows each.",
            "Search again after 1800 s, or name other engines in --engine; `lyra engines` shows each.",
            "Search again after retry_after_s, or name other engines in options.engines; `lyra engines` in a terminal "
            "shows each.",
        ),
        (
            "List its claims: query_graph \"SELECT id FROM claims WHERE task_id = '…'\".",
            "List its claims: `lyra query \"SELECT id FROM claims WHERE task_id = '…'\"`.",
            "List its claims: query_graph \"SELECT id FROM claims WHERE task_id = '…'\".",
        ),
        (
            "`lyra doctor` を実行するか、get_status で確認してください。",
            "`lyra doctor` を実行するか、`lyra task show` で確認してください。",
            "`lyra doctor` in a terminal を実行するか、get_status で確認してください。",
        ),
        ("Run `lyra auth` in a desktop session.",) * 3,
        (_HOW_TO_FIND, "`lyra review TASK --list` lists the edges.", _HOW_TO_FIND),
        (
            _HOW_TO_FIND_JA,
            "エッジの ID は `lyra review TASK --list` で分かります。",
            _HOW_TO_FIND_JA,
        ),
    ],
    ids=["task", "budget", "engines", "sql", "japanese", "place", "edges", "edges in japanese"],
)
def test_each_face_names_its_own(remedy: str, terminal: str, client: str) -> None:
    """A person has commands and flags, an AI client has tools and their parameters."""
    assert (for_terminal(remedy, 1800.0), for_client(remedy)) == (terminal, client)


def test_without_a_known_time_one_waits_a_while() -> None:
    """No number is made up."""
    assert for_terminal("Search again after retry_after_s.") == "Search again after a while."


def test_remedies_are_found_at_any_depth() -> None:
    """A task's status has one for every search that failed."""
    fields = {"searches": [{"remedy": "See get_status.", "retry_after_s": 3}, {"id": "s"}], "remedy": "`lyra doctor`"}

    assert fields_for_terminal(fields) == {
        "searches": [{"remedy": "See `lyra task show`.", "retry_after_s": 3}, {"id": "s"}],
        "remedy": "`lyra doctor`",
    }
    assert fields_for_client(fields) == {
        "searches": [{"remedy": "See get_status.", "retry_after_s": 3}, {"id": "s"}],
        "remedy": "`lyra doctor` in a terminal",
    }


def test_no_remedy_of_the_code_names_a_tool_in_a_terminal() -> None:
    """A tool that is missing in the table would reach a person who has none."""
    found = list(remedies())

    assert len(found) > 150
    assert [one for one in found if _TOOL_WORDS.search(for_terminal(one))] == []


def test_every_command_that_a_remedy_names_is_there() -> None:
    """A remedy that cannot be run is none."""
    named = {name for one in remedies() for name in _COMMAND.findall(for_terminal(one))}

    assert named - {one.name for one in COMMANDS} == set()
