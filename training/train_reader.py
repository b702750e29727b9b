"""Trains a reader on labelled rows and on teachers' soft labels, then writes its answers for other rows.

python train_reader.py --kind decoder --init qwen.compact --tokenizer tokenizer.json --rows train.jsonl.gz
    --score eval.jsonl.gz --out FOLDER
Give `--rows` and `--teacher` several times, in the same order; `--teacher none` stands beside rows that only their
labels teach. A row with a label and a teacher learns from both, any other from what it has. Weights are kept in the
output folder before anything is scored; a second run finds them and only scores.
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn.utils import clip_grad_norm_

from objectives import CODES, hard_loss, label_codes, log_chances, soft_loss
from packed import PackedTokens, cut_by_tokens, length_batches
from readers import load_trained, make_reader
from rows import Row, class_weights, read_rows

WARM_UP_STEPS = 100
SCORE_TOKENS = 65536


def read_all(options: argparse.Namespace) -> tuple[list[Row], np.ndarray]:
    """Rows of every file and the teachers' chances beside them (all zero where there is no teacher)."""
    files = [read_rows(path) for path in options.rows]
    chosen, soft = choose(files, options)
    every = [row for found in files for row in found]
    return [every[place] for place in chosen], soft


def choose(files: list[list[Row]], options: argparse.Namespace) -> tuple[list[int], np.ndarray]:
    """Places of the rows that teach, counted through all files and named as often as they are taken, and the teachers'
    chances of each. Waits for teachers that are still at work, for `--wait-s` at most."""
    often = {name: float(share) for name, _, share in (each.partition("=") for each in options.often)}
    chooser = np.random.default_rng(options.seed)
    chosen: list[int] = []
    soft, before = [], 0
    for found, teacher in zip(files, options.teacher or ["none"] * len(files), strict=True):
        chances = (
            np.zeros((len(found), 3), np.float32) if teacher == "none" else load_chances(Path(teacher), options.wait_s)
        )
        teaching = [place for place, row in enumerate(found) if row.label or chances[place].any()]
        kept = [place for place in teaching for _ in range(times(found[place], often, options, chooser))]
        chosen += [before + place for place in kept]
        soft.append(chances[kept])
        before += len(found)
    return chosen, np.concatenate(soft)


def load_chances(path: Path, wait_s: float) -> np.ndarray:
    """A teacher's chances, once it has written them."""
    until = time.monotonic() + wait_s
    while not path.exists() and time.monotonic() < until:
        time.sleep(1)
    return np.load(path).astype(np.float32)


def times(row: Row, often: dict[str, float], options: argparse.Namespace, chooser: np.random.Generator) -> int:
    """How often a row is taken: its source's share, the longest prefix that is named; a fraction is a chance."""
    if options.lang and row.lang not in options.lang:
        return 0
    names = [name for name in often if row.source.startswith(name)]
    share = often[max(names, key=len)] if names else 1.0
    return int(share) + int(chooser.random() < share % 1)


def shares(codes: np.ndarray, soft: np.ndarray, share: float) -> np.ndarray:
    """How much of each row's loss its label and its teacher have."""
    has_label, has_teacher = codes != CODES[""], soft.sum(1) > 0
    of_teacher = np.where(has_teacher, np.where(has_label, share, 1.0), 0.0)
    return np.stack([np.where(has_label, 1 - of_teacher, 0.0), of_teacher], 1).astype(np.float32)


