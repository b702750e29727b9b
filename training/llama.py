"""SmolLM2-135M in torch, read from its GGUF file: the teacher's body and the writer of unlabelled text."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import torch
from torch import nn
from torch.nn.functional import rms_norm, scaled_dot_product_attention, silu

WIDTH, INNER, LAYERS, HEADS, KEY_HEADS, HEAD = 576, 1536, 30, 9, 3, 64
ROPE_THETA = 100_000.0
EPSILON = 1e-5


class Layer(nn.Module):
    """One pre-norm layer with grouped queries."""

    def __init__(self) -> None:
        super().__init__()
        self.attn_norm = nn.Parameter(torch.ones(WIDTH))
        self.ffn_norm = nn.Parameter(torch.ones(WIDTH))
        self.attn_q = nn.Linear(WIDTH, HEADS * HEAD, bias=False)
        self.attn_k = nn.Linear(WIDTH, KEY_HEADS * HEAD, bias=False)
        self.attn_v = nn.Linear(WIDTH, KEY_HEADS * HEAD, bias=False)
        self.attn_output = nn.Linear(WIDTH, WIDTH, bias=False)
        self.ffn_gate = nn.Linear(WIDTH, INNER, bias=False)
        self.ffn_up = nn.Linear(WIDTH, INNER, bias=False)
        self.ffn_down = nn.Linear(INNER, WIDTH, bias=False)

    def project(self, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Rotated queries and keys, and values, as [batch, heads, tokens, head]."""
        h = rms_norm(x, (WIDTH,), self.attn_norm, EPSILON)
        query, key, value = (
            layer(h).unflatten(2, (-1, HEAD)).transpose(1, 2) for layer in (self.attn_q, self.attn_k, self.attn_v)
        )
        return rotate(query, turn), rotate(key, turn), value

    def finish(self, x: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        x = x + self.attn_output(context.transpose(1, 2).flatten(2))
        h = rms_norm(x, (WIDTH,), self.ffn_norm, EPSILON)
        return x + self.ffn_down(silu(self.ffn_gate(h)) * self.ffn_up(h))

    def forward(self, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        query, key, value = self.project(x, turn)
        key, value = (each.repeat_interleave(HEADS // KEY_HEADS, 1) for each in (key, value))
        return self.finish(x, scaled_dot_product_attention(query, key, value, is_causal=True))


class Llama(nn.Module):
    """Token states. Attention is causal, so padding on the right needs no mask."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.token_embd = nn.Embedding(vocabulary, WIDTH)
        self.blk = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.output_norm = nn.Parameter(torch.ones(WIDTH))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.token_embd(ids)
        turn = turns(torch.arange(ids.shape[1], device=ids.device), x.dtype)
        for layer in self.blk:
            x = layer(x, turn)
        return rms_norm(x, (WIDTH,), self.output_norm, EPSILON)


def turns(places: torch.Tensor, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosine and sine of the rotary angles at each place."""
    speed = ROPE_THETA ** (-torch.arange(0, HEAD, 2, device=places.device).float() / HEAD)
    angle = places.float()[..., None] * speed
    angle = torch.cat([angle, angle], -1)
    return angle.cos().to(dtype), angle.sin().to(dtype)


def rotate(x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    cosine, sine = turn
    left, right = x.chunk(2, -1)
    return x * cosine.to(x.dtype) + torch.cat([-right, left], -1) * sine.to(x.dtype)


def load_gguf(path: Path) -> Llama:
    """The model in float32; GGUF interleaves the rows of queries and keys for its own rotary layout."""
    tensors = {each.name: dequantise(each) for each in gguf.GGUFReader(path).tensors}
    model = Llama(len(tensors["token_embd.weight"]))
    state = {}
    for name in model.state_dict():
        source = name if name in tensors else f"{name}.weight"
        value = tensors[source]
        if ".attn_q." in name:
            value = straighten(value, HEADS)
        elif ".attn_k." in name:
            value = straighten(value, KEY_HEADS)
        state[name] = value
    model.load_state_dict(state)
    return model


def dequantise(tensor: gguf.ReaderTensor) -> torch.Tensor:
    return torch.from_numpy(gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32))


def straighten(weight: torch.Tensor, heads: int) -> torch.Tensor:
    parts = weight.reshape(heads, weight.shape[0] // heads // 2, 2, weight.shape[1])
    return parts.swapaxes(1, 2).reshape(weight.shape)
