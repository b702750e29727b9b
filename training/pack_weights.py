"""Weights as int8 with one scale a row, a quarter of float32, for carrying them to another machine; and back.

python pack_weights.py pack weights.safetensors weights.npz
python pack_weights.py unpack weights.npz weights.safetensors
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from graph import quantise_rows


def pack(source: Path, out: Path) -> None:
    arrays: dict[str, np.ndarray] = {}
    for name, value in load_file(source).items():
        if value.ndim == 2:
            arrays[name], arrays[f"{name}:scale"] = quantise_rows(value.astype(np.float32), 127)
        else:
            arrays[name] = value.astype(np.float16)
    np.savez(out, **arrays)


def unpack(source: Path, out: Path) -> None:
    arrays = np.load(source)
    names = [name for name in arrays.files if not name.endswith(":scale")]
    save_file({name: restored(arrays, name) for name in names}, out)


def restored(arrays: np.lib.npyio.NpzFile, name: str) -> np.ndarray:
    scale = arrays[f"{name}:scale"] if f"{name}:scale" in arrays.files else None
    value = arrays[name].astype(np.float32)
    return (value if scale is None else value * scale[:, None]).astype(np.float16)


if __name__ == "__main__":
    {"pack": pack, "unpack": unpack}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
