"""Writes a trained model as the folder that the product loads: int8 graph, tokenizer, card.

python export.py --weights student.safetensors --kind stance --tokenizer tokenizer.json --rows-of-ids rows_of_ids.npy
    --card card.json --out FOLDER
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from safetensors.numpy import load_file
from tokenizers import Tokenizer

import graph
from package import write_model

WEIGHT_LIMIT = 63
HEADS = {"embedder": "embedding", "stance": "stance"}


def model_graph(weights: Path, rows_of_ids: Path, kind: str, int8: bool = True) -> onnx.ModelProto:
    """The ONNX model of a weights file."""
    arrays = {name: value.astype(np.float32) for name, value in load_file(weights).items()}
    return graph.build(arrays, np.load(rows_of_ids), HEADS[kind], int8, WEIGHT_LIMIT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=tuple(HEADS), required=True)
    for name in ("weights", "tokenizer", "rows-of-ids", "card", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    card = json.loads(options.card.read_text("utf-8"))
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    write_model(options.out, model_graph(options.weights, options.rows_of_ids, options.kind), tokenizer, card)


if __name__ == "__main__":
    main()
