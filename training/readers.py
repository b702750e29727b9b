"""The readers that are trained: a body, how it reads a pair, and a head with two answers (bears, side)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn

from decoder import Decoder, load_compact
from encoding import encode
from minilm import Encoder, masked_mean
from mpnet import Mpnet
from rows import Row

ANSWERS = 2
DROPOUT = 0.1


class PooledHead(nn.Module):
    """Mean of the token states plus the first one, then two linear layers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner, self.outer, self.dropout = nn.Linear(width, width), nn.Linear(width, ANSWERS), nn.Dropout(DROPOUT)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        pooled = masked_mean(states, mask) + states[:, 0]
        return self.outer(self.dropout(torch.tanh(self.inner(pooled))))


class SmallReader(nn.Module):
    """The bilingual MiniLM as a cross-encoder."""

    separator = 102
    multiple = 8

    def __init__(self, tokenizer: Path, rows_of_ids: Path, max_tokens: int = 256) -> None:
        super().__init__()
        self._tokenizer, self._max = Tokenizer.from_file(str(tokenizer)), max_tokens
        self._rows = np.load(rows_of_ids)
        self.body = Encoder(int(self._rows.max()) + 1, DROPOUT)
        self.head = PooledHead(384)

    def encode(self, rows: list[Row]) -> list[list[int]]:
        return [self._rows[ids].tolist() for ids in encode(self._tokenizer, rows, self._max)]

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        ends = (ids == self.separator).long()
        segments = (ends.cumsum(1) - ends).clamp(max=1) * mask
        return self.head(self.body(ids, mask, segments), mask)


class LargeReader(nn.Module):
    """mpnet with the small reader's tokens, as a cross-encoder."""

    multiple = 8

    def __init__(self, tokenizer: Path, rows_of_ids: Path, max_tokens: int = 320) -> None:
        super().__init__()
        self._tokenizer, self._max = Tokenizer.from_file(str(tokenizer)), max_tokens
        self._rows = np.load(rows_of_ids)
        self.body = Mpnet(int(self._rows.max()) + 1, DROPOUT)
        self.head = PooledHead(768)

    def encode(self, rows: list[Row]) -> list[list[int]]:
        return [self._rows[ids].tolist() for ids in encode(self._tokenizer, rows, self._max)]

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(ids, mask), mask)


class DecoderReader(nn.Module):
    """Qwen with a linear head on the last token. `echo` reads the claim before the evidence and once more after it."""

    multiple = 16
    premise_tokens, claim_tokens = 288, 96

    def __init__(self, tokenizer: Path, body: Decoder, style: str) -> None:
        super().__init__()
        self._tokenizer, self._style = Tokenizer.from_file(str(tokenizer)), style
        self._tokenizer.no_truncation()
        self.body = body
        self.body.token_embd.requires_grad_(False)
        self.head = nn.Linear(body.shape.width, ANSWERS)
        nn.init.normal_(self.head.weight, std=0.01)
        nn.init.zeros_(self.head.bias)

    def encode(self, rows: list[Row]) -> list[list[int]]:
        def ids(texts: list[str]) -> list[list[int]]:
            return [each.ids for each in self._tokenizer.encode_batch(texts, add_special_tokens=False)]

        premises = [each[: self.premise_tokens] for each in ids([row.premise for row in rows])]
        claims = [each[: self.claim_tokens] for each in ids([row.hypothesis for row in rows])]
        claim, text, again, end = ids(["Claim: ", "\nText: ", "\nClaim: ", "\nRelation:"])
        if self._style == "echo":
            return [claim + c + text + p + again + c + end for p, c in zip(premises, claims, strict=True)]
        return [claim + c + text + p + end for p, c in zip(premises, claims, strict=True)]

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.body(ids)
        last = mask.sum(1) - 1
        return self.head(states[torch.arange(len(states), device=states.device), last])


def load_published(
    reader: nn.Module, path: Path, ignored: tuple[str, ...] = ("pooler.", "embeddings.position_ids")
) -> None:
    """The body's published weights; position ids and the pooler are not needed."""
    found = {name: value.float() for name, value in load_file(path).items() if value.is_floating_point()}
    missing, unused = reader.body.load_state_dict(found, strict=False)
    strangers = [*missing, *(name for name in unused if not name.startswith(ignored))]
    if strangers:
        raise ValueError(f"{path} does not fit the reader: {strangers}")


def make_reader(
    kind: str, tokenizer: Path, rows_of_ids: Path | None, init: Path, style: str, layers: int = 0
) -> nn.Module:
    """A reader with the weights it starts from: a published body, or a reader that was trained before."""
    if kind == "decoder":
        reader: nn.Module = DecoderReader(tokenizer, load_compact(init, layers), style)
        return reader
    reader = {"small": SmallReader, "large": LargeReader}[kind](tokenizer, rows_of_ids)
    if any(name.startswith("body.") for name in load_file(init)):
        load_trained(reader, init)
    else:
        load_published(reader, init)
    return reader


def load_trained(reader: nn.Module, path: Path) -> None:
    reader.load_state_dict({name: value.float() for name, value in load_file(path).items()})
