"""Losses for the two answers of a reader: whether a text bears on a claim, and which side it takes.

Answers are two logits a row. The chance of each label follows: E is bears and for, C bears and against, N the rest.
"""

from __future__ import annotations

import numpy as np
import torch
from torch.nn.functional import logsigmoid

CODES = {"E": 0, "C": 1, "N": 2, "X": 3, "": 4}
SMOOTHING = 0.05


def label_codes(labels: list[str]) -> np.ndarray:
    return np.array([CODES[label] for label in labels], np.int64)


def log_chances(answers: torch.Tensor) -> torch.Tensor:
    """Logarithms of the chances of E, C and N."""
    bears, side = answers.float().unbind(-1)
    known = logsigmoid(bears)
    return torch.stack([known + logsigmoid(side), known + logsigmoid(-side), logsigmoid(-bears)], -1)


def hard_loss(answers: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
    """Per row: smoothed cross-entropy for E, C, N; -log(1 - p(E)) for X ("not entailed"); zero without a label."""
    log_p = log_chances(answers)
    picked = log_p.gather(1, codes.clamp(max=2).unsqueeze(1)).squeeze(1)
    smooth = -(1 - SMOOTHING) * picked - SMOOTHING * log_p.mean(-1)
    not_entailed = -torch.log1p(-log_p[:, 0].exp().clamp(max=1 - 1e-5))
    return torch.where(codes == 4, 0.0, torch.where(codes == 3, not_entailed, smooth))


def soft_loss(answers: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Per row: cross-entropy against the teachers' chances of E, C and N."""
    return -(target * log_chances(answers)).sum(-1)
