"""The stance teacher: SmolLM2 with a linear head on the last token, and how it reads a pair."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer
from torch import nn

from llama import WIDTH, Llama
from rows import Row

PREMISE_TOKENS, CLAIM_TOKENS = 224, 96


class Teacher(nn.Module):
    """Logits for E, C, N."""

    def __init__(self, body: Llama) -> None:
        super().__init__()
        self.body = body
        self.head = nn.Linear(WIDTH, 3)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.body(ids)
        last = mask.sum(1) - 1
        return self.head(states[torch.arange(len(states), device=states.device), last])


def encode_for_teacher(tokenizer: Tokenizer, rows: list[Row], style: str) -> list[list[int]]:
    """`plain` reads evidence, then claim. `echo` reads the claim first too, so that evidence is read knowing it."""
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def ids(texts: list[str]) -> list[list[int]]:
        return [each.ids for each in tokenizer.encode_batch(texts, add_special_tokens=False)]

    premises = [each[:PREMISE_TOKENS] for each in ids([row.premise for row in rows])]
    claims = [each[:CLAIM_TOKENS] for each in ids([" " + row.hypothesis for row in rows])]
    evidence, claim, relation, again = ids(["Evidence: ", "\nClaim:", "\nRelation:", "Claim:"])
    if style == "plain":
        return [p + claim + c + relation for p, c in zip(premises, claims, strict=True)]
    newline = ids(["\n"])[0]
    return [again + c + newline + evidence + p + claim + c + relation for p, c in zip(premises, claims, strict=True)]
