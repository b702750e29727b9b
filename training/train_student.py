"""Trains the small stance model on labelled rows and on a teacher's soft labels.

python train_student.py --init minilm.safetensors --tokenizer tokenizer.json --rows-of-ids rows_of_ids.npy
    --rows train.jsonl.gz --out student.safetensors
Give `--rows` and `--teacher` several times, in the same order, to distil on more than one set; `--teacher none` stands
beside rows that only their labels teach. A row with a label and a teacher learns from both, any other from what it has.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch.nn.utils import clip_grad_norm_

from encoding import encode
from minilm import StanceModel, load_weights
from objectives import CODES, hard_loss, label_codes, soft_loss
from packed import PackedTokens, cut_by_tokens, length_batches
from rows import Row, class_weights, read_rows

SEPARATOR = 102
WARM_UP_STEPS = 200


def segments_of(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Segment 1 after the first separator, as the tokenizer numbers them."""
    ends = (ids == SEPARATOR).long()
    return (ends.cumsum(1) - ends).clamp(max=1) * mask


def read_all(paths: list[Path], teachers: list[str], often: dict[str, int]) -> tuple[list[Row], np.ndarray]:
    """Rows of every file and the teacher's probabilities beside them (all zero where there is no teacher)."""
    rows: list[Row] = []
    soft = []
    for path, teacher in zip(paths, teachers or ["none"] * len(paths), strict=True):
        found = read_rows(path)
        chances = np.zeros((len(found), 3), np.float32) if teacher == "none" else np.load(teacher).astype(np.float32)
        kept = [place for place, row in enumerate(found) for _ in range(often.get(row.source, 1))]
        rows += [found[place] for place in kept]
        soft.append(chances[kept])
    return rows, np.concatenate(soft)


def shares(codes: np.ndarray, soft: np.ndarray, share: float) -> np.ndarray:
    """How much of each row's loss its label and its teacher have."""
    has_label, has_teacher = codes != CODES[""], soft.sum(1) > 0
    of_teacher = np.where(has_teacher, np.where(has_label, share, 1.0), 0.0)
    return np.stack([np.where(has_label, 1 - of_teacher, 0.0), of_teacher], 1).astype(np.float32)


def cosine(done: float) -> float:
    """Falls from 1 to 0."""
    return 0.5 + 0.5 * math.cos(math.pi * min(1.0, done))


def train(
    model: StanceModel, tokens: PackedTokens, rows: list[Row], soft: np.ndarray, options: argparse.Namespace
) -> None:
    device = options.device
    labels = label_codes([row.label for row in rows])
    codes = torch.from_numpy(labels).to(device)
    weights = torch.from_numpy(shares(labels, soft, options.soft)).to(device)
    weights[:, 0] *= torch.tensor(class_weights(rows), device=device)
    target = torch.from_numpy(soft).to(device)
    random = np.random.default_rng(options.seed)
    epochs = [
        list(length_batches(tokens.lengths, options.tokens, options.batch, random)) for _ in range(options.epochs)
    ]
    batches = [batch for epoch in epochs for batch in epoch]
    optimiser = torch.optim.AdamW(
        model.parameters(), lr=options.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=device == "cuda"
    )
    started, total = time.monotonic(), torch.zeros((), device=device)
    for step, chosen in enumerate(batches, 1):
        done = max(step / len(batches), (time.monotonic() - started) / options.deadline_s)
        for group in optimiser.param_groups:
            group["lr"] = options.rate * min(1.0, step / WARM_UP_STEPS) * max(0.01, cosine(done))
        ids, mask = tokens.batch(chosen)
        index = torch.from_numpy(chosen).to(device)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            logits = model.logits(ids, mask, segments_of(ids, mask))
        both = torch.stack([hard_loss(logits, codes[index]), soft_loss(logits, target[index])], 1)
        loss = (both * weights[index]).sum(1).mean()
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
def score(model: StanceModel, tokens: PackedTokens, device: str) -> np.ndarray:
    """Logits for every sequence, in order."""
    model.eval()
    found = torch.zeros(len(tokens), 3)
    for chosen in cut_by_tokens(np.argsort(tokens.lengths), tokens.lengths, 65536, 1024):
        ids, mask = tokens.batch(chosen)
        found[torch.from_numpy(chosen)] = model.logits(ids, mask, segments_of(ids, mask)).float().cpu()
    return found.numpy()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--init", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--rows-of-ids", type=Path, required=True)
    parser.add_argument("--rows", type=Path, action="append", required=True)
    parser.add_argument("--teacher", action="append", default=[])
    parser.add_argument("--often", nargs="*", default=[], metavar="SOURCE=TIMES", help="sources counted several times")
    parser.add_argument("--score", type=Path, action="append", default=[], help="rows whose logits are written too")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--tokens", type=int, default=49152, help="padded tokens in a batch")
    parser.add_argument("--soft", type=float, default=0.5, help="the teacher's share where a row has a label too")
    parser.add_argument("--max-tokens", type=int, default=256)
    parser.add_argument("--deadline-s", type=float, default=600)
    parser.add_argument("--limit", type=int, help="a random part of the rows, for a trial")
    parser.add_argument("--report", type=int, default=250)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def main() -> None:
    options = parse()
    torch.manual_seed(options.seed)
    often = {name: int(times) for name, times in (each.split("=") for each in options.often)}
    rows, soft = read_all(options.rows, options.teacher, often)
    if options.limit:
        chosen = np.random.default_rng(options.seed).permutation(len(rows))[: options.limit]
        rows, soft = [rows[i] for i in chosen], soft[chosen]
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    rows_of_ids = np.load(options.rows_of_ids)

    def packed(chosen: list[Row]) -> PackedTokens:
        return PackedTokens([rows_of_ids[ids] for ids in encode(tokenizer, chosen, options.max_tokens)], options.device)

    model = StanceModel(int(rows_of_ids.max()) + 1).to(options.device)
    load_weights(model, options.init)
    model.train()
    train(model, packed(rows), rows, soft, options)
    save_file({name: value.half().cpu().contiguous() for name, value in model.state_dict().items()}, options.out)
    for path in options.score:
        name = f"{options.out.stem}.{path.name.removesuffix('.jsonl.gz')}.npy"
        np.save(options.out.with_name(name), score(model, packed(read_rows(path)), options.device))


if __name__ == "__main__":
    main()
