"""`lyra eval stance`: how the shipped judge does on labelled pairs, source by source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from lyra.calibration.measure import brier_classes, expected_calibration_error
from lyra.errors import InvalidParams
from lyra.jsonl import Progress, bad_row, json_lines, text_field
from lyra.model.edge import LARGE_READER, Relation, Stance

RELATIONS = (Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL)
_LABELS = {"E": 0, "C": 1, "N": 2}
_NEUTRAL = _LABELS["N"]
_AT_ONCE = 256
_PLACES = 4


class Judge(Protocol):
    """What is measured: the product's stance judge."""

    async def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Stance]:
        """One stance per (premise, hypothesis)."""


@dataclass(frozen=True, slots=True)
class GoldPair:
    """A labelled pair; `label` is the place of its relation in `RELATIONS`."""

    premise: str
    hypothesis: str
    label: int
    source: str


async def evaluate_stance(
    path: Path, judge: Judge, *, model_ids: Mapping[str, str], progress: Progress | None = None
) -> dict[str, Any]:
    """Judge every row of the file and score each source; `InvalidParams` names the line of a bad row."""
    gold = read_pairs(path)
    stances = await judge_pairs(gold, judge, progress)
    places: dict[str, list[int]] = {}
    for place, pair in enumerate(gold):
        places.setdefault(pair.source, []).append(place)
    sources = {
        name: score_stances([gold[at].label for at in chosen], [stances[at] for at in chosen])
        for name, chosen in sorted(places.items())
    }
    return {"models": dict(model_ids), "sources": sources}


async def judge_pairs(gold: Sequence[GoldPair], judge: Judge, progress: Progress | None = None) -> list[Stance]:
    """The stance of every pair, in order, judged in parts."""
    stances: list[Stance] = []
    for start in range(0, len(gold), _AT_ONCE):
        part = gold[start : start + _AT_ONCE]
        stances += await judge.judge([(pair.premise, pair.hypothesis) for pair in part])
        if progress:
            progress(len(stances), len(gold))
    return stances


def read_pairs(path: Path) -> list[GoldPair]:
    """Rows `premise hypothesis label source`, the label E, C or N."""
    pairs = []
    for number, row in json_lines(path):
        label = row.get("label")
        if not isinstance(label, str) or label not in _LABELS:
            raise bad_row(path, number, f"'label' must be E, C or N, not {str(label)[:20]!r}")
        premise, hypothesis, source = (
            text_field(row, name, path, number) for name in ("premise", "hypothesis", "source")
        )
        pairs.append(GoldPair(premise, hypothesis, _LABELS[label], source))
    if not pairs:
        raise InvalidParams(f"{path} has no rows.", remedy="Give a file with one labelled pair a line.")
    return pairs


def score_stances(truth: Sequence[int], stances: Sequence[Stance]) -> dict[str, Any]:
    """What `score_chances` says of stances, and the share that the large reader decided."""
    shipped = [RELATIONS.index(stance.label) for stance in stances]
    scores = score_chances(truth, [stance.probabilities for stance in stances], shipped)
    by_large = sum(stance.reader == LARGE_READER for stance in stances) / len(stances)
    return scores | {"by_large_reader": round(by_large, _PLACES)}


def score_chances(
    truth: Sequence[int], chances: Sequence[tuple[float, float, float]], shipped: Sequence[int]
) -> dict[str, Any]:
    """Accuracy and macro-F1 at the most probable class, the same at the shipped thresholds, and the calibration."""
    likeliest = [max(range(len(RELATIONS)), key=chance.__getitem__) for chance in chances]
    hits = [float(guess == label) for guess, label in zip(likeliest, truth, strict=True)]
    return {
        "n": len(truth),
        "accuracy": round(sum(hits) / len(hits), _PLACES),
        "macro_f1": round(macro_f1(truth, likeliest), _PLACES),
        "macro_f1_shipped": round(macro_f1(truth, shipped), _PLACES),
        "false_refute_rate": false_refute_rate(truth, shipped),
        "brier": round(brier_classes(chances, truth), _PLACES),
        "ece": round(expected_calibration_error([max(chance) for chance in chances], hits), _PLACES),
    }


def macro_f1(truth: Sequence[int], guesses: Sequence[int]) -> float:
    """The mean F1 of the classes that the truth contains."""
    present = sorted(set(truth))
    return sum(_f1(label, truth, guesses) for label in present) / len(present)


def false_refute_rate(truth: Sequence[int], guesses: Sequence[int]) -> float | None:
    """The share of neutral pairs read as refutes; none where no pair is neutral."""
    read_as = [guess for guess, label in zip(guesses, truth, strict=True) if label == _NEUTRAL]
    return round(read_as.count(_LABELS["C"]) / len(read_as), _PLACES) if read_as else None


def _f1(label: int, truth: Sequence[int], guesses: Sequence[int]) -> float:
    both = sum(1 for guess, gold in zip(guesses, truth, strict=True) if guess == gold == label)
    return 2 * both / (list(guesses).count(label) + list(truth).count(label))
