"""Takes the weights of a shipped MiniLM graph back out of it, to train on from what ships.

python shipped_weights.py MODEL.onnx weights.safetensors rows_of_ids.npy
int8 rows are multiplied by their scales: what comes out is what the shipped model computes with.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import save_file

LINEARS = ("attention.output.dense", "intermediate.dense", "output.dense")
NORMS = ("attention.output.LayerNorm", "output.LayerNorm")


def body_weights(path: Path) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Parameters under their published names, and the embedding row of each token id."""
    graph = onnx.load(path).graph
    values = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    gathers = [values[n.input[0]] for n in graph.node if n.op_type == "Gather" and n.input[0] in values]
    rows_of_ids, words, scales, kinds = gathers[:4]
    found = {
        "embeddings.word_embeddings.weight": words.astype(np.float32) * scales,
        "embeddings.token_type_embeddings.weight": kinds,
        "embeddings.position_embeddings.weight": next(
            values[n.input[0]] for n in graph.node if n.op_type == "Slice" and n.input[0] in values
        ),
    }
    norms = [[values[name] for name in n.input[2:4]] for n in graph.node if n.op_type == "SkipLayerNormalization"]
    linears = [
        (values[n.input[1]].T.astype(np.float32) * values[n.input[2]][:, None], values[n.input[4]])
        for n in graph.node
        if n.op_type == "DynamicQuantizeMatMul"
    ]
    found |= named("embeddings.LayerNorm", *norms[0])
    for layer in range(len(linears) // 4):
        prefix = f"encoder.layer.{layer}."
        joint, *others = linears[4 * layer : 4 * layer + 4]
        for part, weight, bias in zip(
            ("query", "key", "value"), np.split(joint[0], 3), np.split(joint[1], 3), strict=True
        ):
            found |= named(f"{prefix}attention.self.{part}", weight, bias)
        for name, (weight, bias) in zip(LINEARS, others, strict=True):
            found |= named(prefix + name, weight, bias)
        for name, pair in zip(NORMS, norms[1 + 2 * layer : 3 + 2 * layer], strict=True):
            found |= named(prefix + name, *pair)
    return found, rows_of_ids.astype(np.int64)


def named(name: str, weight: np.ndarray, bias: np.ndarray) -> dict[str, np.ndarray]:
    return {f"{name}.weight": np.ascontiguousarray(weight), f"{name}.bias": np.ascontiguousarray(bias)}


def main() -> None:
    weights, rows_of_ids = body_weights(Path(sys.argv[1]))
    save_file(weights, sys.argv[2])
    np.save(sys.argv[3], rows_of_ids)


if __name__ == "__main__":
    main()
