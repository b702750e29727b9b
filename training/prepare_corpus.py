"""Writes the written corpus as training rows and as held-out rows.

python prepare_corpus.py CORPUS OUT_FOLDER
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from corpus import held_out_rows, read_groups, read_worlds, rows_of_worlds, training_rows
from rows import write_rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    groups = read_groups(options.corpus)
    train, held = training_rows(groups, options.seed), held_out_rows(groups)
    write_rows(options.out / "written.jsonl.gz", train)
    write_rows(options.out / "written_held.jsonl.gz", held)
    worlds = read_worlds(options.corpus)
    for name, held_out in (("pages", False), ("pages_held", True)):
        write_rows(options.out / f"{name}.jsonl.gz", rows_of_worlds(worlds, held_out=held_out))
    print(len(groups), "groups;", Counter((row.lang, row.label) for row in train), Counter(row.lang for row in held))


if __name__ == "__main__":
    main()
