"""`lyra inspect stance`: how the product's judge comes to its stance on single pairs."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from lyra.errors import InvalidParams
from lyra.jsonl import json_lines, text_field
from lyra.model.calibration import STANCES
from lyra.model.edge import Stance

_PLACES = 4


class Judge(Protocol):
    """What is looked into: the product's stance judge."""

    def thresholds(self, reader: str) -> dict[str, float]:
        """The calibrated probability from which a text supports or refutes, by this reader's answer."""

    def readings(self, premise: str, hypothesis: str) -> tuple[str, ...]:
        """What the model is asked about for a premise."""

    async def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Stance]:
        """One stance per (premise, hypothesis)."""


async def inspect_stance(judge: Judge, pairs: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """For each pair its label, probabilities before and after calibration, thresholds, readings and versions.

    `rule` says why the label is not the model's own, where one of the judge's rules decided.
    """
    stances = await judge.judge(pairs)
    read = await asyncio.to_thread(lambda: [judge.readings(premise, hypothesis) for premise, hypothesis in pairs])
    return [
        {
            "premise": _shown(premise),
            "hypothesis": _shown(hypothesis),
            "label": stance.label.value,
            "confidence": round(stance.confidence, _PLACES),
            "raw_probabilities": _named(stance.raw_probabilities),
            "probabilities": _named(stance.probabilities),
            "thresholds": judge.thresholds(stance.reader),
            "rule": stance.rule or None,
            "windows": [_shown(window) for window in windows],
            "reader": stance.reader,
            "answers": None if stance.answers is None else _rounded(asdict(stance.answers)),
            "model": stance.model_id,
            "calibration_version": stance.calibration_version,
        }
        for (premise, hypothesis), stance, windows in zip(pairs, stances, read, strict=True)
    ]


def read_texts(path: Path) -> list[tuple[str, str]]:
    """Rows `premise hypothesis`; other fields are left aside."""
    pairs = [
        (text_field(row, "premise", path, number), text_field(row, "hypothesis", path, number))
        for number, row in json_lines(path)
    ]
    if not pairs:
        raise InvalidParams(f"{path} has no rows.", remedy="Give a file with one pair a line.")
    return pairs


def _shown(text: str) -> str:
    """The text as it can be written: a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, _PLACES) for name, value in values.items()}


def _named(probabilities: tuple[float, float, float] | None) -> dict[str, float] | None:
    if probabilities is None:
        return None
    return {name: round(value, _PLACES) for name, value in zip(STANCES, probabilities, strict=True)}
