"""Measures a stance model folder per source and keeps its logits for calibration.

python evaluate_stance.py --model FOLDER --rows eval.jsonl.gz --logits logits.npz
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import measures
from judge import Judge
from rows import LABELS, read_rows


def report(sources: np.ndarray, gold: np.ndarray, probabilities: np.ndarray) -> None:
    print(f"{'source':20} {'n':>5} {'acc':>5} {'F1':>5} {'N->C':>5} {'brier':>6} {'ece':>5}")
    for source in dict.fromkeys(sources):
        mine = sources == source
        guess, truth = probabilities[mine].argmax(1), gold[mine]
        print(
            f"{source:20} {mine.sum():5d} {np.mean(guess == truth):5.3f} {measures.macro_f1(truth, guess):5.3f}"
            f" {measures.false_refute_rate(truth, guess):5.3f} {measures.brier(truth, probabilities[mine]):6.3f}"
            f" {measures.expected_calibration_error(truth, probabilities[mine]):5.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "rows", "logits"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--source", action="append", help="measure only these sources")
    options = parser.parse_args()
    rows = [row for row in read_rows(options.rows) if not options.source or row.source in options.source]
    started = time.monotonic()
    logits = Judge(options.model).logits(rows)
    print(f"{len(rows) / (time.monotonic() - started):.0f} pairs a second")
    sources, gold = np.array([row.source for row in rows]), np.array([LABELS.index(row.label) for row in rows])
    languages = np.array([row.lang for row in rows])
    np.savez(options.logits, logits=logits, gold=gold, sources=sources, languages=languages)
    report(sources, gold, measures.softmax(logits))


if __name__ == "__main__":
    main()
