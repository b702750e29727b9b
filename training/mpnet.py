"""all-mpnet-base-v2 in torch, with parameter names equal to those of the published weights."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn.functional import gelu, normalize, scaled_dot_product_attention

from minilm import masked_mean

WIDTH, INNER, HEADS, LAYERS, POSITIONS = 768, 3072, 12, 12, 514
BUCKETS, FARTHEST = 32, 128
EPSILON = 1e-5
FIRST_PLACE = 2  # places are counted from behind the padding's


class Embeddings(nn.Module):
    """Words and positions, summed and normalised."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocabulary, WIDTH)
        self.position_embeddings = nn.Embedding(POSITIONS, WIDTH)
        self.LayerNorm = nn.LayerNorm(WIDTH, eps=EPSILON)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        places = self.position_embeddings.weight[FIRST_PLACE : FIRST_PLACE + ids.shape[1]]
        return self.LayerNorm(self.word_embeddings(ids) + places)


class Layer(nn.Module):
    """One post-norm layer; `bias` holds the relative places and hides the padding."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        projections = {name: nn.Linear(WIDTH, WIDTH) for name in "qkvo"}
        norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.attention = nn.ModuleDict({"attn": nn.ModuleDict(projections), "LayerNorm": norm})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(WIDTH, INNER)})
        self.output = nn.ModuleDict({"dense": nn.Linear(INNER, WIDTH), "LayerNorm": nn.LayerNorm(WIDTH, eps=EPSILON)})
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        inside = self.attention["attn"]
        query, key, value = (inside[name](x).unflatten(2, (HEADS, -1)).transpose(1, 2) for name in "qkv")
        context = scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        context = inside["o"](context.transpose(1, 2).flatten(2))
        x = self.attention["LayerNorm"](x + self.dropout(context))
        wide = gelu(self.intermediate["dense"](x))
        return self.output["LayerNorm"](x + self.dropout(self.output["dense"](wide)))


class Mpnet(nn.Module):
    """Token states; `pooled` gives the sentence embedding of all-mpnet-base-v2."""

    def __init__(self, vocabulary: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.embeddings = Embeddings(vocabulary)
        layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.encoder = nn.ModuleDict({"layer": layers, "relative_attention_bias": nn.Embedding(BUCKETS, HEADS)})
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.dropout(self.embeddings(ids))
        buckets = bucket_of(ids.shape[1]).to(ids.device)
        places = self.encoder["relative_attention_bias"](buckets).permute(2, 0, 1)[None]
        bias = places.masked_fill(~mask[:, None, None, :].bool(), -1e9)
        for layer in self.encoder["layer"]:
            x = layer(x, bias)
        return x

    def pooled(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return normalize(masked_mean(self(ids, mask), mask).float(), dim=1)


def bucket_of(length: int) -> torch.Tensor:
    """The bucket of each pair of places: exact up to 8 apart, then in growing steps, each direction its own half."""
    place = torch.arange(length)
    apart = -(place[None, :] - place[:, None])
    half, exact = BUCKETS // 2, BUCKETS // 4
    side = (apart < 0).long() * half
    apart = apart.abs()
    steps = torch.log(apart.float().clamp(min=1) / exact) / math.log(FARTHEST / exact) * (half - exact)
    far = (exact + steps.long()).clamp(max=half - 1)
    return side + torch.where(apart < exact, apart, far)
