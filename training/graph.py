"""ONNX graphs of a MiniLM encoder with a pooling or a stance head, in float or int8.

The graph is written node by node, without a tracer, on ONNX Runtime's own fused operators. In int8 every linear
layer has one scale per output channel and every embedding row its own scale; activations are quantised at run time;
normalisation, attention and the heads stay in float.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CONTRIB = "com.microsoft"
HEADS = 12
EPSILON = 1e-12


@dataclass
class GraphWriter:
    """Collects nodes and constants and names their outputs."""

    int8: bool
    weight_limit: int = 127
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)

    def constant(self, array: np.ndarray) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def node(self, operator: str, *inputs: str, domain: str = "", **attributes) -> str:
        output = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def linear(self, x: str, weight: np.ndarray, bias: np.ndarray) -> str:
        """`weight` is laid out as torch does: one row per output channel."""
        if not self.int8:
            product = self.node("MatMul", x, self.constant(weight.T))
            return self.node("Add", product, self.constant(bias))
        rows, scale = quantise_rows(weight, self.weight_limit)
        return self.node(
            "DynamicQuantizeMatMul",
            x,
            self.constant(rows.T),
            self.constant(scale),
            "",
            self.constant(bias),
            domain=CONTRIB,
        )

    def embedding(self, ids: str, table: np.ndarray) -> str:
        if not self.int8:
            return self.node("Gather", self.constant(table), ids)
        rows, scale = quantise_rows(table, 127)
        values = self.node("Cast", self.node("Gather", self.constant(rows), ids), to=TensorProto.FLOAT)
        return self.node("Mul", values, self.node("Gather", self.constant(scale[:, None]), ids))

    def normalise(self, x: str, skip: str, gamma: np.ndarray, beta: np.ndarray) -> str:
        return self.node(
            "SkipLayerNormalization",
            x,
            skip,
            self.constant(gamma),
            self.constant(beta),
            domain=CONTRIB,
            epsilon=EPSILON,
        )


def quantise_rows(matrix: np.ndarray, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """Symmetric int8 with one scale per row; `limit` 63 avoids 16-bit saturation on processors without VNNI."""
    scale = np.maximum(np.abs(matrix).max(axis=1), 1e-8) / limit
    rows = np.clip(np.rint(matrix / scale[:, None]), -limit, limit)
    return rows.astype(np.int8), scale.astype(np.float32)


def build(
    weights: dict[str, np.ndarray], rows_of_ids: np.ndarray, head: str, int8: bool, weight_limit: int = 127
) -> onnx.ModelProto:
    """The whole model: `head` is "embedding" (L2-normalised mean) or "stance" (three logits)."""
    writer = GraphWriter(int8, weight_limit)
    rows = writer.node("Gather", writer.constant(rows_of_ids.astype(np.int32)), "input_ids")
    hidden = encoder(writer, weights, rows)
    output = pooled_embedding(writer, hidden) if head == "embedding" else stance_logits(writer, hidden, weights)
    name, width = ("embedding", 384) if head == "embedding" else ("logits", 3)
    writer.nodes.append(helper.make_node("Identity", [output], [name]))
    axes = ["batch", "tokens"]
    inputs = [
        helper.make_tensor_value_info(each, TensorProto.INT64, axes)
        for each in ("input_ids", "attention_mask", "token_type_ids")
    ]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", width])]
    graph = helper.make_graph(writer.nodes, "minilm", inputs, outputs, writer.constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="lyra")


def encoder(writer: GraphWriter, weights: dict[str, np.ndarray], rows: str) -> str:
    """Token states after the last layer."""
    x = embeddings(writer, weights, rows)
    mask = writer.node("Cast", "attention_mask", to=TensorProto.INT32)
    layers = 1 + max(int(key.split(".")[2]) for key in weights if key.startswith("encoder.layer."))
    for index in range(layers):
        prefix = f"encoder.layer.{index}."
        x = layer(writer, {k.removeprefix(prefix): v for k, v in weights.items() if k.startswith(prefix)}, x, mask)
    return x


def embeddings(writer: GraphWriter, weights: dict[str, np.ndarray], rows: str) -> str:
    words = writer.embedding(rows, weights["embeddings.word_embeddings.weight"])
    kinds = writer.node("Gather", writer.constant(weights["embeddings.token_type_embeddings.weight"]), "token_type_ids")
    zero, one, two = (writer.constant(np.array([value], np.int64)) for value in (0, 1, 2))
    length = writer.node("Slice", writer.node("Shape", "input_ids"), one, two)
    table = writer.constant(weights["embeddings.position_embeddings.weight"])
    places = writer.node("Slice", table, zero, length, zero)
    return writer.normalise(
        writer.node("Add", words, places),
        kinds,
        weights["embeddings.LayerNorm.weight"],
        weights["embeddings.LayerNorm.bias"],
    )


def layer(writer: GraphWriter, weights: dict[str, np.ndarray], x: str, mask: str) -> str:
    names = [f"attention.self.{part}" for part in ("query", "key", "value")]
    joint = writer.linear(
        x,
        np.concatenate([weights[f"{name}.weight"] for name in names]),
        np.concatenate([weights[f"{name}.bias"] for name in names]),
    )
    split = [f"{joint}_{part}" for part in "qkv"]
    writer.nodes.append(helper.make_node("Split", [joint], split, axis=2))
    context = writer.node("MultiHeadAttention", *split, "", mask, domain=CONTRIB, num_heads=HEADS)
    attended = writer.normalise(
        writer.linear(context, weights["attention.output.dense.weight"], weights["attention.output.dense.bias"]),
        x,
        weights["attention.output.LayerNorm.weight"],
        weights["attention.output.LayerNorm.bias"],
    )
    wide = writer.linear(attended, weights["intermediate.dense.weight"], weights["intermediate.dense.bias"])
    narrow = writer.linear(
        writer.node("Gelu", wide, domain=CONTRIB), weights["output.dense.weight"], weights["output.dense.bias"]
    )
    return writer.normalise(narrow, attended, weights["output.LayerNorm.weight"], weights["output.LayerNorm.bias"])


def masked_mean(writer: GraphWriter, hidden: str) -> str:
    mask = writer.node("Cast", "attention_mask", to=TensorProto.FLOAT)
    axis = writer.constant(np.array([1], np.int64))
    weighted = writer.node("Mul", hidden, writer.node("Unsqueeze", mask, writer.constant(np.array([2], np.int64))))
    return writer.node(
        "Div",
        writer.node("ReduceSum", weighted, axis, keepdims=0),
        writer.node("ReduceSum", mask, axis, keepdims=1),
    )


def pooled_embedding(writer: GraphWriter, hidden: str) -> str:
    mean = masked_mean(writer, hidden)
    length = writer.node("ReduceL2", mean, axes=[1], keepdims=1)
    return writer.node("Div", mean, length)


def stance_logits(writer: GraphWriter, hidden: str, weights: dict[str, np.ndarray]) -> str:
    first = writer.node("Gather", hidden, writer.constant(np.array(0, np.int64)), axis=1)
    pooled = writer.node("Add", masked_mean(writer, hidden), first)
    inner = writer.node("MatMul", pooled, writer.constant(weights["head.0.weight"].T))
    inner = writer.node("Tanh", writer.node("Add", inner, writer.constant(weights["head.0.bias"])))
    logits = writer.node("MatMul", inner, writer.constant(weights["head.1.weight"].T))
    return writer.node("Add", logits, writer.constant(weights["head.1.bias"]))
