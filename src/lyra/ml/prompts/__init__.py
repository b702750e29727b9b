"""What language models are told: one file a version, `NAME.VERSION.txt`; a changed prompt is a new file.

The journal says with which one an answer was asked for, so the older ones stay.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Prompt:
    """A system text and the name that stands in the journal, such as `quality.1`."""

    id: str
    text: str


@cache
def prompt(name: str) -> Prompt:
    """The newest version of a prompt."""
    folder = files("lyra.ml.prompts")
    versions = [int(one.name.split(".")[1]) for one in folder.iterdir() if one.name.startswith(f"{name}.")]
    newest = f"{name}.{max(versions)}"
    return Prompt(newest, folder.joinpath(f"{newest}.txt").read_text(encoding="utf-8").strip())
