"""Graphs of the two encoders: MiniLM (embedder and small reader) and mpnet (large reader)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import onnx
from onnx import TensorProto

from graph import CONTRIB, GraphWriter, finish, part_of, pooled_answers, pooled_embedding
from mpnet import FIRST_PLACE, bucket_of

HEADS = 12
MINILM_EPSILON, MPNET_EPSILON = 1e-12, 1e-5
LONGEST = 512
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def minilm(
    weights: dict[str, np.ndarray], rows_of_ids: np.ndarray, head: str, int8: bool, limit: int
) -> onnx.ModelProto:
    """`head` is "embedding" (weights of the body alone) or "answers" (weights of a reader)."""
    writer = GraphWriter(int8, limit)
    body = weights if head == "embedding" else part_of(weights, "body.")
    rows = writer.node("Gather", writer.constant(rows_of_ids.astype(np.int32)), "input_ids")
    words = writer.embedding(rows, body["embeddings.word_embeddings.weight"])
    kinds = writer.node("Gather", writer.constant(body["embeddings.token_type_embeddings.weight"]), "token_type_ids")
    places = first_rows(writer, body["embeddings.position_embeddings.weight"])
    x = normalise(
        writer, writer.node("Add", words, places), kinds, part_of(body, "embeddings.LayerNorm."), MINILM_EPSILON
    )
    names = {"qkv": "attention.self.{}", "o": "attention.output.dense", "norm": "attention.output.LayerNorm."}
    x = layers(writer, body, x, names, ("query", "key", "value"), "", MINILM_EPSILON)
    if head == "embedding":
        return finish(writer, "minilm", "embedding", pooled_embedding(writer, x), 384, INPUTS)
    return finish(writer, "minilm", "answers", pooled_answers(writer, x, part_of(weights, "head.")), 2, INPUTS)


def mpnet(
    weights: dict[str, np.ndarray], rows_of_ids: np.ndarray, largest: Mapping[str, np.ndarray], int8: bool, limit: int
) -> onnx.ModelProto:
    """`largest` are the sizes that the linear layers' inputs reach (activations.py)."""
    writer = GraphWriter(int8, limit)
    body = part_of(weights, "body.")
    rows = writer.node("Gather", writer.constant(rows_of_ids.astype(np.int32)), "input_ids")
    words = writer.embedding(rows, body["embeddings.word_embeddings.weight"])
    places = first_rows(writer, body["embeddings.position_embeddings.weight"][FIRST_PLACE:])
    norm = part_of(body, "embeddings.LayerNorm.")
    added = writer.node("Add", words, places)
    x = writer.node(
        "LayerNormalization",
        added,
        writer.constant(norm["weight"]),
        writer.constant(norm["bias"]),
        epsilon=MPNET_EPSILON,
    )
    bias = relative_bias(writer, body["encoder.relative_attention_bias.weight"])
    names = {"qkv": "attention.attn.{}", "o": "attention.attn.o", "norm": "attention.LayerNorm."}
    x = layers(writer, body, x, names, ("q", "k", "v"), bias, MPNET_EPSILON, largest)
    return finish(writer, "mpnet", "answers", pooled_answers(writer, x, part_of(weights, "head.")), 2, INPUTS[:2])


def first_rows(writer: GraphWriter, table: np.ndarray) -> str:
    """As many rows of a table as there are tokens."""
    zero = writer.constant(np.array([0], np.int64))
    return writer.node("Slice", writer.constant(table), zero, writer.length(), zero)


def relative_bias(writer: GraphWriter, table: np.ndarray) -> str:
    """What each head adds to a score for how far apart two places are: [1, heads, tokens, tokens]."""
    distances = bucket_of(LONGEST).numpy()
    by_distance = np.concatenate([distances[:0:-1, 0], distances[0]])  # key minus query, from -511 to 511
    values = writer.constant(table[by_distance].T.astype(np.float32))
    scalar = writer.node("Squeeze", writer.length())
    steps = writer.node("Range", writer.constant(np.array(0, np.int64)), scalar, writer.constant(np.array(1, np.int64)))
    across = writer.node("Unsqueeze", steps, writer.constant(np.array([0], np.int64)))
    down = writer.node("Unsqueeze", steps, writer.constant(np.array([1], np.int64)))
    apart = writer.node("Add", writer.node("Sub", across, down), writer.constant(np.array(LONGEST - 1, np.int64)))
    return writer.node(
        "Unsqueeze", writer.node("Gather", values, apart, axis=1), writer.constant(np.array([0], np.int64))
    )


def layers(
    writer: GraphWriter,
    body: dict[str, np.ndarray],
    x: str,
    names: dict[str, str],
    parts: tuple[str, ...],
    bias: str,
    epsilon: float,
    largest: Mapping[str, np.ndarray] = MappingProxyType({}),
) -> str:
    mask = writer.node("Cast", "attention_mask", to=TensorProto.INT32)
    count = 1 + max(int(key.split(".")[2]) for key in body if key.startswith("encoder.layer."))
    for index in range(count):
        own = part_of(body, f"encoder.layer.{index}.")
        joint = writer.linear(
            x,
            np.concatenate([own[f"{names['qkv'].format(part)}.weight"] for part in parts]),
            np.concatenate([own[f"{names['qkv'].format(part)}.bias"] for part in parts]),
            largest.get(f"{index}.qkv"),
        )
        width = len(own["output.dense.bias"])
        split = writer.split(joint, [width] * 3)
        context = writer.node("MultiHeadAttention", *split, "", mask, bias, domain=CONTRIB, num_heads=HEADS)
        out = dense(writer, context, own, names["o"], largest.get(f"{index}.o"))
        attended = normalise(writer, out, x, part_of(own, names["norm"]), epsilon)
        wide = dense(writer, attended, own, "intermediate.dense", largest.get(f"{index}.intermediate.dense"))
        active = writer.node("Gelu", wide, domain=CONTRIB)
        narrow = dense(writer, active, own, "output.dense", largest.get(f"{index}.output.dense"))
        x = normalise(writer, narrow, attended, part_of(own, "output.LayerNorm."), epsilon)
    return x


def dense(writer: GraphWriter, x: str, own: dict[str, np.ndarray], name: str, largest: np.ndarray | None = None) -> str:
    return writer.linear(x, own[f"{name}.weight"], own[f"{name}.bias"], largest)


def normalise(writer: GraphWriter, x: str, skip: str, norm: dict[str, np.ndarray], epsilon: float) -> str:
    gamma, beta = writer.constant(norm["weight"]), writer.constant(norm["bias"])
    return writer.node("SkipLayerNormalization", x, skip, gamma, beta, domain=CONTRIB, epsilon=epsilon)
