"""Numbers about judgements: pure functions of gold labels and probabilities."""

from __future__ import annotations

import numpy as np

SUPPORTS, REFUTES, NEUTRAL = 0, 1, 2
BINS = 10


def macro_f1(gold: np.ndarray, guess: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Mean F1 over the labels that occur in the gold; pairs count by their weight where one is given."""
    weight = np.ones(len(gold)) if weight is None else weight
    scores = []
    for label in np.unique(gold):
        hit = np.sum(weight[(gold == label) & (guess == label)])
        scores.append(2 * hit / (np.sum(weight[gold == label]) + np.sum(weight[guess == label])))
    return float(np.mean(scores))


def false_refute_rate(gold: np.ndarray, guess: np.ndarray) -> float:
    """Share of neutral pairs that are read as refuting; nan where there is no neutral pair."""
    neutral = gold == NEUTRAL
    return float(np.mean(guess[neutral] == REFUTES)) if neutral.any() else float("nan")


def brier(gold: np.ndarray, probabilities: np.ndarray) -> float:
    """Mean squared distance to the one-hot truth, summed over the three classes."""
    return float(np.mean(np.sum((probabilities - np.eye(3)[gold]) ** 2, axis=1)))


def expected_calibration_error(gold: np.ndarray, probabilities: np.ndarray) -> float:
    """Gap between the top probability and how often it is right, over ten equal bins."""
    confidence, guess = probabilities.max(1), probabilities.argmax(1)
    place = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [abs(np.sum(guess[place == i] == gold[place == i]) - np.sum(confidence[place == i])) for i in range(BINS)]
    return float(np.sum(gaps) / len(gold))


def decide(probabilities: np.ndarray, supports: float, refutes: float) -> np.ndarray:
    """The shipped decision: the likelier of supports and refutes if it passes its threshold, else neutral."""
    side = (probabilities[:, REFUTES] > probabilities[:, 0]).astype(int)
    passes = probabilities[np.arange(len(side)), side] >= np.where(side == REFUTES, refutes, supports)
    return np.where(passes, side, NEUTRAL)


def sigmoid(logits: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(logits, -60, 60)))


def logit(chances: np.ndarray) -> np.ndarray:
    """The inverse of `sigmoid`, for chances however near to 0 or 1."""
    inside = np.clip(chances, 1e-9, 1 - 1e-9)
    return np.log(inside / (1 - inside))
