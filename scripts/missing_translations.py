"""Lists the English sentences for people that the catalogue lacks, and its entries that no code says.

    .venv/bin/python scripts/missing_translations.py        # prints YAML to complete, by the part that says it
    .venv/bin/python scripts/missing_translations.py --all  # prints every sentence

`said_sentences.py` says which sentences are meant; help is collected from the commands, by the module that shows it.
"""

import itertools
import json
import sys
from pathlib import Path

import yaml
from said_sentences import ROOT, code_sentences, has_words

CATALOGUE = ROOT / "src" / "lyra" / "translations" / "ja"
OF_LIBRARIES = ("typer.yaml", "system.yaml")  # sentences that Typer and the operating system say, not Lyra


def help_sentences() -> dict[str, str]:
    """Every paragraph of help: of each command, option and argument."""
    import typer

    from lyra.cli.commands import COMMANDS, load
    from lyra.cli.help import sentences_of
    from lyra.cli.main import app

    root = typer.main.get_command(app)
    found = dict.fromkeys(sentences_of(root), "lyra --help")
    for command in COMMANDS:
        found |= dict.fromkeys(sentences_of(load(command)), f"lyra {command.name} --help")
    return found


def catalogue(directory: Path = CATALOGUE) -> dict[str, dict[str, str]]:
    """The files of the catalogue with their entries."""
    return {path.name: yaml.safe_load(path.read_text("utf-8")) or {} for path in sorted(directory.glob("*.yaml"))}


def missing(said: dict[str, str]) -> dict[str, str]:
    """What is said and in no file of the catalogue."""
    known = {one for entries in catalogue().values() for one in entries}
    return {sentence: where for sentence, where in said.items() if sentence not in known}


def unused(said: dict[str, str]) -> dict[str, str]:
    """Entries that nothing says, with their file."""
    files = {name: entries for name, entries in catalogue().items() if name not in OF_LIBRARIES}
    return {one: name for name, entries in files.items() for one in entries if has_words(one) and one not in said}


def _part(where: str) -> str:
    """The package of Lyra that says a sentence."""
    return where if where.startswith("lyra ") else ".".join(where.split(".")[1:3]) or where


def main() -> int:
    """Print what is missing, then what is unused; 1 where anything is."""
    said = code_sentences() | help_sentences()
    lines = said if "--all" in sys.argv else missing(said)
    for part, group in itertools.groupby(
        sorted(lines.items(), key=lambda one: (_part(one[1]), one[0])), lambda one: _part(one[1])
    ):
        print(f"# {part}")
        for sentence, _ in group:
            print(f'{json.dumps(sentence, ensure_ascii=False)}: ""')
    left = unused(said)
    for sentence, file in left.items():
        print(f"# {file} has what no code says: {sentence}")
    return 1 if lines or left else 0


if __name__ == "__main__":
    sys.exit(main())
