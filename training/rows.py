"""Premise-hypothesis rows: files, class balance and the split into training and held-out parts."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

LABELS = "ECN"
HELD_OUT = frozenset({"fever_symmetric", "fool_me_twice", "wice_claim", "jnli", "jsick"})
HELD_OUT_SHARE = 0.3
# Sources whose rows are claims checked against texts of an encyclopaedia.
CHECKED = ("fever_dev_rte2way", "fool_me_twice", "fever_symmetric", "wice_claim", "begin_attrib")


@dataclass(frozen=True)
class Row:
    """One pair. `label` is E, C, N, or X (not entailed), or empty for a pair that only the teacher judges."""

    premise: str
    hypothesis: str
    label: str
    source: str
    lang: str


def split_held_out(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Training and held-out rows; no held-out premise or hypothesis occurs in training, whatever its source."""
    rows = list(rows)
    groups = joined_groups([row for row in rows if row.source in HELD_OUT])
    held = {
        row for row in rows if row.source in HELD_OUT and share_of(groups[row.source, row.premise]) < HELD_OUT_SHARE
    }
    premises = {row.premise for row in held}
    claims = {row.hypothesis for row in held if row.lang == "en"}
    train = [row for row in rows if row not in held and row.premise not in premises and row.hypothesis not in claims]
    return train, [row for row in rows if row in held]


def joined_groups(rows: list[Row]) -> dict[tuple[str, str], str]:
    """Names the group of each premise; English premises that share a hypothesis are one group.

    Japanese caption pairs share sentences across the whole corpus, so there a premise is its own group.
    """
    parent: dict[tuple[str, str], tuple[str, str]] = {}

    def root(key: tuple[str, str]) -> tuple[str, str]:
        while parent.setdefault(key, key) != key:
            key = parent[key]
        return key

    for row in rows:
        first = root((row.source, row.premise))
        if row.lang == "en":
            second = root((row.source, row.hypothesis))
            parent[max(first, second)] = min(first, second)
    return {(row.source, row.premise): root((row.source, row.premise))[1] for row in rows}


def share_of(text: str) -> float:
    """A stable number in [0, 1) for a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4]) / 2**32


def write_rows(path: Path, rows: Iterable[Row], level: int = 6) -> None:
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=level) as file:
        for row in rows:
            file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")


def read_rows(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [Row(**json.loads(line)) for line in file]


def class_weights(rows: list[Row], ceiling: float = 2.5) -> list[float]:
    """Balances the labels inside each source; mined neutrals count as their source's."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows:
        counts[row.source.removesuffix("_mined")][row.label] += 1

    def weight(row: Row) -> float:
        labels = counts[row.source.removesuffix("_mined")]
        return min(ceiling, sum(labels.values()) / len(labels) / labels[row.label])

    return [weight(row) for row in rows]
