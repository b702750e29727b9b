"""Token sequences of many lengths in one flat tensor, and batches of similar length out of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch


class PackedTokens:
    """Sequences laid end to end on one device; `batch` pads any choice of them to their longest."""

    def __init__(self, sequences: list[list[int]], device: str, multiple: int = 8) -> None:
        self.lengths = np.array([len(each) for each in sequences], np.int64)
        flat = np.concatenate([np.asarray(each, np.int32) for each in sequences])
        self._flat = torch.from_numpy(flat).to(device)
        self._starts = torch.from_numpy(np.cumsum(self.lengths) - self.lengths).to(device)
        self._counts = torch.from_numpy(self.lengths).to(device)
        self._multiple = multiple

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(self, chosen: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """Ids and mask of the chosen sequences, right-padded with zeros."""
        longest = int(self.lengths[chosen].max())
        longest += -longest % self._multiple
        index = torch.from_numpy(chosen).to(self._flat.device)
        place = torch.arange(longest, device=self._flat.device)
        mask = place < self._counts[index, None]
        where = torch.where(mask, self._starts[index, None] + place, 0)
        return torch.where(mask, self._flat[where].long(), 0), mask


def length_batches(lengths: np.ndarray, tokens: int, largest: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    """One epoch of shuffled batches whose members have similar lengths, at most `tokens` padded tokens each."""
    order = random.permutation(len(lengths))
    batches = []
    for start in range(0, len(order), largest * 50):
        pool = order[start : start + largest * 50]
        batches += cut_by_tokens(pool[np.argsort(lengths[pool], kind="stable")], lengths, tokens, largest)
    for place in random.permutation(len(batches)):
        yield batches[place]


def cut_by_tokens(ordered: np.ndarray, lengths: np.ndarray, tokens: int, largest: int) -> list[np.ndarray]:
    """Cuts a list sorted by rising length into batches within both limits."""
    batches, start = [], 0
    for end in range(1, len(ordered) + 1):
        is_full = end - start == largest
        if is_full or end == len(ordered) or lengths[ordered[end]] * (end - start + 1) > tokens:
            batches.append(ordered[start:end])
            start = end
    return batches
