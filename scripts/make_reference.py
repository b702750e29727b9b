"""Writes docs/reference/ and the schema of exports from the code; a test fails while they are out of date."""

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel
from typer.core import TyperArgument, TyperGroup, TyperOption

from lyra.answers.meaning import ADOPTIONS, VERDICTS, VERIFICATIONS
from lyra.cli.commands import COMMANDS, load
from lyra.errors import LyraError
from lyra.mcp.server import TOOLS
from lyra.report.export.evidence import schema
from lyra.report.export.names import SCHEMA_NAME
from lyra.settings import Settings
from lyra.storage import graph_views
from lyra.storage.connection import connect, create_file
from lyra.storage.migrate import migrate

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "docs" / "reference"
_HEAD_OF_SCHEMA = """\
-- The schema of a new database, as the migrations make it (src/lyra/storage/migrations).
-- Made by scripts/make_reference.py; edit the code, not this file. Views are written in src/lyra/storage/views.
"""
_MADE = "<!-- Made by scripts/make_reference.py; edit the code, not this file. -->\n\n"


class _Statement(NamedTuple):
    kind: str
    name: str
    table: str
    sql: str


def settings_page() -> str:
    """Every setting with its default and meaning."""
    lines = [
        "# Settings\n",
        "Settings are read once, each source over the one before: the file `settings.toml` in the platform's",
        "configuration directory (or the one named by `LYRA_CONFIG` or `--config`), then environment variables, then",
        "flags. `lyra settings` shows the values in force.\n",
        "A setting `section.name` is `name` under `[section]` in the file and `LYRA_SECTION__NAME` in the environment",
        "(JSON where it is not plain text: `LYRA_ENGINES__ENABLED='[\"mojeek\"]'`).\n",
        "| setting | default | meaning |",
        "|---|---|---|",
        *_setting_rows(Settings, ""),
    ]
    return "# Settings\n\n" + _MADE + "\n".join(lines[1:]) + "\n"


