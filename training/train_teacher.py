"""Fine-tunes the teacher on labelled rows and writes its probabilities for any rows.

The weights are kept in the output folder before anything is scored; a second run finds them and only scores.

python train_teacher.py --gguf smol.gguf --tokenizer smol_tokenizer.json --rows train.jsonl.gz --style echo
    --score train.jsonl.gz --score unlabelled.jsonl.gz --out FOLDER
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch.nn.utils import clip_grad_norm_

from llama import load_gguf
from objectives import hard_loss, label_codes
from packed import PackedTokens, cut_by_tokens, length_batches
from rows import class_weights, read_rows
from teacher import Teacher, encode_for_teacher

WARM_UP_STEPS = 100
SCORE_TOKENS = 131072


def train(
    model: Teacher, tokens: PackedTokens, codes: np.ndarray, weights: list[float], options: argparse.Namespace
) -> None:
    """Trains for the given epochs, or until the deadline; the rate falls to nothing at whichever is nearer."""
    device = options.device
    code, weight = torch.from_numpy(codes).to(device), torch.tensor(weights, device=device)
    random = np.random.default_rng(options.seed)
    epochs = [length_batches(tokens.lengths, options.tokens, options.batch, random) for _ in range(options.epochs)]
    batches = [batch for epoch in epochs for batch in epoch]
    optimiser = torch.optim.AdamW(
        model.parameters(), lr=options.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=device == "cuda"
    )
    started, total = time.monotonic(), torch.zeros((), device=device)
    for step, chosen in enumerate(batches, 1):
        done = max(step / len(batches), (time.monotonic() - started) / options.deadline_s)
        for group in optimiser.param_groups:
            group["lr"] = options.rate * min(1.0, step / WARM_UP_STEPS) * max(0.01, 1 - done)
        ids, mask = tokens.batch(chosen)
        index = torch.from_numpy(chosen).to(device)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            logits = model(ids, mask)
        loss = (hard_loss(logits, code[index]) * weight[index]).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        total += loss.detach()
        if step % options.report == 0:
            print(
                f"{step}/{len(batches)} loss {total.item() / options.report:.4f} {time.monotonic() - started:.0f} s",
                flush=True,
            )
            total.zero_()
        if done >= 1:
            break


@torch.no_grad()
def score(model: Teacher, tokens: PackedTokens, device: str) -> np.ndarray:
    """Probabilities of E, C, N for every sequence, in order; the model is left in the device's short floats."""
    model.eval()
    if device == "cuda":
        model.bfloat16()
    found = torch.zeros(len(tokens), 3, device=device)
    for chosen in cut_by_tokens(np.argsort(tokens.lengths), tokens.lengths, SCORE_TOKENS, 8192):
        ids, mask = tokens.batch(chosen)
        found[torch.from_numpy(chosen).to(device)] = model(ids, mask).float().softmax(-1)
    return found.cpu().numpy()


def wait_for(path: Path, limit_s: float) -> None:
    """Another process may still be writing the rows to score; they appear by renaming."""
    end = time.monotonic() + limit_s
    while not path.exists() and time.monotonic() < end:
        time.sleep(1)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--rows", type=Path, action="append", required=True)
    parser.add_argument("--lang", help="only rows of this language")
    parser.add_argument("--style", choices=("plain", "echo"), default="echo")
    parser.add_argument("--score", type=Path, action="append", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--tokens", type=int, default=16384, help="padded tokens in a batch")
    parser.add_argument("--deadline-s", type=float, default=240)
    parser.add_argument("--wait-s", type=float, default=0, help="for rows to score that are still being made")
    parser.add_argument("--compile", action="store_true", help="compile the layers, worth it for more than a minute")
    parser.add_argument("--limit", type=int, help="the first rows only, for a trial")
    parser.add_argument("--report", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def main() -> None:
    options = parse()
    torch.manual_seed(options.seed)
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    rows = [row for path in options.rows for row in read_rows(path) if row.label]
    rows = [row for row in rows if options.lang in (None, row.lang)][: options.limit]
    tokens = PackedTokens(encode_for_teacher(tokenizer, rows, options.style), options.device, multiple=32)
    print(f"{len(rows)} rows, {tokens.lengths.mean():.0f} tokens each", flush=True)
    model = Teacher(load_gguf(options.gguf)).to(options.device)
    if options.compile:
        for layer in model.body.blk:
            layer.compile(dynamic=True)
    options.out.mkdir(parents=True, exist_ok=True)
    weights = options.out / "teacher.safetensors"
    if weights.exists():
        model.load_state_dict(load_file(weights))
    else:
        train(model, tokens, label_codes([row.label for row in rows]), class_weights(rows), options)
        save_file(model.state_dict(), weights)
    for path in options.score:
        wait_for(path, options.wait_s)
        began = time.monotonic()
        wanted = read_rows(path)[: options.limit]
        packed = PackedTokens(encode_for_teacher(tokenizer, wanted, options.style), options.device, multiple=32)
        np.save(
            options.out / f"{path.name.removesuffix('.jsonl.gz')}.npy",
            score(model, packed, options.device).astype(np.float16),
        )
        print(f"scored {path.name}: {len(wanted)} rows in {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
