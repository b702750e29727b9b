"""Writes a trained adapter as the arrays that the product reads beside the prepared model, and reads one back.

python adapter_npz.py adapter.safetensors adapter.npz --layers 22 --scale 2
python adapter_npz.py adapter.npz adapter.safetensors
`--layers` is the depth whose answers serve; what lies beyond is left out. The scale of the training, alpha by rank,
goes into the second matrix, and out of it again where an adapter is read back to be trained on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

ANSWERS = "answers"


def write(weights: dict[str, np.ndarray], out: Path, layers: int, scale: float) -> None:
    """`body.blk.0.attn_q.lora_a` in training is `blk.0.attn_q.a`, and `answers.22` is `answers`."""
    found = {ANSWERS: weights[f"{ANSWERS}.{layers}"].astype(np.float32)}
    for name, values in weights.items():
        if not name.startswith("body.blk.") or int(name.split(".")[2]) >= layers:
            continue
        place, _, half = name.removeprefix("body.").rpartition(".lora_")
        factor = scale if half == "b" else 1.0
        found[f"{place}.{half}"] = (values.astype(np.float32) * factor).astype(np.float16)
    np.savez(out, **found)


def read(source: Path, scale: float) -> dict[str, np.ndarray]:
    """The weights by their names in training, the answers as those of the last layer."""
    with np.load(source, allow_pickle=False) as arrays:
        found = {name: arrays[name] for name in arrays.files}
    layers = 1 + max(int(name.split(".")[1]) for name in found if name != ANSWERS)
    weights = {f"{ANSWERS}.{layers}": found.pop(ANSWERS).astype(np.float16)}
    for name, values in found.items():
        place, _, half = name.rpartition(".")
        factor = scale if half == "b" else 1.0
        weights[f"body.{place}.lora_{half}"] = (values.astype(np.float32) / factor).astype(np.float16)
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--layers", type=int, default=22)
    parser.add_argument("--scale", type=float, default=2, help="alpha by rank of the training")
    options = parser.parse_args()
    if options.weights.suffix == ".npz":
        save_file(read(options.weights, options.scale), options.out)
    else:
        write(load_file(options.weights), options.out, options.layers, options.scale)


if __name__ == "__main__":
    main()
