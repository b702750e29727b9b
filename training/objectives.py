"""Losses for stance: hard labels with one that only says "not entailed", and a teacher's soft labels."""

from __future__ import annotations

import numpy as np
import torch

CODES = {"E": 0, "C": 1, "N": 2, "X": 3, "": 4}
SMOOTHING = 0.05


def label_codes(labels: list[str]) -> np.ndarray:
    return np.array([CODES[label] for label in labels], np.int64)


def hard_loss(logits: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
    """Per row: smoothed cross-entropy for E, C, N; -log(1 - p(E)) for X; zero without a label."""
    log_p = logits.float().log_softmax(-1)
    picked = log_p.gather(1, codes.clamp(max=2).unsqueeze(1)).squeeze(1)
    smooth = -(1 - SMOOTHING) * picked - SMOOTHING * log_p.mean(-1)
    not_entailed = -torch.log1p(-log_p[:, 0].exp().clamp(max=1 - 1e-5))
    return torch.where(codes == 4, 0.0, torch.where(codes == 3, not_entailed, smooth))


def soft_loss(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Per row: cross-entropy against the teacher's probabilities."""
    return -(target * logits.float().log_softmax(-1)).sum(-1)
