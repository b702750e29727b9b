"""How large the inputs of the large reader's linear layers grow, so that the few huge channels are kept in float.

python activations.py --weights reader.safetensors --tokenizer tokenizer.json --rows-of-ids rows_of_ids.npy
    --rows written.jsonl.gz --out activations.npz
A few channels are ten to thirty times larger than the others. One scale for all of them, as int8 has it at run time,
leaves the others few digits; so export.py keeps those few in float.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np
import torch

from packed import PackedTokens, cut_by_tokens
from readers import LargeReader, load_trained
from rows import read_rows

PAIRS = 160
TOKENS = 4096
INPUTS = {
    "attention.attn.q": "qkv",
    "attention.attn.o": "o",
    "intermediate.dense": "intermediate.dense",
    "output.dense": "output.dense",
}


@torch.no_grad()
def largest_inputs(reader: LargeReader, tokens: PackedTokens) -> dict[str, np.ndarray]:
    """The greatest magnitude of each input channel, by layer and kind of linear layer."""
    found: dict[str, torch.Tensor] = {}

    def watch(name: str):
        def keep(_: torch.nn.Module, given: tuple[torch.Tensor, ...]) -> None:
            size = given[0].abs().amax((0, 1))
            found[name] = torch.maximum(found[name], size) if name in found else size

        return keep

    for index, layer in enumerate(reader.body.encoder["layer"]):
        for place, kind in INPUTS.items():
            layer.get_submodule(place).register_forward_pre_hook(watch(f"{index}.{kind}"))
    for chosen in cut_by_tokens(np.argsort(tokens.lengths), tokens.lengths, TOKENS, 64):
        reader(*tokens.batch(chosen))
    return {name: value.numpy() for name, value in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("weights", "tokenizer", "rows-of-ids", "rows", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    reader = LargeReader(options.tokenizer, options.rows_of_ids)
    load_trained(reader, options.weights)
    rows = random.Random(0).sample(read_rows(options.rows), PAIRS)
    np.savez(options.out, **largest_inputs(reader.eval(), PackedTokens(reader.encode(rows), "cpu")))


if __name__ == "__main__":
    main()
