"""Help in the language of the user: the texts of a command, and the words that Typer puts around them."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from lyra.translate import language, say, translate

_EXAMPLES = ("Example:", "Examples:")  # what follows is typed as it stands, in every language
_HELP_OPTION = "Show this message and exit."
_USAGE = "Usage: "
_TITLES = {
    "ARGUMENTS_PANEL_TITLE": "Arguments",
    "OPTIONS_PANEL_TITLE": "Options",
    "COMMANDS_PANEL_TITLE": "Commands",
    "DEFAULT_STRING": "[default: {}]",
    "REQUIRED_LONG_STRING": "[required]",
}


def translate_help(command: Any) -> Any:
    """Make a command and those below it show help in the language in use when help is asked for."""
    for one in _all_of(command):
        one.format_help = _translated(one, one.format_help)
    return command


def show_help(command: Any, ctx: Any, render: Any) -> None:
    """Render help, with every text translated before."""
    if language() == "en":
        render()
        return
    _translate(command, ctx)
    with _words_of_typer(ctx):
        render()


def sentences_of(command: Any) -> Iterator[str]:
    """Every English sentence that the help of a command and those below it shows."""
    for one in _all_of(command):
        for text in (one.help, one.short_help, one.epilog):
            yield from _sentences(text)
        for parameter in one.params:
            yield from _sentences(getattr(parameter, "help", None))
            yield from _sentences(parameter.show_default if isinstance(parameter.show_default, str) else None)


def _translated(command: Any, original: Any) -> Any:
    return lambda ctx, formatter: show_help(command, ctx, lambda: original(ctx, formatter))


def _all_of(command: Any) -> Iterator[Any]:
    yield command
    for one in getattr(command, "commands", {}).values():
        yield from _all_of(one)


def _translate(command: Any, ctx: Any) -> None:
    """Put the texts of a command, its parameters and the commands that it lists into the language in use."""
    listed = getattr(command, "commands", {}).values()
    for one in (command, *listed):
        one.help, one.short_help, one.epilog = map(_in_language, (one.help, one.short_help, one.epilog))
    for parameter in command.get_params(ctx):
        parameter.help = _in_language(getattr(parameter, "help", None))
        if isinstance(parameter.show_default, str):
            parameter.show_default = _in_language(parameter.show_default)


def _in_language(text: str | None) -> str | None:
    """A text paragraph by paragraph; an example stays as it is typed."""
    return "\n\n".join(map(_translate_paragraph, _paragraphs(text))) if text else text


def _translate_paragraph(paragraph: str) -> str:
    start = next((word for word in _EXAMPLES if paragraph.startswith(word)), None)
    return translate(paragraph) if start is None else say("Example:") + paragraph.removeprefix(start)


def _sentences(text: str | None) -> Iterable[str]:
    paragraphs = _paragraphs(text) if text else ()
    return (one for one in paragraphs if not one.startswith(_EXAMPLES) and one != _HELP_OPTION)


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(one.split()) for one in text.split("\n\n"))


@contextmanager
def _words_of_typer(ctx: Any) -> Iterator[None]:
    """Typer's own words in the language in use, until the help is rendered."""
    from typer import rich_utils

    kept = {name: getattr(rich_utils, name) for name in _TITLES}

    class Formatter(ctx.formatter_class):  # type: ignore[misc]
        def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
            super().write_usage(prog, args, say(_USAGE) if prefix is None else prefix)

    for name, words in _TITLES.items():
        setattr(rich_utils, name, say(words))
    ctx.formatter_class = Formatter
    try:
        yield
    finally:
        for name, words in kept.items():
            setattr(rich_utils, name, words)
