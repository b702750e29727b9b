"""Writes the stance training rows (with mined neutrals) and the held-out rows.

python prepare_stance.py NLI_FOLDER OUT_FOLDER
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import neutrals
from release import open_rows
from rows import split_held_out, write_rows

SKIPPED = frozenset({"med_monotonicity"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nli", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    train, held = split_held_out(row for row in open_rows(options.nli) if row.source not in SKIPPED)
    mined = neutrals.mine(train, options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    write_rows(options.out / "train.jsonl.gz", train + mined)
    write_rows(options.out / "held.jsonl.gz", held)
    print("train", len(train), "mined", len(mined), Counter(row.label for row in train + mined))
    print("held", Counter((row.source, row.label) for row in held))


if __name__ == "__main__":
    main()
