"""Sampling from a decoder in large batches with a fixed-size key-value cache."""

from __future__ import annotations

import torch
from torch.nn.functional import rms_norm, scaled_dot_product_attention

from decoder import Decoder, turns

READ_AT_ONCE = 128  # prompts whose starts are read in one pass


class Writer:
    """Continues prompts of any lengths: all start at place 0, and prompt tokens are forced until each prompt ends."""

    def __init__(self, model: Decoder, end_token: int, device: str) -> None:
        self._dtype = torch.bfloat16 if device == "cuda" else torch.float32
        self._model, self._end, self._device = model.to(device, self._dtype).eval(), end_token, device

    @torch.no_grad()
    def continue_all(self, prompts: list[list[int]], new_tokens: int, temperature: float) -> list[list[int]]:
        """The sampled tokens of each prompt, without the end token."""
        shape = self._model.shape
        longest = max(map(len, prompts))
        total = longest + new_tokens
        forced = torch.full((len(prompts), total), -1, device=self._device)
        for place, prompt in enumerate(prompts):
            forced[place, : len(prompt)] = torch.tensor(prompt, device=self._device)
        size = (shape.layers, len(prompts), shape.key_heads, total, shape.head)
        keys, values = (torch.zeros(size, dtype=self._dtype, device=self._device) for _ in range(2))
        tokens = forced.clone()
        shortest = min(map(len, prompts))
        self._read_start(forced[:, : shortest - 1], keys, values)
        current = forced[:, shortest - 1]
        for place in range(shortest - 1, total - 1):
            sampled = sample(self._step(current, place, keys, values), temperature)
            current = torch.where(forced[:, place + 1] >= 0, forced[:, place + 1], sampled)
            tokens[:, place + 1] = current
        made = tokens.tolist()
        return [self._until_end(row[len(prompt) :], new_tokens) for row, prompt in zip(made, prompts, strict=True)]

    def _read_start(self, ids: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Keys and values of the tokens that every prompt has, many at once instead of one a step."""
        for start in range(0, len(ids), READ_AT_ONCE):
            some = slice(start, start + READ_AT_ONCE)
            x = self._model.token_embd(ids[some])
            turn = turns(self._model.shape, torch.arange(ids.shape[1], device=self._device), self._dtype)
            for index, layer in enumerate(self._model.blk):
                query, key, value = layer.project(x, turn)
                keys[index, some, :, : ids.shape[1]], values[index, some, :, : ids.shape[1]] = key, value
                context = scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
                x = layer.finish(x, context)

    def _step(self, ids: torch.Tensor, place: int, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        shape = self._model.shape
        x = self._model.token_embd(ids)[:, None]
        turn = turns(shape, torch.tensor([place], device=self._device), self._dtype)
        for index, layer in enumerate(self._model.blk):
            query, key, value = layer.project(x, turn)
            keys[index, :, :, place], values[index, :, :, place] = key[:, :, 0], value[:, :, 0]
            grouped = query.reshape(len(ids), shape.key_heads, shape.heads // shape.key_heads, shape.head)
            seen = slice(0, place + 1)
            context = scaled_dot_product_attention(grouped, keys[index, :, :, seen], values[index, :, :, seen])
            x = layer.finish(x, context.reshape(len(ids), shape.heads, 1, shape.head))
        states = rms_norm(x[:, 0], (shape.width,), self._model.output_norm, shape.epsilon)
        return states @ self._model.token_embd.weight.T

    def _until_end(self, tokens: list[int], limit: int) -> list[int]:
        tokens = tokens[:limit]
        return tokens[: tokens.index(self._end)] if self._end in tokens else tokens


def sample(logits: torch.Tensor, temperature: float, least: float = 0.05) -> torch.Tensor:
    """One token a row, of those at least `least` times as likely as the likeliest; much quicker than sorting."""
    scaled = logits.float() / temperature
    chances = (scaled - scaled.amax(-1, keepdim=True)).exp_()
    chances = torch.where(chances >= least, chances, 0.0)
    return (chances / torch.empty_like(chances).exponential_()).argmax(-1)
