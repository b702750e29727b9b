"""What the registries hold, and how they find it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

import yaml

Held = Mapping[str, Any]
# Keys that the simulated services know.
KEYS = MappingProxyType(
    {
        "estat": "simulated-estat-app-id",
        "gbizinfo": "simulated-gbizinfo-token",
        "edinet": "simulated-edinet-key",
        "epo": "simulated-epo-key",
        "epo_secret": "simulated-epo-secret",
        "uspto": "simulated-uspto-key",
        "factcheck": "simulated-factcheck-key",
    }
)


@cache
def load() -> Held:
    text = resources.files("simweb.apis.registries").joinpath("holdings.yaml").read_text(encoding="utf-8")
    held: Held = yaml.safe_load(text)
    return held


def organisation(held: Held, qid: str) -> Held:
    found: Held = next(one for one in held["organisations"] if one["qid"] == qid)
    return found


def holds(words: Iterable[str], *texts: object) -> bool:
    """Whether every word stands somewhere in the texts."""
    whole = " ".join(str(text) for text in texts).casefold()
    return all(word.casefold() in whole for word in words)


def words_of(query: str) -> list[str]:
    """The words of a query, those that join them left out."""
    return [word for word in re.split(r"[\s\u3000]+", query) if word and word not in ("AND", "and", "OR")]
