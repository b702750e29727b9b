"""Trains a low-rank adapter with which the first layers of a Qwen2.5 model judge pairs, then scores other rows.

python train_adapter.py --init FOLDER --rows train.jsonl.gz --score held.jsonl.gz --out FOLDER
The prompt is the product's own (on the card); the answer is the first token of one of three words. The text comes
first, so that it is read once for all its claims, here and in the product. Tokens are those of the published tokenizer,
of whose embedding rows `--init` has the ones that the texts need; its layers are in the product's four bits
(decoder_base.py). `--exits` are the layers after which an answer is learned and scored: one run tells how many layers
are worth their time.
`--resume` goes on from an adapter (one that ships is read by adapter_npz.py); a smaller rank is filled up.
Weights are kept in the output folder
before anything is scored; a second run finds them and only scores, and with `--wait-s` it cuts its rows into tokens
first and waits for the weights of the run that trains. `--score-deadline-s` bounds the scoring of each file: texts are
taken in random order, and what is left has no chances (all zero), which training passes over.
"""

from __future__ import annotations

import argparse
import math
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn
from torch.nn.functional import linear
from torch.nn.utils import clip_grad_norm_

from decoder import Decoder
from decoder_base import load as load_base
from objectives import hard_loss, label_codes, log_chances, soft_loss
from packed import cut_by_tokens, length_batches
from rows import Row, class_weights, read_rows
from shared_texts import Batch, SharedTexts
from train_reader import SCORE_TOKENS, WARM_UP_STEPS, read_all, report, shares

TEXT_CHARS, CLAIM_CHARS = 1600, 400
# Cut into tokens in two parts: no token reaches over the space behind a colon. Within a part it is one string, for
# signs at the end of a text join the line break behind them.
BEFORE_CLAIM = (
    "<|im_start|>system\nDoes the text support or refute the claim? Answer with one word: supports, refutes or neutral."
    "<|im_end|>\n<|im_start|>user\nText:\n{text}\n\nClaim:"
)
FROM_CLAIM = " {claim}<|im_end|>\n<|im_start|>assistant\n"
SCORED_AT_ONCE = 8_192  # sequences
MOST_SKIPPED = 0.25  # share of the steps whose gradients may be no numbers


def text_of(row: Row) -> str:
    """The part of the prompt that all claims on a text share."""
    return BEFORE_CLAIM.format(text=row.premise.strip().replace("<|", "<")[:TEXT_CHARS].strip())


def claim_of(row: Row) -> str:
    """The rest of the prompt."""
    return FROM_CLAIM.format(claim=row.hypothesis.strip().replace("<|", "<")[:CLAIM_CHARS].strip())


