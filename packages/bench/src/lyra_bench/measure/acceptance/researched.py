"""What research on one topic left behind, kept as JSON: a run that was broken off goes on with the next topic."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A search that was started."""

    query: str
    status: str
    harvest_rate: float


@dataclass(frozen=True)
class Researched:
    """`queued` are the domains of the pages that waited for a person, one for each page; `unstarted` and `unasked` are
    queries that were refused, and those for which no time was left."""

    topic: str
    seconds: float
    searches: tuple[Asked, ...]
    failures: tuple[str, ...]
    named: tuple[str, ...]
    claims: Sequence[Mapping[str, Any]]
    metrics: Mapping[str, float | None]
    archived: tuple[int, int]
    kinds: Mapping[str, int]
    judged_kinds: Mapping[str, int]
    queued: tuple[str, ...]
    solved: int
    notified: tuple[int, str]
    compared: tuple[int, int, int]
    cache: tuple[int, int]
    hosts: tuple[str, ...]
    requests: int
    violations: int
    planted_loops: tuple[int, int] = (0, 0)
    unstarted: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()

    @property
    def counted_kinds(self) -> Counter[str]:
        return Counter(self.kinds)


def write(folder: Path, key: str, one: Researched) -> None:
    """Keep a topic; `key` names how it was researched."""
    folder.mkdir(parents=True, exist_ok=True)
    path = _path(folder, one.topic)
    scratch = path.with_suffix(".part")
    scratch.write_text(json.dumps({"key": key, "researched": _plain(one)}, ensure_ascii=False), "utf-8")
    scratch.replace(path)


def read(folder: Path, key: str, topic: str) -> Researched | None:
    """A topic that was kept for the same key; nothing where it was not, or the file is no longer understood."""
    try:
        found = json.loads(_path(folder, topic).read_text("utf-8"))
        if found["key"] != key:
            return None
        return _researched(found["researched"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _path(folder: Path, topic: str) -> Path:
    return folder / f"researched-{topic}.json"


def _plain(one: Researched) -> dict[str, Any]:
    """`asdict` takes a counter for a list of pairs, so that counts become plain mappings first."""
    return asdict(replace(one, kinds=dict(one.kinds), judged_kinds=dict(one.judged_kinds)))


def _researched(values: Mapping[str, Any]) -> Researched:
    plain = {one.name: values[one.name] for one in fields(Researched)}
    listed = {name: tuple(value) for name, value in plain.items() if isinstance(value, list) and name != "claims"}
    searches = tuple(Asked(**one) for one in plain["searches"])
    return Researched(**{**plain, **listed, "searches": searches})
