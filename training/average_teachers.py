"""Averages the probabilities of several teachers.

python average_teachers.py mean.npy first.npy second.npy
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("teachers", type=Path, nargs="+")
    options = parser.parse_args()
    np.save(options.out, np.mean([np.load(path).astype(np.float32) for path in options.teachers], axis=0))


if __name__ == "__main__":
    main()
