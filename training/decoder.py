"""Qwen2.5 in torch, out of its GGUF file: the teachers' body and the writer of texts.

A compact file holds the quantised bytes of what is needed: the layers asked for and the embedding rows of a pruned
vocabulary. It is a third smaller to carry to another machine, and is read back here.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import gguf
import numpy as np
import torch
from safetensors import safe_open
from safetensors.numpy import save_file
from torch import nn
from torch.nn.functional import rms_norm, scaled_dot_product_attention, silu


@dataclass(frozen=True)
class Shape:
    """The sizes of a decoder."""

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


class Layer(nn.Module):
    """One pre-norm layer with grouped queries; queries, keys and values have biases."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        narrow = shape.key_heads * shape.head
        self.attn_norm = nn.Parameter(torch.ones(shape.width))
        self.ffn_norm = nn.Parameter(torch.ones(shape.width))
        self.attn_q = nn.Linear(shape.width, shape.width)
        self.attn_k = nn.Linear(shape.width, narrow)
        self.attn_v = nn.Linear(shape.width, narrow)
        self.attn_output = nn.Linear(shape.width, shape.width, bias=False)
        self.ffn_gate = nn.Linear(shape.width, shape.inner, bias=False)
        self.ffn_up = nn.Linear(shape.width, shape.inner, bias=False)
        self.ffn_down = nn.Linear(shape.inner, shape.width, bias=False)

    def project(self, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Rotated queries and keys, and values, as [batch, heads, tokens, head]."""
        h = rms_norm(x, (self.shape.width,), self.attn_norm.to(x.dtype), self.shape.epsilon)
        query, key, value = (
            layer(h).unflatten(2, (-1, self.shape.head)).transpose(1, 2)
            for layer in (self.attn_q, self.attn_k, self.attn_v)
        )
        return rotate(query, turn), rotate(key, turn), value

    def finish(self, x: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        x = x + self.attn_output(context.transpose(1, 2).flatten(2))
        h = rms_norm(x, (self.shape.width,), self.ffn_norm.to(x.dtype), self.shape.epsilon)
        return x + self.ffn_down(silu(self.ffn_gate(h)) * self.ffn_up(h))

    def forward(
        self, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor], attention: torch.Tensor | None = None
    ) -> torch.Tensor:
        query, key, value = self.project(x, turn)
        if attention is None:
            return self.finish(x, scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True))
        times = self.shape.heads // self.shape.key_heads  # the kernel that takes a mask wants a key for each query
        key, value = (each.repeat_interleave(times, 1) for each in (key, value))
        wanted = attention.to(query.dtype).expand(-1, self.shape.heads, -1, -1)
        return self.finish(x, scaled_dot_product_attention(query, key, value, attn_mask=wanted))


class Decoder(nn.Module):
    """Token states. Attention is causal, so padding on the right needs no mask; another attention may be given, with
    the places that tokens count from."""

    def __init__(self, shape: Shape, vocabulary: int) -> None:
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(vocabulary, shape.width)
        self.blk = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.output_norm = nn.Parameter(torch.ones(shape.width))

    def forward(
        self, ids: torch.Tensor, places: torch.Tensor | None = None, attention: torch.Tensor | None = None
    ) -> torch.Tensor:
        return self.normed(self.states(ids, places, attention, (self.shape.layers,))[0])

    def states(
        self,
        ids: torch.Tensor,
        places: torch.Tensor | None,
        attention: torch.Tensor | None,
        exits: tuple[int, ...],
    ) -> list[torch.Tensor]:
        """What comes out of the layers counted by `exits`, before the final norm."""
        x = self.token_embd(ids)
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.get_autocast_dtype(x.device.type))
        where = torch.arange(ids.shape[1], device=ids.device) if places is None else places[:, None]
        turn = turns(self.shape, where, x.dtype)
        found = []
        for number, layer in enumerate(self.blk, 1):
            x = layer(x, turn, attention)
            if number in exits:
                found.append(x)
        return found

    def normed(self, x: torch.Tensor) -> torch.Tensor:
        return rms_norm(x, (self.shape.width,), self.output_norm.to(x.dtype), self.shape.epsilon)


def turns(shape: Shape, places: torch.Tensor, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosine and sine of the rotary angles at each place."""
    speed = shape.theta ** (-torch.arange(0, shape.head, 2, device=places.device).float() / shape.head)
    angle = places.float()[..., None] * speed
    angle = torch.cat([angle, angle], -1)
    return angle.cos().to(dtype), angle.sin().to(dtype)


def rotate(x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    cosine, sine = turn
    left, right = x.chunk(2, -1)
    return x * cosine.to(x.dtype) + torch.cat([-right, left], -1) * sine.to(x.dtype)


def shape_of(reader: gguf.GGUFReader, layers: int) -> Shape:
    def value(name: str) -> float:
        return reader.fields[f"qwen2.{name}"].contents()

    return Shape(
        width=int(value("embedding_length")),
        inner=int(value("feed_forward_length")),
        layers=layers or int(value("block_count")),
        heads=int(value("attention.head_count")),
        key_heads=int(value("attention.head_count_kv")),
        theta=float(value("rope.freq_base")),
        epsilon=float(value("attention.layer_norm_rms_epsilon")),
    )


OUTPUT_TABLE, INPUT_TABLE = "output.weight", "token_embd.weight"


def write_compact(source: Path, kept_rows: np.ndarray, out: Path, layers: int = 0, table: str = OUTPUT_TABLE) -> None:
    """The first `layers` layers (all by default) and the kept embedding rows, still quantised.

    The input and output embeddings are one table, stored twice; the output's copy has more bits, the input's is what
    the published model reads.
    """
    reader = gguf.GGUFReader(source)
    shape = shape_of(reader, layers)
    tensors = {each.name: each for each in reader.tensors}
    wanted = [table, "output_norm.weight"]
    wanted += [name for name in tensors if name.startswith("blk.") and not is_beyond(name, shape.layers)]
    kept = {name: np.ascontiguousarray(tensors[name].data) for name in wanted}
    kept[table] = np.ascontiguousarray(kept[table][kept_rows])
    kinds = {name: tensors[name].tensor_type.name for name in wanted}
    save_file(kept, out, metadata={"shape": json.dumps(asdict(shape)), "kinds": json.dumps(kinds)})


def load_compact(path: Path, layers: int = 0) -> Decoder:
    """The model of a compact file, in float32; its first `layers` layers, or all."""
    with safe_open(path, "np") as file:
        notes = file.metadata()
        shape, kinds = Shape(**json.loads(notes["shape"])), json.loads(notes["kinds"])
        if layers:
            shape = replace(shape, layers=layers)
            kinds = {name: kind for name, kind in kinds.items() if not is_beyond(name, layers)}
        arrays = {name: dequantised(file.get_tensor(name), kind) for name, kind in kinds.items()}
    if OUTPUT_TABLE in arrays:
        arrays[INPUT_TABLE] = arrays.pop(OUTPUT_TABLE)
    model = Decoder(shape, len(arrays[INPUT_TABLE]))
    names = {name: name if name in arrays else f"{name}.weight" for name in model.state_dict()}
    model.load_state_dict({name: arrays[stored] for name, stored in names.items()})
    return model


def is_beyond(name: str, layers: int) -> bool:
    """Whether a tensor belongs to a layer that is left out."""
    return name.startswith("blk.") and int(name.split(".")[1]) >= layers


def dequantised(data: np.ndarray, kind: str) -> torch.Tensor:
    values = gguf.quants.dequantize(data, gguf.GGMLQuantizationType[kind])
    return torch.from_numpy(values.astype(np.float32))