class LowRank(nn.Module):
    """A frozen linear layer and its trained difference of low rank."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.register_buffer("weight", base.weight.detach().to(torch.bfloat16), persistent=False)
        bias = None if base.bias is None else base.bias.detach().to(torch.bfloat16)
        self.register_buffer("bias", bias, persistent=False)
        self.lora_a = nn.Parameter(torch.randn(rank, base.in_features) / math.sqrt(base.in_features))
        self.lora_b = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        base = linear(x, self.weight, self.bias)
        return base + linear(linear(x, self.lora_a.to(x.dtype)), self.lora_b.to(x.dtype)) * self.scale


class AdaptedReader(nn.Module):
    """Qwen with adapters; its two answers come from the chances of the three words, after each of some layers."""

    multiple = 16

    def __init__(
        self,
        body: Decoder,
        words: np.ndarray,
        tokenizer: Tokenizer,
        place_of: np.ndarray,
        rank: int,
        alpha: float,
        exits: tuple[int, ...],
    ) -> None:
        super().__init__()
        self._tokenizer, self._place_of, self.exits = tokenizer, place_of, exits
        body.requires_grad_(False)
        for layer in body.blk:
            for name, module in list(layer.named_children()):
                if isinstance(module, nn.Linear):
                    setattr(layer, name, LowRank(module, rank, alpha))
        self.body = body.to(torch.bfloat16)
        self.answers = nn.ParameterDict({str(each): torch.from_numpy(words).float() for each in exits})
        for name, value in self.named_parameters():
            if ".lora_" in name:
                value.data, value.requires_grad = value.data.float(), True

    @torch.no_grad()
    def merge(self) -> None:
        """Adds each difference to its layer: scoring needs one product for three."""
        for layer in self.body.blk:
            for each in layer.children():
                if isinstance(each, LowRank):
                    each.weight += (each.lora_b @ each.lora_a * each.scale).to(each.weight.dtype)
                    each.forward = partial(linear, weight=each.weight, bias=each.bias)

    def trained(self) -> dict[str, torch.Tensor]:
        return {
            name: value for name, value in self.state_dict().items() if ".lora_" in name or name.startswith("answers.")
        }

    def load(self, found: dict[str, torch.Tensor]) -> None:
        """Trained weights; of a smaller rank the rest stays as it is, which adds nothing."""
        own = self.state_dict()
        for name, value in found.items():
            if name not in own:
                continue
            if value.shape == own[name].shape:
                own[name].copy_(value.float())
            elif name.endswith(".lora_a"):
                own[name][: len(value)] = value.float()
            else:
                own[name].zero_()
                own[name][:, : value.shape[1]] = value.float()

    def encode(self, rows: list[Row], device: str) -> SharedTexts:
        keys = [text_of(row) for row in rows]
        different = list(dict.fromkeys(keys))
        texts = dict(zip(different, self._ids(different), strict=True))
        return SharedTexts(keys, texts, self._ids([claim_of(row) for row in rows]), device, self.multiple)

    def _ids(self, texts: list[str]) -> list[list[int]]:
        encoded = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        return [self._place_of[each.ids].tolist() for each in encoded]

    def forward(self, batch: Batch) -> torch.Tensor:
        """[exits, rows, 2]"""
        found = []
        for number, states in zip(
            self.exits, self.body.states(batch.ids, batch.places, batch.attention, self.exits), strict=True
        ):
            last = self.body.normed(states[batch.sequences, batch.ends].float())
            with torch.autocast(last.device.type, enabled=False):
                three = linear(last.float(), self.answers[str(number)])
            found.append(torch.stack([three[:, :2].logsumexp(1) - three[:, 2], three[:, 0] - three[:, 1]], 1))
        return torch.stack(found)


def make(options: argparse.Namespace) -> AdaptedReader:
    kept = np.load(options.init / "kept_rows.npy")
    place_of = np.full(200_000, -1, np.int64)
    place_of[kept] = np.arange(len(kept))
    body, words = load_base(options.init, max(options.exits))
    tokenizer = Tokenizer.from_file(str(options.init / "tokenizer.json"))
    return AdaptedReader(body, words, tokenizer, place_of, options.rank, options.alpha, tuple(options.exits))


def train(reader: AdaptedReader, rows: list[Row], soft: np.ndarray, options: argparse.Namespace) -> None:
    device = options.device
    tokens = reader.encode(rows, device)
    print(f"{len(rows)} rows in {len(tokens)} texts, {tokens.lengths.mean():.0f} tokens each", flush=True)
    labels = label_codes([row.label for row in rows])
    codes = torch.from_numpy(labels).to(device)
    weights = torch.from_numpy(shares(labels, soft, options.soft)).to(device)
    weights[:, 0] *= torch.tensor(class_weights(rows), device=device)
    target = torch.from_numpy(soft).to(device)
    random = np.random.default_rng(options.seed)
    share = shares_of_texts(tokens, rows, options.each_epoch)
    batches = [each for _ in range(options.epochs) for each in epoch_batches(tokens, share, options, random)]
    reader.train()
    trained = [each for each in reader.parameters() if each.requires_grad]
    optimiser = torch.optim.AdamW(
        trained, lr=options.rate, weight_decay=0.01, betas=(0.9, 0.98), fused=device == "cuda"
    )
    started, total, skipped = time.monotonic(), torch.zeros((), device=device), 0
    for step, chosen in enumerate(batches, 1):
        done = max(step / len(batches), (time.monotonic() - started) / options.deadline_s)
        rate = options.rate * min(1.0, step / WARM_UP_STEPS) * max(0.02, 0.5 + 0.5 * math.cos(math.pi * min(1.0, done)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        batch = tokens.batch(chosen)
        index = torch.from_numpy(batch.rows).to(device)
        with torch.autocast(device, torch.bfloat16):
            exits = reader(batch)
        loss = torch.zeros((), device=device)
        for one in exits:
            both = torch.stack([hard_loss(one, codes[index]), soft_loss(one, target[index])], 1)
            loss = loss + (both * weights[index]).sum(1).mean() / len(exits)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        norm = clip_grad_norm_(trained, 1.0)
        if not torch.isfinite(norm):
            skipped += 1
            if skipped > MOST_SKIPPED * max(step, 100):
                raise SystemExit("too many steps have no finite gradient")
            continue
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


def shares_of_texts(tokens: SharedTexts, rows: list[Row], named: list[str]) -> np.ndarray:
    """How likely each text is read in one epoch: the greatest share of its rows' sources (1 where none is named)."""
    share_of = {name: float(share) for name, _, share in (each.partition("=") for each in named)}
    longest_first = sorted(share_of, key=len, reverse=True)
    by_source = {
        source: next((share_of[name] for name in longest_first if source.startswith(name)), 1.0)
        for source in {row.source for row in rows}
    }
    return np.array([max(by_source[rows[at].source] for at in places) for places in tokens.places_of_rows])


