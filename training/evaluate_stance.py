"""Measures a reader's folder per source and keeps its answers for calibration.

python evaluate_stance.py --model FOLDER --rows eval.jsonl.gz --rows written_held.jsonl.gz --answers answers.npz
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from judge import Judge
from rows import LABELS, read_rows
from train_reader import report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "answers"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--rows", type=Path, action="append", required=True)
    parser.add_argument("--source", action="append", help="measure only these sources")
    options = parser.parse_args()
    judge = Judge(options.model)
    rows = [row for path in options.rows for row in read_rows(path)]
    rows = [row for row in rows if row.label and row.label in LABELS and (row.lang in judge.card["languages"])]
    rows = [row for row in rows if not options.source or row.source in options.source]
    started = time.monotonic()
    answers = judge.answers(rows)
    print(f"{len(rows) / (time.monotonic() - started):.0f} pairs a second")
    sources, gold = np.array([row.source for row in rows]), np.array([LABELS.index(row.label) for row in rows])
    np.savez(
        options.answers, answers=answers, gold=gold, sources=sources, languages=np.array([row.lang for row in rows])
    )
    report(rows, answers)


if __name__ == "__main__":
    main()
