"""Fit the recogniser of orders in page text (`src/lyra/security/weights/orders.npz`). Minutes on one core; seeded.

python fit_orders.py --data INJECTION --tanaka TANAKA --out ../src/lyra/security/weights/orders.npz
"""

import argparse
import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from injection_data import OWN, prose, split
from lyra.security.order_features import BUCKETS, features
from lyra_bench.measure.attack_data import (
    ORDER,
    PLAIN,
    REQUEST,
    Example,
    bipia,
    bipia_documents,
    deepset,
    spikee,
    written,
)

_CLASSES = 3
_EPOCHS = 12
_BATCH = 256
_RATE = 0.02
_DECAY = 2e-5
_MOST_OF_FAMILY = 400
_PROSE = -1
_SHARES = {_PROSE: 0.45, PLAIN: 0.15, REQUEST: 0.22, ORDER: 0.28}
# The mean of several fits: which sentences near the threshold a single one gets right is chance.
_SEEDS = (1, 2, 3)


def examples(data: Path, tanaka: Path | None, project: Path) -> list[Example]:
    """Everything that may be fitted: nothing held out, and only rows whose licence lets the weights be shipped."""
    found = [one for language in ("en", "ja") for one in written(OWN, language)]
    found += [*bipia(data / "bipia"), *deepset(data / "deepset"), *spikee(data / "spikee")]
    mails = bipia_documents(data / "bipia")
    lines = [piece for mail in mails[: len(mails) // 2] for part in mail.split("|") for piece in split(part)]
    found += [Example(line, PLAIN, "bipia/mails", "en", False) for line in lines]
    kept = [one for one in found if not one.is_held]
    return _bounded(kept) + prose(project, tanaka)


def _bounded(rows: list[Example], *, seed: int = 1) -> list[Example]:
    """So many of each family at most, drawn, so that each of its templates is among them."""
    families: dict[tuple[str, str], list[Example]] = defaultdict(list)
    for one in rows:
        families[one.family, one.language].append(one)
    drawn = random.Random(seed)
    return [one for found in families.values() for one in drawn.sample(found, min(_MOST_OF_FAMILY, len(found)))]


def fit(rows: list[Example], *, seed: int = 1) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weights and bias by Adam on softmax cross-entropy; the classes weigh alike, orders and requests by family."""
    buckets = [np.array(features(one.text), np.int64) for one in rows]
    labels = np.array([one.label for one in rows])
    weight = _row_weights(rows)
    drawn = np.random.default_rng(seed)
    weights = np.zeros((BUCKETS, _CLASSES), np.float32)
    bias = np.zeros(_CLASSES, np.float32)
    moments = [np.zeros_like(weights), np.zeros_like(weights)]
    bias_moments = [np.zeros_like(bias), np.zeros_like(bias)]
    step = 0
    for _ in range(_EPOCHS):
        order = drawn.permutation(len(rows))
        for start in range(0, len(rows), _BATCH):
            step += 1
            batch = order[start : start + _BATCH]
            flat = np.concatenate([buckets[at] for at in batch])
            sizes = np.array([len(buckets[at]) for at in batch])
            owner = np.repeat(np.arange(len(batch)), sizes)
            value = (1 / np.sqrt(sizes))[owner]
            logits = np.zeros((len(batch), _CLASSES))
            np.add.at(logits, owner, weights[flat] * value[:, None])
            logits += bias
            logits -= logits.max(axis=1, keepdims=True)
            chances = np.exp(logits)
            chances /= chances.sum(axis=1, keepdims=True)
            chances[np.arange(len(batch)), labels[batch]] -= 1
            chances *= (weight[batch] / weight[batch].sum())[:, None]
            touched, place = np.unique(flat, return_inverse=True)
            gradient = np.zeros((len(touched), _CLASSES))
            np.add.at(gradient, place, chances[owner] * value[:, None])
            gradient += _DECAY * weights[touched]
            _adam(weights, moments, touched, gradient, step)
            _adam(bias, bias_moments, slice(None), chances.sum(axis=0), step)
    return weights, bias


def _row_weights(rows: list[Example]) -> NDArray[np.float64]:
    """Each class by its share, in it each family by the root of its size; prose apart from sentences like orders."""
    sizes = Counter((one.label, one.family, one.language) for one in rows)
    weight = np.array([sizes[one.label, one.family, one.language] ** -0.5 for one in rows])
    groups = np.array([_PROSE if one.family == "prose" else one.label for one in rows])
    for group, share in _SHARES.items():
        weight[groups == group] *= share / weight[groups == group].sum()
    return weight * len(rows)


def _adam(
    values: NDArray[np.float32],
    moments: list[NDArray[np.float32]],
    at: object,
    gradient: NDArray[np.float64],
    step: int,
) -> None:
    first, second = moments
    first[at] = 0.9 * first[at] + 0.1 * gradient  # type: ignore[index]
    second[at] = 0.999 * second[at] + 0.001 * gradient**2  # type: ignore[index]
    mean = first[at] / (1 - 0.9**step)  # type: ignore[index]
    spread = second[at] / (1 - 0.999**step)  # type: ignore[index]
    values[at] -= _RATE * mean / (np.sqrt(spread) + 1e-8)  # type: ignore[index]


def write(path: Path, weights: NDArray[np.float32], bias: NDArray[np.float32]) -> None:
    """One byte a weight."""
    scale = np.float32(np.abs(weights).max() / 127)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, weights=np.round(weights / scale).astype(np.int8), scale=scale, bias=bias)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with bipia, deepset, spikee")
    parser.add_argument("--tanaka", type=Path, help="folder with train.en and train.ja")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows = examples(given.data, given.tanaka, Path(__file__).resolve().parents[1])
    print(Counter(one.label for one in rows))
    fitted = [fit(rows, seed=seed) for seed in _SEEDS]
    write(given.out, *(np.mean(parts, axis=0, dtype=np.float32) for parts in zip(*fitted, strict=True)))


if __name__ == "__main__":
    main()