def epoch_batches(
    tokens: SharedTexts, share: np.ndarray, options: argparse.Namespace, random: np.random.Generator
) -> list[np.ndarray]:
    """The batches of one epoch; which texts it reads is drawn anew."""
    chosen = np.flatnonzero(random.random(len(share)) < share)
    return [chosen[each] for each in length_batches(tokens.lengths[chosen], options.tokens, options.batch, random)]


@torch.no_grad()
def score_in_time(reader: AdaptedReader, tokens: SharedTexts, options: argparse.Namespace) -> np.ndarray:
    """[exits, rows, 2] of as many rows as the deadline lets through, texts in random order; nan for the others."""
    reader.eval()
    answers = torch.full((len(reader.exits), tokens.row_count, 2), torch.nan, device=options.device)
    order = np.random.default_rng(options.seed).permutation(len(tokens))
    began = time.monotonic()
    for start in range(0, len(order), SCORED_AT_ONCE):
        if time.monotonic() - began > options.score_deadline_s:
            break
        some = order[start : start + SCORED_AT_ONCE]
        some = some[np.argsort(tokens.lengths[some], kind="stable")]
        for chosen in cut_by_tokens(some, tokens.lengths, SCORE_TOKENS, 1024):
            batch = tokens.batch(chosen)
            with torch.autocast(options.device, torch.bfloat16):
                answers[:, torch.from_numpy(batch.rows).to(options.device)] = reader(batch).float()
        torch.cuda.synchronize() if options.device == "cuda" else None
    return answers.cpu().numpy()


def save_whole(path: Path, array: np.ndarray) -> None:
    """Writes an array under its name only when all of it is there: a reader's training may wait for it."""
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        np.save(file, array)
    unfinished.rename(path)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("init", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--resume", type=Path, help="an adapter to go on from")
    parser.add_argument("--rows", type=Path, action="append", default=[])
    parser.add_argument("--teacher", action="append", default=[])
    parser.add_argument("--lang", nargs="*")
    parser.add_argument("--often", nargs="*", default=[], metavar="SOURCE=TIMES")
    parser.add_argument("--each-epoch", nargs="*", default=[], metavar="SOURCE=SHARE", help="of its texts, drawn anew")
    parser.add_argument("--score", type=Path, action="append", default=[])
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--exits", type=int, nargs="+", required=True, help="after how many layers answers are given")
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--alpha", type=float, default=64)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--batch", type=int, default=64, help="texts in a batch, with all their claims")
    parser.add_argument("--tokens", type=int, default=16384)
    parser.add_argument("--soft", type=float, default=0.5)
    parser.add_argument("--deadline-s", type=float, default=450)
    parser.add_argument("--score-deadline-s", type=float, default=math.inf)
    parser.add_argument("--wait-s", type=float, default=0, help="how long to wait for the weights of a run that trains")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--report", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def wait_for(path: Path, wait_s: float) -> None:
    until = time.monotonic() + wait_s
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.5)


def main() -> None:
    options = parse()
    torch.backends.cuda.enable_cudnn_sdp(False)  # with a mask its gradients were not numbers
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    weights = options.out / "adapter.safetensors"
    reader = make(options)
    scored = {path: read_rows(path)[: options.limit] for path in options.score}
    encoded = {path: reader.encode(rows, "cpu") for path, rows in scored.items()}
    wait_for(weights, options.wait_s)
    if weights.exists() or options.resume:
        with torch.no_grad():
            reader.load(load_file(weights if weights.exists() else options.resume))
    reader.to(options.device)
    if not weights.exists():
        rows, soft = read_all(options)
        if options.limit:
            chosen = np.random.default_rng(options.seed).permutation(len(rows))[: options.limit]
            rows, soft = [rows[i] for i in chosen], soft[chosen]
        train(reader, rows, soft, options)
        unfinished = weights.with_suffix(".part")
        save_file({name: value.half().cpu().contiguous() for name, value in reader.trained().items()}, unfinished)
        unfinished.rename(weights)
    reader.merge()
    for path, wanted in scored.items():
        began = time.monotonic()
        name = path.name.removesuffix(".jsonl.gz")
        every = score_in_time(reader, encoded[path].on(options.device), options)
        is_scored = ~np.isnan(every[0, :, 0])
        spent = time.monotonic() - began
        print(f"scored {path.name}: {is_scored.sum()} of {len(wanted)} rows in {spent:.0f} s", flush=True)
        for number, answers in zip(reader.exits, every, strict=True):
            np.save(options.out / f"{name}.{number}.npy", answers.astype(np.float16))
            chances = np.nan_to_num(log_chances(torch.from_numpy(answers)).exp().numpy().astype(np.float16))
            save_whole(options.out / f"{name}.{number}.chances.npy", chances)
            print(f"after {number} layers")
            report([row for row, known in zip(wanted, is_scored, strict=True) if known], answers[is_scored])


if __name__ == "__main__":
    main()
