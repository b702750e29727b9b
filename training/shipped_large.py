"""Takes the weights of the shipped large reader back out of its graph, to train on from what ships.

python shipped_large.py MODEL.onnx reader.safetensors rows_of_ids.npy
int8 weights are multiplied by their scales; the few channels that are kept in float are put back in their places.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import save_file

from mpnet import BUCKETS, FIRST_PLACE, bucket_of
from shipped_weights import named

LINEARS = ("attention.attn.o", "intermediate.dense", "output.dense")
NORMS = ("attention.LayerNorm", "output.LayerNorm")
PLACES = 512


class Graph:
    """The constants of a graph, and its nodes by what they give."""

    def __init__(self, path: Path) -> None:
        graph = onnx.load(path).graph
        self.nodes = list(graph.node)
        self.values = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
        self.giving = {name: node for node in self.nodes for name in node.output}
        self.taking: dict[str, list[onnx.NodeProto]] = {}
        for node in self.nodes:
            for name in node.input:
                self.taking.setdefault(name, []).append(node)

    def of(self, kind: str) -> list[onnx.NodeProto]:
        return [node for node in self.nodes if node.op_type == kind]

    def linear(self, node: onnx.NodeProto) -> tuple[np.ndarray, np.ndarray]:
        """Weight (out, in) and bias of a quantised product, its float channels included."""
        weight = self.values[node.input[1]].astype(np.float32) * self.values[node.input[2]]
        for added in self.taking.get(node.output[0], []):
            others = [name for name in added.input if name != node.output[0]] if added.op_type == "Add" else []
            product = self.giving.get(others[0]) if others else None
            if product is not None and product.op_type == "MatMul":
                channels = self.values[self.giving[product.input[0]].input[1]]
                weight[channels] = self.values[product.input[1]]
        return weight.T, self.values[node.input[4]]


def relative_bias(by_distance: np.ndarray) -> np.ndarray:
    """The table by buckets, out of the one by distance that the graph holds."""
    buckets = bucket_of(PLACES).numpy()
    found = np.zeros((BUCKETS, len(by_distance)), np.float32)
    for distance in range(-PLACES + 1, PLACES):
        row, column = (0, distance) if distance >= 0 else (-distance, 0)
        found[buckets[row, column]] = by_distance[:, distance + PLACES - 1]
    return found


def body_weights(graph: Graph) -> dict[str, np.ndarray]:
    gathers = [graph.values[n.input[0]] for n in graph.of("Gather") if n.input[0] in graph.values]
    _, words, scales, by_distance = gathers[:4]
    places = next(graph.values[n.input[0]] for n in graph.of("Slice") if n.input[0] in graph.values)
    norm = graph.of("LayerNormalization")[0]
    found = {
        "embeddings.word_embeddings.weight": words.astype(np.float32) * scales,
        "embeddings.position_embeddings.weight": np.concatenate([np.zeros((FIRST_PLACE, places.shape[1])), places]),
        "encoder.relative_attention_bias.weight": relative_bias(by_distance),
        **named("embeddings.LayerNorm", *(graph.values[name] for name in norm.input[1:3])),
    }
    norms = [[graph.values[name] for name in n.input[2:4]] for n in graph.of("SkipLayerNormalization")]
    linears = [graph.linear(node) for node in graph.of("DynamicQuantizeMatMul")]
    for layer in range(len(linears) // 4):
        prefix = f"encoder.layer.{layer}."
        joint, *others = linears[4 * layer : 4 * layer + 4]
        for part, weight, bias in zip("qkv", np.split(joint[0], 3), np.split(joint[1], 3), strict=True):
            found |= named(f"{prefix}attention.attn.{part}", weight, bias)
        for name, pair in zip(LINEARS, others, strict=True):
            found |= named(prefix + name, *pair)
        for name, pair in zip(NORMS, norms[2 * layer : 2 * layer + 2], strict=True):
            found |= named(prefix + name, *pair)
    return found


def head_weights(graph: Graph) -> dict[str, np.ndarray]:
    """The two layers behind the body: the last products with a constant, each with the sum behind it."""
    products = [node for node in graph.of("MatMul") if node.input[1] in graph.values][-2:]
    found: dict[str, np.ndarray] = {}
    for name, node in zip(("inner", "outer"), products, strict=True):
        added = next(each for each in graph.taking[node.output[0]] if each.op_type == "Add")
        bias = next(graph.values[each] for each in added.input if each in graph.values)
        found |= named(name, graph.values[node.input[1]].T, bias)
    return found


def main() -> None:
    graph = Graph(Path(sys.argv[1]))
    parts = {"body": body_weights(graph), "head": head_weights(graph)}
    every = {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}
    save_file(
        {name: np.ascontiguousarray(value, np.float32).astype(np.float16) for name, value in every.items()}, sys.argv[2]
    )
    np.save(sys.argv[3], next(graph.values[n.input[0]] for n in graph.of("Gather")).astype(np.int64))


if __name__ == "__main__":
    main()
