"""What to do next, said for each face: remedies name MCP tools, and the terminal names the commands that do the same.

Whoever raises an error knows no face. It writes a remedy with the names of tools and their parameters; where only a
command helps, it names that in backquotes (`lyra doctor`). `for_terminal` puts commands and flags in place of tools,
`for_client` says of commands that they are for a terminal. Both work on whole names only, in any language; where
a remedy tells of SQL alone, its whole sentence is in the table, in each language.
"""

import re
from collections.abc import Callable
from typing import Any

# Longer ones first, since they contain shorter ones.
_COMMANDS = (
    (r"wait_for_user without a wait_id asks again", "`lyra answer` shows what is asked"),
    (r'query_graph "SELECT id, query FROM tasks"', "`lyra task list`"),
    (
        r"Take edge_id from v_review_queue, or from edges WHERE task_id = '…'",
        "`lyra review TASK --list` lists the edges",
    ),
    (
        r"edge_id は v_review_queue か、edges WHERE task_id = '…' から選んでください",
        "エッジの ID は `lyra review TASK --list` で分かります",
    ),
    (r'query_graph "([^"]+)"', r'`lyra query "\1"`'),
    (r"query_graph with options\.include_schema", "`lyra query --schema`"),
    (r"query_graph", "`lyra query`"),
    (r"vector_search", "`lyra similar`"),
    (r"create_task", "`lyra task new`"),
    (r"get_status", "`lyra task show`"),
    (r"stop_task", "`lyra task stop`"),
    (r"get_auth_queue", "`lyra auth list`"),
    (r"resolve_auth", "`lyra auth`"),
    (r"wait_for_user", "`lyra answer`"),
    (r"calibrate_rollback", "`lyra calibrate rollback`"),
    (r"calibrate get_stats", "`lyra calibrate stats`"),
    (r"calibrate get_evaluations", "`lyra calibrate evaluations`"),
    (r"calibrate evaluate", "`lyra calibrate evaluate`"),
    (r"calibrate add_sample", "`lyra calibrate add`"),
    (r"options\.extend_budget", "--extend-pages or --extend-seconds"),
    (r"options\.engines", "--engine"),
    (r"timeout_ms", "--timeout-ms"),
    (r"max_vm_steps", "--max-vm-steps"),
)
_PATTERNS = tuple((re.compile(rf"(?<![\w`./-]){tool}(?![\w-])"), command) for tool, command in _COMMANDS)
_WAIT = re.compile(r"\bretry_after_s\b")
_COMMAND = re.compile(r"(`lyra [^`]+`)(?! in a )")


def for_terminal(remedy: str, retry_after_s: float | None = None) -> str:
    """A remedy for a person at a terminal, with commands, flags and the time to wait."""
    for pattern, command in _PATTERNS:
        remedy = pattern.sub(command, remedy)
    return _WAIT.sub("a while" if retry_after_s is None else f"{retry_after_s:.0f} s", remedy)


def for_client(remedy: str) -> str:
    """A remedy for an AI client, which has tools and may ask its user to run a command."""
    return _COMMAND.sub(r"\1 in a terminal", remedy)


def fields_for_terminal(fields: Any) -> Any:
    """The fields of an answer with every remedy in them, at any depth, for a terminal."""
    return _in_fields(fields, lambda holder: for_terminal(holder["remedy"], holder.get("retry_after_s")))


def fields_for_client(fields: Any) -> Any:
    """The fields of an answer with every remedy in them, at any depth, for an AI client."""
    return _in_fields(fields, lambda holder: for_client(holder["remedy"]))


def _in_fields(value: Any, say: Callable[[dict[str, Any]], str]) -> Any:
    if isinstance(value, list):
        return [_in_fields(item, say) for item in value]
    if not isinstance(value, dict):
        return value
    said = {key: _in_fields(item, say) for key, item in value.items()}
    return said | {"remedy": say(value)} if isinstance(value.get("remedy"), str) else said
