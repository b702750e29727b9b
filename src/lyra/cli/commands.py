"""The list of commands: each with its help and its module, so that only the one that is called is imported."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from lyra.cli.help import show_help, translate_help
from lyra.errors import InvalidParams

ENTRY_POINTS = "lyra.commands"  # the group under which another package registers its commands


@dataclass(frozen=True, slots=True)
class Command:
    """A command of `lyra`: a function or a `typer.Typer` at `target`, or in another package's entry points."""

    name: str
    help: str
    target: str = ""
    package: str = ""


COMMANDS = (
    Command(
        "serve",
        "Serve an MCP client over stdio until it hangs up, or many over HTTP: on this machine, or with TLS for a team.",
        "lyra.cli.serve:serve",
    ),
    Command("token", "Give people access to a shared server, and take it back.", "lyra.cli.token:app"),
    Command("ui", "Show tasks, hypotheses, claims and their evidence in a browser on this machine.", "lyra.cli.ui:ui"),
    Command("answer", "Answer a question that an AI client has asked you.", "lyra.cli.auth:answer"),
    Command(
        "metrics",
        "Show harvest, exposure, quality, the work of people and of the machine; what was not measured is unknown.",
        "lyra.cli.metrics:metrics",
    ),
    Command(
        "demo",
        "Run a whole research session offline: a real MCP client, a real server, a simulated web.",
        package="lyra-bench",
    ),
    Command(
        "doctor",
        "Check this installation: data, database, models, LLM, browser, Tor, OCR and network settings.",
        "lyra.cli.installation:doctor",
    ),
    Command(
        "connect",
        "Add Lyra to an AI client's configuration; a backup is kept, and doing it twice changes nothing.",
        "lyra.cli.installation:connect",
    ),
    Command(
        "ask",
        "Ask a question: search, read, judge, then show the verdict on each hypothesis with the words for and against.",
        "lyra.cli.ask:ask",
    ),
    Command("search", "Run a search and show what it found.", "lyra.cli.search:search"),
    Command(
        "watch",
        "Show a task's searches until none is running: a live view in a terminal, else one line for each change.",
        "lyra.cli.search:watch",
    ),
    Command("log", "Show a task's journal; with a claim, its causal chain from query to edge.", "lyra.cli.graph:log"),
    Command(
        "summaries",
        "Show what a language model said of a task's pages: summaries and names, with the quotes that prove them.",
        "lyra.cli.summaries:summaries",
    ),
    Command("query", "Ask the graph in read-only SQL.", "lyra.cli.graph:query"),
    Command("similar", "Find claims or fragments by meaning.", "lyra.cli.graph:similar"),
    Command(
        "what-if",
        "Show which verdicts would change if sources were withdrawn. Nothing is changed.",
        "lyra.cli.graph:what_if",
    ),
    Command(
        "timeline",
        "Show when evidence was published, updated, corrected or retracted, and when it was first seen.",
        "lyra.cli.graph:timeline",
    ),
    Command(
        "bulk",
        "Read a collection (folders, WARC files, object stores) on many processes or machines, and import it.",
        "lyra.cli.bulk:app",
    ),
    Command(
        "review",
        "Review what texts say of claims: first what would turn a verdict, least sure first.",
        "lyra.cli.review:review",
    ),
    Command(
        "domains",
        "Show how far domains are trusted and why, pauses between requests, first fetch methods, and what changed.",
        "lyra.cli.sources:domains",
    ),
    Command(
        "report",
        "Write the report: the verdicts on one page, a table of evidence, figures and details; the rest as appendix.",
        "lyra.cli.export:report",
    ),
    Command(
        "export",
        "Export a task for other programs: claims with their quotes, sources, the graph, or a folder with all of it.",
        "lyra.cli.export:export",
    ),
    Command(
        "check",
        "Check a text against what a task has read: every citation, quotation, figure and cited statement.",
        "lyra.cli.check:check",
    ),
    Command(
        "audit",
        "Audit somebody else's text: cited works that do not exist, are retracted, or do not say what is claimed.",
        "lyra.cli.audit:audit",
    ),
    Command(
        "pack",
        "Pack a task's evidence into one file that anybody can check: archived pages, quotes, verdicts, report.",
        "lyra.cli.pack:pack",
    ),
    Command(
        "verify",
        "Check an evidence pack without any data of Lyra: every byte, every hash, every quote.",
        "lyra.cli.verify:verify",
    ),
    Command(
        "replay",
        "Run a task again from its journal and the archive, without network, and compare the two graphs.",
        "lyra.cli.replay:replay",
    ),
    Command(
        "engines",
        "Show every engine's health, weight, quota and circuit breaker, and the sites with a search of their own.",
        "lyra.cli.sources:engines",
    ),
    Command(
        "registries",
        "Show every registry: what it knows, whether it can be asked, its key, and how its answers are known.",
        "lyra.cli.registries:registries",
    ),
    Command(
        "backup",
        "Back up the database, the archive and the reports as one file; servers and searches may go on.",
        "lyra.cli.installation:backup",
    ),
    Command(
        "restore",
        "Restore a backup into an empty directory; every byte is checked before anything is put in place.",
        "lyra.cli.installation:restore",
    ),
    Command(
        "settings",
        "Show every setting with its present value; set one by file, LYRA_SECTION__NAME or flag.",
        "lyra.cli.installation:settings",
    ),
    Command(
        "auth",
        "Go through the queue: each page is opened in the research browser and waits for your decision.",
        "lyra.cli.auth:app",
    ),
    Command("task", "Create, list, show, stop and delete research tasks.", "lyra.cli.task:app"),
    Command(
        "library",
        "Search in your own documents: folders, bibliographies, Zotero.",
        "lyra.cli.library:app",
    ),
    Command(
        "recheck", "Watch tasks: repeat their searches when due and show what has changed.", "lyra.cli.recheck:app"
    ),
    Command("inspect", "Show how one step reads a file.", "lyra.cli.inspect:app"),
    Command("eval", "Measure stance, ranking and models on labelled data.", package="lyra-bench"),
    Command("models", "Pull, check, use and remove models of your own.", "lyra.cli.models:app"),
    Command("calibrate", "Calibrate the models with reviewed samples, and measure them.", "lyra.cli.calibrate:app"),
    Command("archive", "Go from evidence to the archived bytes; check, list and shrink them.", "lyra.cli.archive:app"),
    Command("browser", "The browser that reads pages for you, with a profile of its own.", "lyra.cli.browser:app"),
    Command("bench", "Measure what is slow to measure.", package="lyra-bench"),
    Command("simweb", "The simulated web of the demonstration and the tests.", package="lyra-bench"),
)
_BY_NAME = {command.name: command for command in COMMANDS}


