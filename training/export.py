"""Writes a trained model as the folder that the product loads: int8 graph, tokenizer, card.

python export.py --kind small --weights reader.safetensors --tokenizer tokenizer.json --rows-of-ids rows_of_ids.npy
    --card cards/small.json --out FOLDER
Kinds: `embedder` and `small` (MiniLM), `large` (mpnet), which need --rows-of-ids; `japanese` (a decoder, needs --compact,
of which only the shape is read).
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
from safetensors import safe_open
from safetensors.numpy import load_file
from tokenizers import Tokenizer

import graph_decoder
import graph_encoders
from decoder import Shape
from package import write_model

WEIGHT_LIMIT = 63
KINDS = ("embedder", "small", "large", "japanese")


def model_graph(options: argparse.Namespace, int8: bool = True) -> onnx.ModelProto:
    """The ONNX model of a weights file."""
    arrays = {name: value.astype(np.float32) for name, value in load_file(options.weights).items()}
    if options.kind == "large":
        return graph_encoders.mpnet(
            arrays, np.load(options.rows_of_ids), np.load(options.activations), int8, WEIGHT_LIMIT
        )
    if options.kind == "japanese":
        return graph_decoder.decoder(arrays, shape_of(arrays, options.compact), int8, WEIGHT_LIMIT)
    head = "embedding" if options.kind == "embedder" else "answers"
    return graph_encoders.minilm(arrays, np.load(options.rows_of_ids), head, int8, WEIGHT_LIMIT)


def shape_of(arrays: dict[str, np.ndarray], compact: Path) -> Shape:
    """The shape of the model that training began from, with the layers that the trained one has."""
    with safe_open(compact, "np") as file:
        shape = Shape(**json.loads(file.metadata()["shape"]))
    return replace(shape, layers=1 + max(int(name.split(".")[2]) for name in arrays if name.startswith("body.blk.")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=KINDS, required=True)
    for name in ("weights", "tokenizer", "card", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--rows-of-ids", type=Path)
    parser.add_argument("--activations", type=Path, help="of the large reader, from activations.py")
    parser.add_argument("--compact", type=Path)
    options = parser.parse_args()
    card = json.loads(options.card.read_text("utf-8"))
    write_model(options.out, model_graph(options), Tokenizer.from_file(str(options.tokenizer)), card)


if __name__ == "__main__":
    main()
