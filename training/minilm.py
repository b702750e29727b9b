"""MiniLM-L6 (a small BERT) in torch, with parameter names equal to those of the published weights."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import gelu, normalize, scaled_dot_product_attention

WIDTH, INNER, HEADS, LAYERS, POSITIONS = 384, 1536, 12, 6, 512
EPSILON = 1e-12


class Embeddings(nn.Module):
    """Words, positions and segments, summed and normalised."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocabulary, WIDTH)
        self.position_embeddings = nn.Embedding(POSITIONS, WIDTH)
        self.token_type_embeddings = nn.Embedding(2, WIDTH)
        self.LayerNorm = nn.LayerNorm(WIDTH, eps=EPSILON)

    def forward(self, ids: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
        places = self.position_embeddings.weight[: ids.shape[1]]
        return self.LayerNorm(self.word_embeddings(ids) + places + self.token_type_embeddings(segments))


class Layer(nn.Module):
    """One post-norm transformer layer."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        projections = {name: nn.Linear(WIDTH, WIDTH) for name in ("query", "key", "value")}
        self.attention = nn.ModuleDict({"self": nn.ModuleDict(projections), "output": block(WIDTH)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(WIDTH, INNER)})
        self.output = block(INNER)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        inside, out = self.attention["self"], self.attention["output"]
        query, key, value = (split_heads(inside[name](x)) for name in ("query", "key", "value"))
        context = scaled_dot_product_attention(query, key, value, attn_mask=mask)
        context = context.transpose(1, 2).flatten(2)
        x = out["LayerNorm"](x + self.dropout(out["dense"](context)))
        wide = gelu(self.intermediate["dense"](x))
        return self.output["LayerNorm"](x + self.dropout(self.output["dense"](wide)))


def block(width_in: int) -> nn.ModuleDict:
    return nn.ModuleDict({"dense": nn.Linear(width_in, WIDTH), "LayerNorm": nn.LayerNorm(WIDTH, eps=EPSILON)})


def split_heads(x: torch.Tensor) -> torch.Tensor:
    return x.unflatten(2, (HEADS, WIDTH // HEADS)).transpose(1, 2)


class Encoder(nn.Module):
    """Token states; `pooled` gives the sentence embedding of all-MiniLM-L6-v2."""

    def __init__(self, vocabulary: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.embeddings = Embeddings(vocabulary)
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer(dropout) for _ in range(LAYERS))})
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
        x = self.dropout(self.embeddings(ids, segments))
        visible = mask[:, None, None, :].bool()
        for layer in self.encoder["layer"]:
            x = layer(x, visible)
        return x

    def pooled(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return normalize(masked_mean(self(ids, mask, torch.zeros_like(ids)), mask).float(), dim=1)


def masked_mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    weight = mask.unsqueeze(-1).to(states.dtype)
    return (states * weight).sum(1) / weight.sum(1)


def load_weights(model: nn.Module, path: Path) -> None:
    """Loads what the file has; only the head may be missing and only the pooler and position ids unused."""
    found = {name: value.float() for name, value in load_file(path).items() if value.is_floating_point()}
    missing, unused = model.load_state_dict(found, strict=False)
    strangers = [name for name in missing if not name.startswith("head.")]
    strangers += [name for name in unused if not name.startswith("pooler.")]
    if strangers:
        raise ValueError(f"{path} does not fit the model: {strangers}")
