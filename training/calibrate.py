"""Fits the calibration that ships on a reader's card beside the threshold, and reports them source by source.

Both answers are scaled apart, per language, by logistic regression, every source counting the same: whether a text
bears on a claim on the sources that have neutral pairs, those weighted to their share among the pairs that a search
judges; which side it takes on the pairs that take one. The report leaves each source out of its own fit.

python calibrate.py --answers answers.npz --card cards/small.json
python calibrate.py --answers strong.npz --card cards/strong.json --earlier large.npz --earlier-card cards/large.json
`answers.npz` comes from evaluate_stance.py. `--earlier` holds those of the reader that is asked before, of the same
rows: then the average of both probabilities is scaled, too (`averaged` on the card), for it is too modest as it is.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import measures

FITTED = {
    "en": ("healthver", "scifact", "fever_symmetric", "fool_me_twice", "written", "pages"),
    "ja": ("jnli", "jsick", "jsnli", "written", "pages"),
}
OURS = ("written", "pages")  # each file of these is a part of one source
NEUTRAL_SHARE = 0.7
LEAST_NEUTRALS = 100
# From here on a stance is taken, unless another value is given. F1 on public pairs would ask for less; verdicts ask for
# more, for one wrong side among three texts makes a true claim contested. `report_thresholds` prints what others give.
THRESHOLD = 0.6


@dataclass(frozen=True)
class Line:
    """A chance is the logistic function of scale · logit + bias."""

    scale: float
    bias: float

    def apply(self, logits: np.ndarray) -> np.ndarray:
        return measures.sigmoid(self.scale * logits + self.bias)

    def to_json(self) -> dict[str, float]:
        return {"scale": round(self.scale, 4), "bias": round(self.bias, 4)}


@dataclass(frozen=True)
class TwoLines:
    bears: Line
    side: Line

    def apply(self, answers: np.ndarray) -> np.ndarray:
        """Chances of supports, refutes, neutral."""
        bears, side = self.bears.apply(answers[:, 0]), self.side.apply(answers[:, 1])
        return np.stack([bears * side, bears * (1 - side), 1 - bears], 1)


@dataclass(frozen=True)
class Sample:
    """Judged pairs of one language."""

    answers: np.ndarray
    gold: np.ndarray
    sources: np.ndarray

    def only(self, wanted: np.ndarray) -> Sample:
        return Sample(self.answers[wanted], self.gold[wanted], self.sources[wanted])


def fit_line(logits: np.ndarray, truth: np.ndarray, weight: np.ndarray) -> Line:
    """The likeliest scale and bias, pulled weakly towards leaving the logits as they are."""

    def loss(values: np.ndarray) -> float:
        signed = np.where(truth, 1, -1) * (np.exp(values[0]) * logits + values[1])
        return float(np.sum(weight * np.logaddexp(0, -signed)) / weight.sum() + 0.001 * np.sum(values**2))

    found = minimize(loss, np.zeros(2), method="Nelder-Mead").x
    return Line(float(np.exp(found[0])), float(found[1]))


def fit(sample: Sample) -> TwoLines:
    takes_side = sample.gold != measures.NEUTRAL
    weight = np.zeros(len(sample.gold))
    for source in set(sample.sources):
        mine = sample.sources == source
        if (mine & ~takes_side).sum() >= LEAST_NEUTRALS:
            weight[mine & takes_side] = (1 - NEUTRAL_SHARE) / (mine & takes_side).sum()
            weight[mine & ~takes_side] = NEUTRAL_SHARE / (mine & ~takes_side).sum()
    chosen = weight > 0
    bears = fit_line(sample.answers[chosen, 0], takes_side[chosen], weight[chosen])
    sided = sample.only(takes_side)
    sizes = {source: np.sum(sided.sources == source) for source in set(sided.sources)}
    weight = np.array([1 / sizes[source] for source in sided.sources])
    return TwoLines(bears, fit_line(sided.answers[:, 1], sided.gold == measures.SUPPORTS, weight))


def read(path: Path, language: str) -> Sample:
    data = np.load(path)
    sources = np.array([next((one for one in OURS if each.startswith(one)), each) for each in data["sources"]])
    whole = Sample(data["answers"].astype(np.float64), data["gold"], sources)
    return whole.only(data["languages"] == language)


def averaged(own: Sample, earlier: Sample, own_lines: TwoLines, earlier_lines: TwoLines, share: float) -> Sample:
    """The sample with the logits of the average of both readers' probabilities."""
    mean = (1 - share) * own_lines.apply(own.answers) + share * earlier_lines.apply(earlier.answers)
    bears = mean[:, 0] + mean[:, 1]
    return Sample(np.stack([measures.logit(bears), measures.logit(mean[:, 0] / bears)], 1), own.gold, own.sources)


def lines_on(card: dict, language: str) -> TwoLines:
    own = card["calibration"][language]
    return TwoLines(Line(**own["bears"]), Line(**own["side"]))


def fitted(sample: Sample, language: str, but: str = "") -> Sample:
    return sample.only(np.isin(sample.sources, [source for source in FITTED[language] if source != but]))


