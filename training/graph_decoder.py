"""The graph of a decoder as a reader: causal attention with rotary places, and two answers from the last token."""

from __future__ import annotations

import numpy as np
import onnx

from decoder import Shape
from graph import CONTRIB, GraphWriter, finish, part_of

LONGEST = 512


def decoder(weights: dict[str, np.ndarray], shape: Shape, int8: bool, limit: int) -> onnx.ModelProto:
    writer = GraphWriter(int8, limit)
    body = part_of(weights, "body.")
    x = writer.embedding("input_ids", body["token_embd.weight"])
    turn = rotary(writer, shape)
    h = writer.node("SimplifiedLayerNormalization", x, writer.constant(body["blk.0.attn_norm"]), epsilon=shape.epsilon)
    for index in range(shape.layers):
        own = part_of(body, f"blk.{index}.")
        x, h = skip_norm(writer, attention(writer, h, own, shape, turn), x, own["ffn_norm"], shape)
        after = body[f"blk.{index + 1}.attn_norm"] if index + 1 < shape.layers else body["output_norm"]
        x, h = skip_norm(writer, feed_forward(writer, h, own, shape), x, after, shape)
    last = writer.node("Gather", h, writer.constant(np.array(-1, np.int64)), axis=1)
    answers = writer.plain_linear(last, weights["head.weight"], weights["head.bias"])
    return finish(writer, "decoder", "answers", answers, 2, ("input_ids",))


def rotary(writer: GraphWriter, shape: Shape) -> tuple[str, str, str]:
    """The places of the tokens, and tables of cosines and sines."""
    speed = shape.theta ** (-np.arange(0, shape.head, 2) / shape.head)
    angle = np.arange(LONGEST)[:, None] * speed
    tables = (writer.constant(each.astype(np.float32)) for each in (np.cos(angle), np.sin(angle)))
    steps = writer.constant(np.arange(LONGEST, dtype=np.int64)[None])
    zero, one = writer.constant(np.array([0], np.int64)), writer.constant(np.array([1], np.int64))
    return writer.node("Slice", steps, zero, writer.length(), one), *tables


def skip_norm(writer: GraphWriter, x: str, skip: str, gamma: np.ndarray, shape: Shape) -> tuple[str, str]:
    """The sum of both, and it normalised."""
    total = writer.node("Add", x, skip)
    return total, writer.node("SimplifiedLayerNormalization", total, writer.constant(gamma), epsilon=shape.epsilon)


def attention(writer: GraphWriter, h: str, own: dict[str, np.ndarray], shape: Shape, turn: tuple[str, str, str]) -> str:
    names = ("attn_q", "attn_k", "attn_v")
    joint = writer.linear(
        h,
        np.concatenate([own[f"{name}.weight"] for name in names]),
        np.concatenate([own[f"{name}.bias"] for name in names]),
    )
    narrow = shape.key_heads * shape.head
    query, key, value = writer.split(joint, [shape.width, narrow, narrow])
    query, key = (writer.node("RotaryEmbedding", each, *turn, domain=CONTRIB) for each in (query, key))
    key, value = (repeated(writer, each, shape) for each in (key, value))
    context = writer.node(
        "MultiHeadAttention", query, key, value, domain=CONTRIB, num_heads=shape.heads, unidirectional=1
    )
    return writer.linear(context, own["attn_output.weight"])


def repeated(writer: GraphWriter, x: str, shape: Shape) -> str:
    """Each of the few heads as often as queries share it."""
    times = shape.heads // shape.key_heads
    apart = writer.node("Reshape", x, writer.constant(np.array([0, 0, shape.key_heads, 1, shape.head], np.int64)))
    tiled = writer.node("Tile", apart, writer.constant(np.array([1, 1, 1, times, 1], np.int64)))
    return writer.node("Reshape", tiled, writer.constant(np.array([0, 0, shape.width], np.int64)))


def feed_forward(writer: GraphWriter, h: str, own: dict[str, np.ndarray], shape: Shape) -> str:
    both = writer.linear(h, np.concatenate([own["ffn_gate.weight"], own["ffn_up.weight"]]))
    gate, up = writer.split(both, [shape.inner, shape.inner])
    gated = writer.node("Mul", writer.node("QuickGelu", gate, domain=CONTRIB, alpha=1.0), up)
    return writer.block_linear(gated, own["ffn_down.weight"])
