"""The `lyra` command: global options, the commands, and how errors end."""

import contextlib
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from lyra import __version__
from lyra.cli.commands import CommandGroup
from lyra.cli.lines import break_between_characters
from lyra.cli.streams import accept_any_text, json_text, unusable_characters
from lyra.disk import FULL, unwritable_output
from lyra.errors import InvalidParams, LyraError
from lyra.remedies import fields_for_terminal, for_terminal
from lyra.text import strip_control_chars
from lyra.translate import language, preferred_language, say, translate, use_language

# Typer brings a Click of its own, or in older versions uses the one installed: its error leads to the base of either.
_OPTIONS_WITH_VALUE = ("--data-dir", "--config", "--log-level")
_GLOBAL_OPTIONS = (*_OPTIONS_WITH_VALUE, "--lang")
_OPTIONS_OF_COMMANDS = ("--json", "--all", "--task", "-t")
_PROBLEMS_SHOWN = 3  # --json and `lyra log` have them all
_USAGE_ERROR: type[Exception] = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")

app = typer.Typer(
    name="lyra",
    cls=CommandGroup,
    help="Research an AI client can prove: search, read, judge, and keep every word of evidence on this machine.",
    epilog="Start with `lyra demo`, then `lyra doctor` and `lyra serve`. Exit codes: docs/reference/cli.md.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_asked: bool) -> None:
    if is_asked:  # at once: with nothing else on the line there is no command to go before
        typer.echo(f"lyra {__version__}")
        raise typer.Exit


@app.callback()
def _global(
    ctx: typer.Context,
    data_dir: Annotated[
        Path | None, typer.Option(help="Where the database and the archive live.", show_default="by platform")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Settings file (TOML).", show_default="by platform")] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error; logs go to stderr.")] = None,
    lang: Annotated[
        str | None,
        typer.Option(help="Language of help and messages: en or ja; JSON stays English.", show_default="by locale"),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and end.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    from lyra.cli.context import Context  # lazy: `--help` and `--version` need none of it

    ctx.obj = Context(flags={"data_dir": data_dir, "log.level": log_level}, config=config)


def main() -> None:
    """Run the command line; every typed error ends in one sentence, its remedy and its exit code."""
    accept_any_text()
    os.umask(0o077)  # what Lyra and the programs it starts write is this user's alone
    try:
        code = _run(as_json="--json" in sys.argv)
        if sys.stdout is not None:  # closed by who started us
            sys.stdout.flush()
    except OSError as exc:
        if exc.errno not in FULL:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left would fail once more at the end
        full = unwritable_output(exc)
        _show_error(full, as_json=False)
        code = full.exit_code
    sys.exit(code)


def _run(*, as_json: bool) -> int:
    try:
        _choose_language(sys.argv[1:])
        code = app(standalone_mode=False)
    except LyraError as exc:
        _show_error(exc, as_json=as_json)
        return exc.exit_code
    except UnicodeEncodeError as exc:
        unusable = unusable_characters(exc)
        _show_error(unusable, as_json=as_json)
        return unusable.exit_code
    except _USAGE_ERROR as exc:
        wrong = _wrong_usage(exc)
        if wrong.message:  # a group without a command has shown its help instead
            _show_error(wrong, as_json=as_json)
        return wrong.exit_code
    except typer.Abort:
        return 130
    except SystemExit as ended:  # by Typer: the reader of the output, such as `head`, has closed it
        has_closed_pipe = isinstance(ended.__context__, BrokenPipeError)
        return 0 if has_closed_pipe or ended.code is None else int(ended.code)
    return code if isinstance(code, int) else 0


def _choose_language(args: list[str]) -> None:
    """Before anything is parsed, since help and wrong usage are shown in it; first the locale's, for a wrong name."""
    use_language(preferred_language(None, os.environ))
    use_language(preferred_language(_wanted_language(args), os.environ))
    if language() == "ja":
        break_between_characters()


def _wanted_language(args: list[str]) -> str | None:
    """The last `--lang` before the command."""
    found: str | None = None
    words = iter(args)
    for word in words:
        if word == "--lang":
            found = next(words, None)
        elif word.startswith("--lang="):
            found = word.removeprefix("--lang=")
        elif word in _OPTIONS_WITH_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            break
    return found


def _wrong_usage(exc: Exception) -> InvalidParams:
    ctx = getattr(exc, "ctx", None)
    remedy = f"See `{ctx.command_path} --help`." if ctx else "See `lyra --help`."
    remedy = _other_place(str(getattr(exc, "option_name", "")), ctx.command_path if ctx else "") or remedy
    return InvalidParams(getattr(exc, "format_message", exc.__str__)(), remedy=remedy)


def _other_place(option: str, path: str) -> str:
    """Where an option belongs that stands on the wrong side of the command; nothing for any other."""
    _, _, name = path.partition(" ")
    if name and option in _GLOBAL_OPTIONS:
        return f"It stands before the command: `lyra {option} … {name} …`."
    if not name and option in _OPTIONS_OF_COMMANDS:
        return f"It stands behind the command: `lyra COMMAND … {option}`."
    return ""


def _show_error(exc: LyraError, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json_text(fields_for_terminal(exc.fields())))
    with contextlib.suppress(OSError):  # where errors cannot be printed, there is still the exit code
        typer.echo(f"lyra: {translate(exc.message)}", err=True)
        problems = exc.details.get("problems", ())
        for problem in problems[:_PROBLEMS_SHOWN]:
            typer.echo(strip_control_chars(f"      ! {translate(str(problem))}"), err=True)
        if len(problems) > _PROBLEMS_SHOWN:
            typer.echo(f"      ! {say('and {count} more', count=len(problems) - _PROBLEMS_SHOWN)}", err=True)
        if exc.remedy:
            typer.echo(f"      {for_terminal(translate(exc.remedy), exc.retry_after_s)}", err=True)
