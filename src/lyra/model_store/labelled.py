"""The labelled rows that ship with Lyra: passages and claims written for it, which none of its models has seen.

They are Apache-2.0 like the rest; `training/calibration_rows.py` chose them from the held-out tenth of the corpus.
"""

import gzip
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

SUPPORTS, REFUTES, NEUTRAL = range(3)
_LABELS = {"E": SUPPORTS, "C": REFUTES, "N": NEUTRAL}


@dataclass(frozen=True, slots=True)
class LabelledGroup:
    """Passages and claims on one subject; `labels[i][j]` is what passage i does to claim j."""

    subject: str
    language: str
    passages: tuple[str, ...]
    claims: tuple[str, ...]
    labels: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """One pair of a group; `group` is the place of its group among all."""

    text: str
    claim: str
    label: int
    language: str
    group: int


@cache
def labelled_groups() -> tuple[LabelledGroup, ...]:
    """Every group, English first."""
    content = gzip.decompress(files("lyra.model_store").joinpath("labelled.jsonl.gz").read_bytes())
    return tuple(_group(json.loads(line)) for line in content.decode().splitlines())


def labelled_pairs() -> tuple[LabelledPair, ...]:
    """Every pair of every group."""
    return tuple(
        LabelledPair(text, claim, label, group.language, number)
        for number, group in enumerate(labelled_groups())
        for text, labels in zip(group.passages, group.labels, strict=True)
        for claim, label in zip(group.claims, labels, strict=True)
    )


def _group(values: dict[str, list[str]]) -> LabelledGroup:
    labels = tuple(tuple(_LABELS[one] for one in row) for row in values["labels"])
    return LabelledGroup(
        str(values["subject"]), str(values["lang"]), tuple(values["passages"]), tuple(values["claims"]), labels
    )
