"""Writes a trained model as the folder that the product loads: int8 graph, tokenizer, card.

python export.py --kind small --weights reader.safetensors --tokenizer tokenizer.json --rows-of-ids rows_of_ids.npy
    --card cards/small.json --out FOLDER
Kinds: `embedder` and `small` (MiniLM), `large` (mpnet).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from safetensors.numpy import load_file
from tokenizers import Tokenizer

import graph_encoders
from package import write_model

WEIGHT_LIMIT = 63
KINDS = ("embedder", "small", "large")


def model_graph(options: argparse.Namespace, int8: bool = True) -> onnx.ModelProto:
    """The ONNX model of a weights file."""
    arrays = {name: value.astype(np.float32) for name, value in load_file(options.weights).items()}
    rows_of_ids = np.load(options.rows_of_ids)
    if options.kind == "large":
        return graph_encoders.mpnet(arrays, rows_of_ids, np.load(options.activations), int8, WEIGHT_LIMIT)
    head = "embedding" if options.kind == "embedder" else "answers"
    return graph_encoders.minilm(arrays, rows_of_ids, head, int8, WEIGHT_LIMIT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=KINDS, required=True)
    for name in ("weights", "tokenizer", "rows-of-ids", "card", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--activations", type=Path, help="of the large reader, from activations.py")
    options = parser.parse_args()
    card = json.loads(options.card.read_text("utf-8"))
    write_model(options.out, model_graph(options), Tokenizer.from_file(str(options.tokenizer)), card)


if __name__ == "__main__":
    main()