def weights_of(sample: Sample) -> np.ndarray:
    """Each source counts the same, and its neutral pairs, if it has some, have the share that a search meets."""
    weight = np.zeros(len(sample.gold))
    for source in set(sample.sources):
        mine = sample.sources == source
        neutral = mine & (sample.gold == measures.NEUTRAL)
        has_share = neutral.sum() >= LEAST_NEUTRALS
        weight[mine & ~neutral] = (1 - NEUTRAL_SHARE if has_share else 1) / max(1, (mine & ~neutral).sum())
        weight[neutral] = NEUTRAL_SHARE / neutral.sum() if has_share else 0
    return weight


def sure_share(sample: Sample, chances: np.ndarray, least: float = 0.7) -> tuple[float, float]:
    """Of the stances at least so probable the weighted share that is right, and the share of sided pairs reached."""
    weight, guess = weights_of(sample), chances[:, :2].argmax(1)
    sure = chances[:, :2].max(1) >= least
    sided = sample.gold != measures.NEUTRAL
    right = np.sum(weight * (sure & (guess == sample.gold))) / max(1e-9, np.sum(weight * sure))
    return float(right), float(np.sum(weight * (sure & sided)) / np.sum(weight * sided))


def report_thresholds(sample: Sample, language: str) -> None:
    """What other thresholds would give on written pairs, with the scaling fitted without them."""
    own = sample.only(sample.sources == "written")
    chances, weight = fit(fitted(sample, language, but="written")).apply(own.answers), weights_of(own)
    sided = own.gold != measures.NEUTRAL
    print("threshold  right  opposite  missed  false  right of those taken, neutrals at their share")
    for least in np.arange(0.3, 0.71, 0.05):
        guess = measures.decide(chances, least, least)
        taken, right = guess != measures.NEUTRAL, guess == own.gold
        print(
            f"{least:9.2f}  {right.mean():.3f}  {(taken & ~right)[sided].mean():8.3f}  {(~taken)[sided].mean():6.3f}"
            f"  {taken[~sided].mean():.3f}  {np.sum(weight * (taken & right)) / np.sum(weight * taken):.3f}"
        )


def report(sample: Sample, language: str, chosen: dict[str, float]) -> None:
    """One line a source, each with the scaling fitted on the others."""
    print(f"{'source':20} {'n':>5}  F1 raw/cal   F1 shipped  N->C shipped  brier raw/cal  ece raw/cal")
    pooled, judged = np.zeros((len(sample.gold), 3)), np.zeros(len(sample.gold), bool)
    for source in dict.fromkeys(sample.sources):
        mine = sample.sources == source
        own, scaling = sample.only(mine), fit(fitted(sample, language, but=source))
        raw, calibrated = TwoLines(Line(1, 0), Line(1, 0)).apply(own.answers), scaling.apply(own.answers)
        shipped = measures.decide(calibrated, **chosen)
        if source in FITTED[language]:
            pooled[mine], judged[mine] = calibrated, True
        f1 = [measures.macro_f1(own.gold, guess) for guess in (raw.argmax(1), calibrated.argmax(1), shipped)]
        brier = [measures.brier(own.gold, each) for each in (raw, calibrated)]
        ece = [measures.expected_calibration_error(own.gold, each) for each in (raw, calibrated)]
        print(
            f"{source:20} {mine.sum():5d}  {f1[0]:.3f}/{f1[1]:.3f}  {f1[2]:10.3f}"
            f"  {measures.false_refute_rate(own.gold, shipped):12.3f}  {brier[0]:.3f}/{brier[1]:.3f}"
            f"    {ece[0]:.3f}/{ece[1]:.3f}"
        )
    right, reached = sure_share(sample.only(judged), pooled[judged])
    print(f"{language}: chances of .7 and more are right in {right:.1%}, reached by {reached:.1%} of the sided pairs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=Path, required=True)
    parser.add_argument("--card", type=Path, required=True)
    parser.add_argument("--threshold", type=float, default=THRESHOLD)
    parser.add_argument("--earlier", type=Path)
    parser.add_argument("--earlier-card", type=Path)
    parser.add_argument("--earlier-share", type=float, default=0.3)
    options = parser.parse_args()
    card = json.loads(options.card.read_text("utf-8"))
    samples = {language: read(options.answers, language) for language in card["languages"]}
    fits = {language: fit(fitted(sample, language)) for language, sample in samples.items()}
    chosen = {"supports": options.threshold, "refutes": options.threshold}
    card["thresholds"] = chosen
    card["calibration"] = {"method": "two_answers"} | {
        language: {"bears": each.bears.to_json(), "side": each.side.to_json()} for language, each in fits.items()
    }
    if options.earlier:
        before = json.loads(options.earlier_card.read_text("utf-8"))
        samples = {
            language: averaged(
                own, read(options.earlier, language), fits[language], lines_on(before, language), options.earlier_share
            )
            for language, own in samples.items()
        }
        of_both = {language: fit(fitted(sample, language)) for language, sample in samples.items()}
        card["calibration"]["averaged"] = {"earlier_share": options.earlier_share} | {
            language: {"bears": each.bears.to_json(), "side": each.side.to_json()} for language, each in of_both.items()
        }
    options.card.write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", "utf-8")
    print(card["thresholds"], card["calibration"])
    for language, sample in samples.items():
        report(sample, language, chosen)
        report_thresholds(sample, language)


if __name__ == "__main__":
    main()
