"""The graph of a Qwen2 decoder with weights in four bits and an adapter in floats, for ONNX Runtime.

Rows are tokens. What was read before, such as the beginning of every prompt, comes in as keys and values (`past`), and
what is read now goes out in the same form (`present`). Who may look at whom is the caller's: `bias` is added to the
scores. Of the last layer only what the answers need is worked out.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.ml.four_bit import BLOCK
from lyra.ml.graph_writer import CONTRIB, FLOAT, INT64, UINT8, GraphWriter, value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ANSWERS = 3
BIASED = ("attn_q", "attn_k", "attn_v")
NORMS = ("attn_norm", "ffn_norm")
_BITS = 4
_IN_WHOLE_NUMBERS = 4  # MatMulNBits' accuracy_level: rows are multiplied in eight bits
_SKIP_NORM_OUTPUTS = 4


@dataclass(frozen=True, slots=True)
class DecoderShape:
    """The sizes of a decoder, as its GGUF file names them."""

    width: int
    inner: int
    layers: int
    heads: int
    key_heads: int
    theta: float
    epsilon: float

    @property
    def head(self) -> int:
        return self.width // self.heads

    @property
    def linears(self) -> dict[str, tuple[int, int]]:
        """Outputs and inputs of each linear part of a layer."""
        narrow = self.key_heads * self.head
        return {
            "attn_q": (self.width, self.width),
            "attn_k": (narrow, self.width),
            "attn_v": (narrow, self.width),
            "attn_output": (self.width, self.width),
            "ffn_gate": (self.inner, self.width),
            "ffn_up": (self.inner, self.width),
            "ffn_down": (self.width, self.inner),
        }


def decoder_graph(shape: DecoderShape, ranks: Mapping[str, int], answers: "NDArray[np.float32]", places: int) -> bytes:
    """A graph to which the model's weights are given by name (`weights_of`) when it is loaded.

    What the adapter changes comes in with every run, for ONNX Runtime would keep two copies of it: of each part in
    `ranks`, such as `blk.0.attn_q`, two matrices, `.a` [in, rank] and `.b` [rank, out]. `answers` are the rows of the
    answers, and places are counted below `places`.
    """
    return _Decoder(shape, ranks, places).graph(answers)


def weights_of(shape: DecoderShape) -> dict[str, tuple[int, ...]]:
    """The names and forms of all weights that the graph is given."""
    forms: dict[str, tuple[int, ...]] = {}
    for layer in range(shape.layers):
        for part, (rows, columns) in shape.linears.items():
            forms |= four_bit_forms(f"blk.{layer}.{part}", rows, columns)
            if part in BIASED:
                forms[f"blk.{layer}.{part}.bias"] = (rows,)
        forms |= {f"blk.{layer}.{name}": (shape.width,) for name in NORMS}
    return forms


def four_bit_forms(name: str, rows: int, columns: int) -> dict[str, tuple[int, ...]]:
    """Of a matrix in four bits, as MatMulNBits takes it."""
    blocks = columns // BLOCK
    return {
        f"{name}.values": (rows, blocks, BLOCK // 2),
        f"{name}.scales": (rows * blocks,),
        f"{name}.zeros": (rows * ((blocks + 1) // 2),),
    }


class _Decoder:
    def __init__(self, shape: DecoderShape, ranks: Mapping[str, int], places: int) -> None:
        self._shape, self._ranks = shape, ranks
        self._out = GraphWriter()
        cosine, sine = _turns(shape, places)
        self._turns = (self._out.floats(cosine), self._out.floats(sine))
        self._present: list[str] = []

    def graph(self, answers: "NDArray[np.float32]") -> bytes:
        shape, out = self._shape, self._out
        one = out.whole(0)
        self._places = out.node("Unsqueeze", "places", one)
        x = out.node("Unsqueeze", "embeds", one)
        for layer in range(shape.layers):
            x = self._layer(layer, x, is_last=layer == shape.layers - 1)
        normed = self._norm(x, out.floats(_ones(shape.width)))
        last = out.node("Squeeze", normed, one)
        out.rename(out.node("Gemm", last, out.floats(answers), transB=1), "answers")
        out.rename(out.node("Concat", *self._present, axis=0), "present")
        kept: tuple[str | int, ...] = (shape.layers, 2, shape.key_heads)
        return out.model(
            [
                value("embeds", FLOAT, ("S", shape.width)),
                value("places", INT64, ("S",)),
                value("bias", FLOAT, ("S", "T")),
                value("past", FLOAT, (*kept, "P", shape.head)),
                value("ends", INT64, ("E",)),
                *self._changes(),
            ],
            [value("answers", FLOAT, ("E", ANSWERS)), value("present", FLOAT, (*kept, "S", shape.head))],
        )

    def _changes(self) -> Iterator[bytes]:
        for name, rank in self._ranks.items():
            rows, columns = self._shape.linears[name.rpartition(".")[2]]
            yield value(f"{name}.a", FLOAT, (columns, rank))
            yield value(f"{name}.b", FLOAT, (rank, rows))

    def _layer(self, layer: int, x: str, *, is_last: bool) -> str:
        out, block = self._out, f"blk.{layer}"
        h = self._norm(x, self._given_floats(f"{block}.attn_norm", self._shape.width))
        key = self._turned(self._linear(f"{block}.attn_k", h), self._places)
        keys, values = self._remembered(layer, key, self._linear(f"{block}.attn_v", h))
        bias, places = "bias", self._places
        if is_last:
            x, h, places = (out.node("Gather", one, "ends", axis=1) for one in (x, h, places))
            bias = out.node("Gather", "bias", "ends", axis=0)
        query = self._turned(self._linear(f"{block}.attn_q", h), places)
        met = self._linear(f"{block}.attn_output", self._attended(query, keys, values, bias))
        x = out.node("Add", x, met)
        h = self._norm(x, self._given_floats(f"{block}.ffn_norm", self._shape.width))
        gate = out.node("QuickGelu", self._linear(f"{block}.ffn_gate", h), domain=CONTRIB, alpha=1.0)
        inner = out.node("Mul", gate, self._linear(f"{block}.ffn_up", h))
        return out.node("Add", x, self._linear(f"{block}.ffn_down", inner))

    def _norm(self, x: str, weight: str) -> str:
        return self._out.node("SimplifiedLayerNormalization", x, weight, axis=-1, epsilon=self._shape.epsilon)

    def _linear(self, name: str, x: str) -> str:
        """In whole numbers, and what the adapter adds in floats."""
        out, part = self._out, name.rpartition(".")[2]
        rows, columns = self._shape.linears[part]
        kinds = {"values": UINT8, "scales": FLOAT, "zeros": UINT8}
        forms = four_bit_forms(name, rows, columns)
        given = [out.given(one, kinds[one.rpartition(".")[2]], form) for one, form in forms.items()]
        sizes = {"K": columns, "N": rows, "bits": _BITS, "block_size": BLOCK, "accuracy_level": _IN_WHOLE_NUMBERS}
        y = out.node("MatMulNBits", x, *given, domain=CONTRIB, **sizes)
        if part in BIASED:
            y = out.node("Add", y, self._given_floats(f"{name}.bias", rows))
        if name in self._ranks:
            y = out.node("Add", y, out.node("MatMul", out.node("MatMul", x, f"{name}.a"), f"{name}.b"))
        return y

    def _turned(self, x: str, places: str) -> str:
        return self._out.node("RotaryEmbedding", x, places, *self._turns, domain=CONTRIB)

    def _remembered(self, layer: int, key: str, value: str) -> tuple[str, str]:
        """Keys and values of a layer by head, those of before in front."""
        out, shape = self._out, self._shape
        by_head = out.whole(-1, shape.key_heads, shape.head)
        now = [out.node("Transpose", out.node("Reshape", one, by_head), perm=(1, 0, 2)) for one in (key, value)]
        two = out.node("Concat", *(out.node("Unsqueeze", one, out.whole(0)) for one in now), axis=0)
        self._present.append(out.node("Unsqueeze", two, out.whole(0)))
        before = out.node("Squeeze", out.node("Gather", "past", out.whole(layer), axis=0), out.whole(0))
        both = out.node("Concat", before, two, axis=2)
        keys, values = out.nodes("Split", (both, out.whole(1, 1)), 2, axis=0)
        return out.node("Squeeze", keys, out.whole(0)), out.node("Squeeze", values, out.whole(0))

    def _attended(self, query: str, keys: str, values: str, bias: str) -> str:
        """What each row takes from those it may look at; several heads of queries share a head of keys."""
        out, shape = self._out, self._shape
        sharing = shape.heads // shape.key_heads
        split = out.node("Reshape", query, out.whole(-1, shape.key_heads, sharing, shape.head))
        turned = out.node("Transpose", split, perm=(1, 2, 0, 3))
        asked = out.node("Reshape", turned, out.whole(shape.key_heads, -1, shape.head))
        scores = out.node("FusedMatMul", asked, keys, domain=CONTRIB, transB=1, alpha=1 / math.sqrt(shape.head))
        each = out.node("Add", out.node("Reshape", scores, out.whole(shape.heads, -1, 0)), bias)
        shares = out.node("Reshape", out.node("Softmax", each, axis=-1), out.whole(shape.key_heads, -1, 0))
        taken = out.node("MatMul", shares, values)
        apart = out.node("Reshape", taken, out.whole(shape.key_heads, sharing, -1, shape.head))
        return out.node("Reshape", out.node("Transpose", apart, perm=(2, 0, 1, 3)), out.whole(1, -1, shape.width))

    def _given_floats(self, name: str, size: int) -> str:
        return self._out.given(name, FLOAT, (size,))


def _turns(shape: DecoderShape, places: int) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
    """Cosine and sine of the rotary angles at each place."""
    import numpy as np

    speed = shape.theta ** (-np.arange(0, shape.head, 2, dtype=np.float64) / shape.head)
    angle = np.arange(places, dtype=np.float64)[:, None] * speed
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def _ones(size: int) -> "NDArray[np.float32]":
    import numpy as np

    return np.ones(size, np.float32)
