"""The mean of teachers' chances for rows, out of their answers; a teacher of one language is left out elsewhere.

python average_chances.py ROWS.jsonl.gz OUT.npy TEACHER.npy [en:TEACHER.npy ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch

from objectives import log_chances
from rows import read_rows


def main() -> None:
    languages = np.array([row.lang for row in read_rows(Path(sys.argv[1]))])
    total, weight = np.zeros((len(languages), 3)), np.zeros((len(languages), 1))
    for argument in sys.argv[3:]:
        only, _, path = argument.rpartition(":")
        asked = (languages == only) if only else np.ones(len(languages), bool)
        answers = torch.from_numpy(np.load(path).astype(np.float32))
        total[asked] += log_chances(answers).exp().numpy()[asked]
        weight[asked] += 1
    np.save(sys.argv[2], (total / weight).astype(np.float16))


if __name__ == "__main__":
    main()
