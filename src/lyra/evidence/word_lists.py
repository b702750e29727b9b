"""Word lists as data: one file for each subject and language, in `words/`."""

from importlib.resources import files
from typing import Any


def read_lists(subject: str, language: str) -> Any:
    """The lists of a subject (`notices`, `origins`) in one language."""
    import yaml  # lazy: only judging needs it

    source = files("lyra.evidence").joinpath("words", f"{subject}.{language}.yaml").read_text(encoding="utf-8")
    return yaml.load(source, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
