"""Averages the weights of models that began from the same ones, in equal parts or in the given shares.

python average_weights.py mean.safetensors first.safetensors second.safetensors --shares 0.67 0.33
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--shares", type=float, nargs="*")
    options = parser.parse_args()
    models = [load_file(path) for path in options.models]
    means = {
        name: np.average([each[name].astype(np.float32) for each in models], axis=0, weights=options.shares)
        for name in models[0]
    }
    save_file({name: value.astype(np.float16) for name, value in means.items()}, options.out)


if __name__ == "__main__":
    main()
