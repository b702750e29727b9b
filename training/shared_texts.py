"""Prompts that begin with the same text, laid out so that it is read once and each claim sees it and itself alone.

A sequence is a text's tokens and behind them, one after the other, those of its claims; every claim counts its places
from the end of the text, as if it stood there alone. So the answers are those of one prompt a pair.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import torch

MOST_TOKENS, MOST_CLAIMS = 640, 24
HIDDEN = -1e4  # added to what must not be seen


@dataclass(frozen=True)
class Batch:
    """Token ids, places and attention of some sequences; `rows` end at `ends` of the sequences `sequences`."""

    ids: torch.Tensor
    places: torch.Tensor
    attention: torch.Tensor
    sequences: torch.Tensor
    ends: torch.Tensor
    rows: np.ndarray


class SharedTexts:
    """All prompts on one device: token ids of each text, of the claim of each row, and the key of the row's text."""

    def __init__(
        self, keys: list[str], texts: dict[str, list[int]], claims: list[list[int]], device: str, multiple: int = 16
    ) -> None:
        self._device, self._multiple = device, multiple
        rows_of: dict[str, list[int]] = defaultdict(list)
        for row, key in enumerate(keys):
            rows_of[key].append(row)
        flat: list[int] = []
        blocks: list[np.ndarray] = []
        places: list[np.ndarray] = []
        lengths, self._rows, self._ends = [], [], []
        for key, rows in rows_of.items():
            for chosen in cut(rows, len(texts[key]), claims):
                parts = [texts[key], *(claims[row] for row in chosen)]
                sizes = np.array([len(part) for part in parts])
                flat += [token for part in parts for token in part]
                blocks.append(np.repeat(np.arange(len(parts), dtype=np.int16), sizes))
                starts = np.concatenate([[0], np.full(len(chosen), sizes[0])])
                places.append(
                    np.concatenate([np.arange(n) + at for n, at in zip(sizes, starts, strict=True)]).astype(np.int16)
                )
                lengths.append(int(sizes.sum()))
                self._rows.append(np.array(chosen))
                self._ends.append(np.cumsum(sizes)[1:] - 1)
        self.lengths = np.array(lengths)
        self._starts = np.cumsum(self.lengths) - self.lengths
        self._flat = torch.tensor(np.array(flat, np.int32), device=device)
        self._blocks = torch.from_numpy(np.concatenate(blocks)).to(device)
        self._places = torch.from_numpy(np.concatenate(places)).to(device)

    def __len__(self) -> int:
        return len(self.lengths)

    def on(self, device: str) -> SharedTexts:
        """The same on another device."""
        self._device = device
        self._flat, self._blocks, self._places = (each.to(device) for each in (self._flat, self._blocks, self._places))
        return self

    @property
    def places_of_rows(self) -> list[np.ndarray]:
        """The rows of each sequence."""
        return self._rows

    @property
    def row_count(self) -> int:
        return sum(len(rows) for rows in self._rows)

    def batch(self, chosen: np.ndarray) -> Batch:
        longest = int(self.lengths[chosen].max())
        longest += -longest % self._multiple
        index = np.arange(longest)
        inside = index < self.lengths[chosen][:, None]
        where = torch.from_numpy(np.where(inside, self._starts[chosen][:, None] + index, 0)).to(self._device)
        mask = torch.from_numpy(inside).to(self._device)
        block = torch.where(mask, self._blocks[where].long(), -1)
        order = torch.arange(longest, device=self._device)
        sees = (block[:, None, :] == block[:, :, None]) | (block[:, None, :] == 0)
        sees &= order[None, :] <= order[:, None]
        sees |= order[None, :] == order[:, None]
        attention = torch.zeros(sees.shape, device=self._device, dtype=torch.bfloat16).masked_fill_(~sees, HIDDEN)
        counts = [len(self._rows[each]) for each in chosen]
        ends = np.concatenate([self._ends[each] for each in chosen])
        return Batch(
            torch.where(mask, self._flat[where].long(), 0),
            torch.where(mask, self._places[where].long(), 0),
            attention[:, None],
            torch.from_numpy(np.repeat(np.arange(len(chosen)), counts)).to(self._device),
            torch.from_numpy(ends).to(self._device),
            np.concatenate([self._rows[each] for each in chosen]),
        )


def cut(rows: list[int], text_tokens: int, claims: list[list[int]]) -> list[list[int]]:
    """Rows of one text, a sequence each, so long as tokens and claims allow."""
    found: list[list[int]] = []
    size = 0
    for row in rows:
        if not found or size + len(claims[row]) > MOST_TOKENS or len(found[-1]) == MOST_CLAIMS:
            found.append([])
            size = text_tokens
        found[-1].append(row)
        size += len(claims[row])
    return found