class CommandGroup(TyperGroup):
    """The commands of the list; help is shown from the list, and the command that is called is imported."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands.update({one.name: TyperCommand(name=one.name, help=one.help) for one in COMMANDS})

    def format_help(self, ctx: Any, formatter: Any) -> None:
        show_help(self, ctx, lambda: super(CommandGroup, self).format_help(ctx, formatter))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and not (ctx.resilient_parsing and _is_missing(_BY_NAME[name])):
            command = load(_BY_NAME[name])  # no errors while a shell completes a line
        return name, command, rest


def load(command: Command) -> Any:
    """The whole command with its options; `InvalidParams` names the package it is part of where that is missing."""
    if _is_missing(command):
        raise InvalidParams(
            f"`lyra {command.name}` is part of a package that is not installed: pip install {command.package}",
            details={"package": command.package},
        )
    found: Callable[..., Any] | typer.Typer = _entry_point(command).load()
    holder = typer.Typer(rich_markup_mode="rich")
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=command.name)
    else:
        holder.command(command.name)(found)
    return translate_help(typer.main.get_group(holder).commands[command.name])


def _is_missing(command: Command) -> bool:
    return bool(command.package) and not entry_points(group=ENTRY_POINTS, name=command.name)


def _entry_point(command: Command) -> EntryPoint:
    if command.target:
        return EntryPoint(command.name, command.target, ENTRY_POINTS)
    return next(iter(entry_points(group=ENTRY_POINTS, name=command.name)))
