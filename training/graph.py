"""ONNX graphs of the bundled models, in float or int8: the embedder and the two readers.

Graphs are written node by node, without a tracer, on ONNX Runtime's own fused operators. In int8 every linear layer
has one scale per output channel and every embedding row its own scale; activations are quantised at run time;
normalisation, attention and the heads stay in float.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CONTRIB = "com.microsoft"
FAR_OUT = 1.5


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

    def split(self, x: str, sizes: list[int]) -> list[str]:
        """Parts along the last of three axes."""
        outputs = [f"{x}_{place}" for place in range(len(sizes))]
        sized = self.constant(np.array(sizes, np.int64))
        self.nodes.append(helper.make_node("Split", [x, sized], outputs, axis=2))
        return outputs

    def plain_linear(self, x: str, weight: np.ndarray, bias: np.ndarray) -> str:
        """In float, whatever the rest is in."""
        return self.node("Add", self.node("MatMul", x, self.constant(weight.T)), self.constant(bias))

    def linear(self, x: str, weight: np.ndarray, bias: np.ndarray, largest: np.ndarray | None = None) -> str:
        """`weight` is laid out as torch does: one row per output channel. `largest` are the sizes that the input's
        channels reach: the few that stand far out are multiplied in float, so that the others keep their digits."""
        if not self.int8:
            return self.plain_linear(x, weight, bias)
        far = far_out(largest) if largest is not None else np.zeros(0, np.int64)
        if not len(far):
            return self.quantised_linear(x, weight, bias)
        left = np.ones(weight.shape[1], np.float32)
        left[far] = 0
        others = self.quantised_linear(self.node("Mul", x, self.constant(left)), weight * left, bias)
        picked = self.node("Gather", x, self.constant(far), axis=2)
        return self.node("Add", others, self.node("MatMul", picked, self.constant(weight[:, far].T)))

    def quantised_linear(self, x: str, weight: np.ndarray, bias: np.ndarray) -> str:
        rows, scale = quantise_rows(weight, self.weight_limit)
        inputs = [x, self.constant(rows.T), self.constant(scale), "", self.constant(bias)]
        return self.node("DynamicQuantizeMatMul", *inputs, domain=CONTRIB)

    def embedding(self, ids: str, table: np.ndarray) -> str:
        if not self.int8:
            return self.node("Gather", self.constant(table), ids)
        rows, scale = quantise_rows(table, self.weight_limit)
        values = self.node("Cast", self.node("Gather", self.constant(rows), ids), to=TensorProto.FLOAT)
        return self.node("Mul", values, self.node("Gather", self.constant(scale[:, None]), ids))

    def length(self) -> str:
        """The number of tokens, as a list of one."""
        zero = self.constant(np.array([1], np.int64))
        return self.node("Slice", self.node("Shape", "input_ids"), zero, self.constant(np.array([2], np.int64)))


def far_out(largest: np.ndarray) -> np.ndarray:
    """The channels that grow half as large again as 99 in 100 do."""
    return np.flatnonzero(largest > FAR_OUT * np.quantile(largest, 0.99))


def quantise_rows(matrix: np.ndarray, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """Symmetric int8 with one scale per row; `limit` 63 avoids 16-bit saturation on processors without VNNI."""
    scale = np.maximum(np.abs(matrix).max(axis=1), 1e-8) / limit
    rows = np.clip(np.rint(matrix / scale[:, None]), -limit, limit)
    return rows.astype(np.int8), scale.astype(np.float32)


def part_of(weights: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    return {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}


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
    length = writer.node("ReduceL2", mean, writer.constant(np.array([1], np.int64)), keepdims=1)
    return writer.node("Div", mean, length)


def pooled_answers(writer: GraphWriter, hidden: str, weights: dict[str, np.ndarray]) -> str:
    """Mean of the token states plus the first one, then two linear layers to the two answers."""
    first = writer.node("Gather", hidden, writer.constant(np.array(0, np.int64)), axis=1)
    pooled = writer.node("Add", masked_mean(writer, hidden), first)
    inner = writer.node("Tanh", writer.plain_linear(pooled, weights["inner.weight"], weights["inner.bias"]))
    return writer.plain_linear(inner, weights["outer.weight"], weights["outer.bias"])


def finish(
    writer: GraphWriter, name: str, output: str, result: str, width: int, inputs: tuple[str, ...]
) -> onnx.ModelProto:
    """The model whose last node is called `output`."""
    writer.nodes.append(helper.make_node("Identity", [result], [output]))
    given = [helper.make_tensor_value_info(each, TensorProto.INT64, ["batch", "tokens"]) for each in inputs]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", width])]
    graph = helper.make_graph(writer.nodes, name, given, outputs, writer.constants)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="lyra")