def _setting_rows(section: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in section.model_fields.items():
        default = field.get_default()
        if isinstance(default, BaseModel):
            yield from _setting_rows(type(default), f"{prefix}{name}.")
        else:
            shown = "by platform" if field.default_factory else _plain(default)
            yield f"| `{prefix}{name}` | {shown} | {field.description} |"


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    return f"`{json.dumps(list(value) if isinstance(value, tuple) else value)}`"


def tools_page() -> str:
    """Every MCP tool with its hints and schemas."""
    parts = [
        "# MCP tools\n\n",
        _MADE,
        "Every answer has `ok` and `_lyra_meta`. A failed one has `error_code`, `error`, `retryable`, and where they "
        "help `retry_after_s`, `remedy`, `details`, `error_id`; it is marked as an error for the protocol too. No "
        "answer is larger than 24 KB, none of `search` than 6 KB: one that was cut says `truncated` and how to get the "
        "rest in `more`. An object or a list may also be given as its JSON text.\n\n"
        "| word | meaning |\n|---|---|\n",
        *(f"| `verdict` {word} | {text} |\n" for word, text in VERDICTS.items()),
        *(f"| `verification_status` {word} | {text} |\n" for word, text in VERIFICATIONS.items()),
        *(f"| `adoption_status` {word} | {text} |\n" for word, text in ADOPTIONS.items()),
    ]
    for tool in TOOLS:
        described = tool.describe()
        hints = described.annotations
        assert hints is not None
        parts.append(f"\n## {tool.name}\n\n{tool.description}\n\n")
        parts.append(
            f"Read-only: {hints.read_only_hint}. Destructive: {hints.destructive_hint}. "
            f"Idempotent: {hints.idempotent_hint}. Open world: {hints.open_world_hint}.\n\n"
        )
        parts.append(f"Takes:\n\n```json\n{json.dumps(described.input_schema, indent=2)}\n```\n\n")
        given = described.output_schema["properties"]  # type: ignore[index]
        parts.append(f"Gives: {', '.join(f'`{name}`' for name in given)}.\n")
        parts += [f"\n- `{name}`: {field['description']}" for name, field in given.items() if "description" in field]
        parts.append("\n" if any("description" in field for field in given.values()) else "")
    return "".join(parts)


_EXIT_CODES = {
    0: "done, or whoever read the output, such as `head`, had enough",
    1: "something failed, or `doctor` found something to mend",
    2: "wrong arguments, settings or files",
    3: "no such task",
    4: "cannot go on now: budget, engines, a person, a time limit",
    5: "the data directory cannot be used, or a disk is full",
    130: "interrupted with Ctrl-C; nothing is lost",
}


def _error_codes(exit_code: int) -> str:
    """The codes of the errors that end a command with this exit code."""
    kinds = [LyraError]
    for kind in kinds:  # the list grows by what it finds
        kinds += kind.__subclasses__()
    return ", ".join(sorted({f"`{kind.code}`" for kind in kinds if kind.exit_code == exit_code}))


def cli_page() -> str:
    """Every command with its help, and the exit codes."""
    parts = [
        "# Command line\n\n",
        _MADE,
        "Tables and colours are for terminals (a narrow one shows each row as a paragraph); piped, a row is one line "
        "with tabs. `--json` prints JSON on stdout and nothing else, errors included (`ok: false`). Logs and progress "
        "go to stderr.\n\n",
        "`lyra --install-completion` teaches your shell the commands and options.\n\n",
        "`lyra --lang ja …`, `LYRA_LANG=ja` or a Japanese locale show help, messages, errors and remedies in Japanese, "
        "`--lang en` in English; JSON, logs and MCP answers are English always.\n\n",
        f"{_packaged()}\n\n",
        "| exit code | meaning | `error_code` |\n|---|---|---|\n",
        *(f"| {code} | {meaning} | {_error_codes(code)} |\n" for code, meaning in _EXIT_CODES.items()),
    ]
    for path, command in _commands({one.name: load(one) for one in COMMANDS}, "lyra"):
        parts.append(f"\n## {path}\n\n{_help(command)}\n")
    return "".join(parts)


def _packaged() -> str:
    """Which commands need another package."""
    names = [f"`lyra {one.name}`" for one in COMMANDS if one.package]
    (package,) = {one.package for one in COMMANDS if one.package}
    return f"{', '.join(names[:-1])} and {names[-1]} come with a package of their own: `pip install {package}`."


def _commands(commands: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, command in commands.items():
        if isinstance(command, TyperGroup):
            yield from _commands(command.commands, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _help(command: Any) -> str:
    lines = [(command.help or "").strip(), ""]
    for parameter in command.params:
        if isinstance(parameter, TyperArgument):
            lines.append(f"- `{parameter.name}`: {getattr(parameter, 'help', '') or ''}")
        elif isinstance(parameter, TyperOption) and not parameter.hidden and parameter.name != "help":
            lines.append(f"- `{' / '.join(parameter.opts)}`: {parameter.help or ''}")
    return "\n".join(line.rstrip() for line in lines).strip()


def schema_file() -> str:
    """The JSON Schema of `lyra export --format json`."""
    return json.dumps(schema(), indent=2) + "\n"


def database_page() -> str:
    """The schema of a new database: each table with its indexes and triggers, then the names of the views."""
    purposes, comments = graph_views.purposes(), _comments_of_tables()
    statements = _new_schema()
    parts = [_HEAD_OF_SCHEMA]
    for table in (one for one in statements if one.kind == "table"):
        belonging = [one.sql for one in statements if one.table == table.name and one.kind in ("index", "trigger")]
        comment = comments.get(table.name, "")
        parts.append(comment + ";\n".join([table.sql, *belonging]) + ";\n")
    views = sorted(one for one in statements if one.kind == "view")
    parts += [f"{comments.get(one.name, '')}{one.sql};\n" for one in views if one.name not in purposes]
    parts.append("".join(f"-- {one.name}: {purposes[one.name]}\n" for one in views if one.name in purposes))
    return "\n".join(parts)


def _new_schema() -> list[_Statement]:
    """What SQLite holds of a new database, but the tables that full text keeps for itself."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.db"
        create_file(path)
        connection = connect(path)
        try:
            migrate(connection, path)
            graph_views.install(connection)
            rows = connection.execute("select type, name, tbl_name, sql from sqlite_master where sql is not null")
            found = [_Statement(*map(str, row)) for row in rows]
        finally:
            connection.close()
    return [one for one in found if not re.search(r"^sqlite_|_fts_(data|idx|docsize|config)$", one.table)]


def _comments_of_tables() -> dict[str, str]:
    """What the migrations say above each table or view."""
    texts = [path.read_text("utf-8") for path in sorted((files("lyra.storage") / "migrations").iterdir(), key=str)]
    found = re.findall(r"((?:^-- .*\n)+)create (?:virtual table|table|view) (\w+)", "".join(texts), re.MULTILINE)
    return {name: comment for comment, name in found}


PAGES = {
    "settings.md": settings_page,
    "tools.md": tools_page,
    "cli.md": cli_page,
    "schema.sql": database_page,
    SCHEMA_NAME: schema_file,
}
# The wheel carries the schema too.
FILES = {
    **{REFERENCE / name: page for name, page in PAGES.items()},
    ROOT / "src" / "lyra" / "report" / "export" / SCHEMA_NAME: schema_file,
}


def main() -> int:
    """Write the pages; with --check only say which differ."""
    stale = [str(path.relative_to(ROOT)) for path, page in FILES.items() if _differs(path, page())]
    if "--check" in sys.argv:
        print("out of date: " + ", ".join(stale) if stale else "up to date")
        return 1 if stale else 0
    for path, page in FILES.items():
        path.write_text(page(), encoding="utf-8")
    return 0


def _differs(path: Path, text: str) -> bool:
    return not path.exists() or path.read_text(encoding="utf-8") != text


if __name__ == "__main__":
    sys.exit(main())
