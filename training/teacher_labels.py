"""Writes the kept labels of the teacher as rows and chances, as train_reader.py reads them.

python teacher_labels.py teacher/labels.jsonl.gz rows.jsonl.gz chances.npy
`teacher/labels.jsonl.gz` holds 93,404 pairs of our own texts (the written corpus paired anew, and passages that
Qwen2.5-Coder-1.5B-Instruct wrote on its subjects) with the teacher's chances of E, C and N, so that readers can be
trained without training the teacher again. `teacher/claims.jsonl.gz` holds 76,380 more, by a later teacher: claims that
the same model wrote about our own texts, and written claims turned by rule (write_claims.py).
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import numpy as np

from rows import Row, write_rows


def read_labels(path: Path) -> tuple[list[Row], np.ndarray]:
    """Rows without a label, and beside each the teacher's chances."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    rows = [Row(each["premise"], each["hypothesis"], "", each["source"], each["lang"]) for each in found]
    return rows, np.array([each["chances"] for each in found], np.float16)


def main() -> None:
    rows, chances = read_labels(Path(sys.argv[1]))
    write_rows(Path(sys.argv[2]), rows)
    np.save(sys.argv[3], chances)


if __name__ == "__main__":
    main()