def train(
    reader: nn.Module, tokens: PackedTokens, rows: list[Row], soft: np.ndarray, options: argparse.Namespace
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
    trained = [each for each in reader.parameters() if each.requires_grad]
    optimiser = torch.optim.AdamW(
        trained, lr=options.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=device == "cuda"
    )
    started, total = time.monotonic(), torch.zeros((), device=device)
    for step, chosen in enumerate(batches, 1):
        done = max(step / len(batches), (time.monotonic() - started) / options.deadline_s)
        rate = options.rate * min(1.0, step / WARM_UP_STEPS) * max(0.02, 0.5 + 0.5 * math.cos(math.pi * min(1.0, done)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        ids, mask = tokens.batch(chosen)
        index = torch.from_numpy(chosen).to(device)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            answers = reader(ids, mask)
        both = torch.stack([hard_loss(answers, codes[index]), soft_loss(answers, target[index])], 1)
        loss = (both * weights[index]).sum(1).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        clip_grad_norm_(trained, 1.0)
        optimiser.step()
        total += loss.detach()
        if step % options.report == 0:
            spent = time.monotonic() - started
            print(f"{step}/{len(batches)} loss {total.item() / options.report:.4f} {spent:.0f} s", flush=True)
            total.zero_()
        if done >= 1:
            break


@torch.no_grad()
def score(reader: nn.Module, tokens: PackedTokens, device: str) -> np.ndarray:
    """The two answers for every sequence, in order."""
    reader.eval()
    found = torch.zeros(len(tokens), 2, device=device)
    for chosen in cut_by_tokens(np.argsort(tokens.lengths), tokens.lengths, SCORE_TOKENS, 4096):
        ids, mask = tokens.batch(chosen)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            found[torch.from_numpy(chosen).to(device)] = reader(ids, mask).float()
    return found.cpu().numpy()


def report(rows: list[Row], answers: np.ndarray) -> None:
    """Macro-F1 by argmax, the share of neutrals read as refutes, and the right side where E or C is true."""
    import measures

    chances = log_chances(torch.from_numpy(answers)).exp().numpy()
    gold = label_codes([row.label for row in rows])
    sources = np.array([row.source for row in rows])
    for source in dict.fromkeys(sources):
        mine = (sources == source) & (gold < 3)
        if mine.any():
            truth, guess = gold[mine], chances[mine].argmax(1)
            sided = truth < 2
            side = np.mean((answers[mine, 1] < 0)[sided] == truth[sided].astype(bool)) if sided.any() else float("nan")
            false = measures.false_refute_rate(truth, guess)
            print(
                f"{source:24}{mine.sum():6d} F1 {measures.macro_f1(truth, guess):.3f} N->C {false:.3f} side {side:.3f}"
                f" acc {np.mean(truth == guess):.3f}",
                flush=True,
            )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=("small", "large", "decoder"), required=True)
    for name in ("init", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--rows-of-ids", type=Path)
    parser.add_argument("--resume", type=Path, help="weights of a reader of this kind to go on from")
    parser.add_argument("--layers", type=int, default=0, help="only the first layers of a decoder")
    parser.add_argument("--style", choices=("plain", "echo"), default="plain")
    parser.add_argument("--rows", type=Path, action="append", default=[])
    parser.add_argument("--teacher", action="append", default=[])
    parser.add_argument("--lang", nargs="*", help="only rows of these languages")
    parser.add_argument("--often", nargs="*", default=[], metavar="SOURCE=TIMES", help="shares of sources, by prefix")
    parser.add_argument("--score", type=Path, action="append", default=[], help="rows whose answers are written")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-5)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--tokens", type=int, default=8192, help="padded tokens in a batch")
    parser.add_argument("--soft", type=float, default=0.5, help="the teachers' share where a row has a label too")
    parser.add_argument("--deadline-s", type=float, default=600)
    parser.add_argument("--wait-s", type=float, default=0, help="how long to wait for the file of a teacher at work")
    parser.add_argument("--limit", type=int, help="a random part of the rows, for a trial")
    parser.add_argument("--report", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def main() -> None:
    options = parse()
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    weights = options.out / "reader.safetensors"
    reader = make_reader(
        options.kind, options.tokenizer, options.rows_of_ids, options.init, options.style, options.layers
    )
    if weights.exists() or options.resume:
        load_trained(reader, weights if weights.exists() else options.resume)
    reader.to(options.device)
    if not weights.exists():
        files = [read_rows(path) for path in options.rows]
        every = [row for found in files for row in found]
        encoded = reader.encode(every)  # each row once, and while a teacher may still be at work
        chosen, soft = choose(files, options)
        if options.limit:
            drawn = np.random.default_rng(options.seed).permutation(len(chosen))[: options.limit]
            chosen, soft = [chosen[i] for i in drawn], soft[drawn]
        rows = [every[place] for place in chosen]
        tokens = PackedTokens([encoded[place] for place in chosen], options.device, reader.multiple)
        print(f"{len(rows)} rows, {tokens.lengths.mean():.0f} tokens each", flush=True)
        reader.train()
        train(reader, tokens, rows, soft, options)
        save_file({name: value.half().cpu().contiguous() for name, value in reader.state_dict().items()}, weights)
    for path in options.score:
        began = time.monotonic()
        wanted = read_rows(path)[: options.limit]
        answers = score(reader, PackedTokens(reader.encode(wanted), options.device, reader.multiple), options.device)
        np.save(options.out / f"{path.name.removesuffix('.jsonl.gz')}.npy", answers.astype(np.float16))
        print(f"scored {path.name}: {len(wanted)} rows in {time.monotonic() - began:.0f} s", flush=True)
        report(wanted, answers)


if __name__ == "__main__":
    main()
