"""Writes the rows that models are measured on: unseen sources and the held-out part of the open ones.

python prepare_evaluation.py --nli FOLDER --held held.jsonl.gz --out eval.jsonl.gz
"""

from __future__ import annotations

import argparse
from pathlib import Path

from release import read_release, to_row
from rows import LABELS, Row, read_rows, write_rows

UNSEEN = (
    ("dev_en", "healthver"),
    ("dev_en", "covidfact"),
    ("dev_en", "citation_integrity"),
    ("dev_en", "anli_r1"),
    ("train_en", "scifact"),
    ("dev_ja", "jsnli"),
)


def unseen_rows(folder: Path) -> list[Row]:
    """Rows of sources that no weights were trained on."""
    found = []
    for name in sorted({name for name, _ in UNSEEN}):
        sources = {source for part, source in UNSEEN if part == name}
        found += [to_row(each) for each in read_release(folder / f"{name}.jsonl.zst") if each["source"] in sources]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("nli", "held", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    rows = unseen_rows(options.nli) + read_rows(options.held)
    write_rows(options.out, [row for row in rows if row.label and row.label in LABELS])


if __name__ == "__main__":
    main()
