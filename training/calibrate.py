"""Fits the calibration and the thresholds that ship on the stance card, and reports them source by source.

Per language a temperature and two biases (neutral's is zero) make the gold labels likeliest, every source counting
the same. The report leaves each source out of its own fit, so its figures are of unseen sources.

python calibrate.py --logits logits.npz --card cards/stance.json
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import measures

# A source without neutral pairs would teach that nothing is neutral: of it only "which of the two" counts.
FITTED = {
    "en": ("healthver", "scifact", "fever_symmetric", "fool_me_twice"),
    "ja": ("jnli", "jsick", "jsnli"),
}
FALSE_REFUTES = 0.095
GRID = np.arange(0.2, 0.9, 0.01)


@dataclass(frozen=True)
class Scaling:
    """Probabilities are the softmax of logits / temperature + bias."""

    temperature: float
    bias: tuple[float, float, float]

    def apply(self, logits: np.ndarray) -> np.ndarray:
        return measures.softmax(self.scaled(logits))

    def scaled(self, logits: np.ndarray) -> np.ndarray:
        return logits / self.temperature + np.array(self.bias)


@dataclass(frozen=True)
class Sample:
    """Judged pairs of one language."""

    logits: np.ndarray
    gold: np.ndarray
    sources: np.ndarray

    def only(self, wanted: np.ndarray) -> Sample:
        return Sample(self.logits[wanted], self.gold[wanted], self.sources[wanted])


def fit(sample: Sample) -> Scaling:
    sizes = {source: np.sum(sample.sources == source) for source in set(sample.sources)}
    weight = np.array([1 / sizes[source] for source in sample.sources])

    def scaling(values: np.ndarray) -> Scaling:
        return Scaling(float(np.exp(values[0])), (float(values[1]), float(values[2]), 0.0))

    three = [source for source in sizes if measures.NEUTRAL in sample.gold[sample.sources == source]]
    is_open = np.isin(sample.sources, three)[:, None] | (np.arange(3) != measures.NEUTRAL)

    def loss(values: np.ndarray) -> float:
        chances = measures.softmax(np.where(is_open, scaling(values).scaled(sample.logits), -1e9))
        chosen = chances[np.arange(len(sample.gold)), sample.gold]
        return float(-np.sum(weight * np.log(chosen + 1e-9)) + 0.01 * np.sum(values[1:] ** 2))

    return scaling(minimize(loss, np.zeros(3), method="Nelder-Mead").x)


def thresholds(judged: list[tuple[np.ndarray, np.ndarray]]) -> dict[str, float]:
    """The lowest `refutes` that keeps false refutes within bounds in every source, and the `supports` best for F1.

    `judged` holds gold labels and probabilities of each source, calibrated without it.
    """
    with_neutrals = [(gold, chance) for gold, chance in judged if np.sum(gold == measures.NEUTRAL) >= 100]

    def worst(refutes: float) -> float:
        return max(
            measures.false_refute_rate(gold, measures.decide(chance, 0.35, refutes)) for gold, chance in with_neutrals
        )

    refutes = next((value for value in GRID if worst(value) <= FALSE_REFUTES), GRID[-1])

    def quality(supports: float) -> float:
        decided = [(gold, measures.decide(chance, supports, refutes)) for gold, chance in judged]
        return float(np.mean([measures.macro_f1(gold, guess) for gold, guess in decided]))

    return {"supports": round(float(max(GRID, key=quality)), 2), "refutes": round(float(refutes), 2)}


def left_out(sample: Sample, language: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Gold labels and probabilities of each fitted source, by the fit of the others."""
    found = []
    for source in FITTED[language]:
        own = sample.only(sample.sources == source)
        found.append((own.gold, fit(fitted(sample, language, but=source)).apply(own.logits)))
    return found


def read(path: Path, language: str) -> Sample:
    data = np.load(path)
    whole = Sample(data["logits"].astype(np.float64), data["gold"], data["sources"])
    return whole.only(data["languages"] == language)


def fitted(sample: Sample, language: str, but: str = "") -> Sample:
    return sample.only(np.isin(sample.sources, [source for source in FITTED[language] if source != but]))


def report(sample: Sample, language: str, chosen: dict[str, float]) -> None:
    """One line a source, each with the scaling fitted on the others."""
    print(f"{'source':20} {'n':>5}  F1 raw/cal   F1 shipped  N->C shipped  brier raw/cal  ece raw/cal")
    pooled = []
    for source in dict.fromkeys(sample.sources):
        mine = sample.sources == source
        own, scaling = sample.only(mine), fit(fitted(sample, language, but=source))
        raw, calibrated = measures.softmax(own.logits), scaling.apply(own.logits)
        shipped = measures.decide(calibrated, **chosen)
        pooled.append((own.gold, raw, calibrated))
        f1 = [measures.macro_f1(own.gold, guess) for guess in (raw.argmax(1), calibrated.argmax(1), shipped)]
        brier = [measures.brier(own.gold, each) for each in (raw, calibrated)]
        ece = [measures.expected_calibration_error(own.gold, each) for each in (raw, calibrated)]
        print(
            f"{source:20} {mine.sum():5d}  {f1[0]:.3f}/{f1[1]:.3f}  {f1[2]:10.3f}"
            f"  {measures.false_refute_rate(own.gold, shipped):12.3f}  {brier[0]:.3f}/{brier[1]:.3f}"
            f"    {ece[0]:.3f}/{ece[1]:.3f}"
        )
    gold, raw, calibrated = (np.concatenate(each) for each in zip(*pooled, strict=True))
    before, after = measures.brier(gold, raw), measures.brier(gold, calibrated)
    print(
        f"pooled brier {before:.3f} -> {after:.3f} ({1 - after / before:.0%} better), ece"
        f" {measures.expected_calibration_error(gold, raw):.3f}"
        f" -> {measures.expected_calibration_error(gold, calibrated):.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logits", type=Path, required=True)
    parser.add_argument("--card", type=Path, required=True)
    options = parser.parse_args()
    samples = {language: read(options.logits, language) for language in FITTED}
    fits = {language: fit(fitted(sample, language)) for language, sample in samples.items()}
    chosen = thresholds([each for language, sample in samples.items() for each in left_out(sample, language)])
    card = json.loads(options.card.read_text("utf-8"))
    card["thresholds"] = chosen
    card["calibration"] = {"method": "vector"} | {
        language: {"temperature": round(each.temperature, 4), "bias": [round(value, 4) for value in each.bias]}
        for language, each in fits.items()
    }
    options.card.write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", "utf-8")
    print(card["thresholds"], card["calibration"])
    for language, sample in samples.items():
        report(sample, language, chosen)


if __name__ == "__main__":
    main()
