"""Brings the order in which a larger embedder puts texts into the small one, in both languages.

python distil_embedder.py --student small_init.safetensors --teacher large_body.safetensors --data bilingual
    --rows train.jsonl.gz --corpus CORPUS --out embedder.safetensors
A batch holds queries (claims, questions, sentences) and texts; the small model learns how the larger one spreads each
query's attention over the texts, and stays near what it said before, so that thresholds on its cosines still hold.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn.functional import kl_div, log_softmax

from corpus import read_groups
from minilm import Encoder
from mpnet import Mpnet
from rows import CHECKED, read_rows
from train_embedder import Ahead, TextBatches, distance, japanese_recall, read_json_lines, run_stage

TEMPERATURE = 0.05
STAYS = 3.0
WORDS = "embeddings.word_embeddings.weight"


def english_pairs(rows: Path, corpus: Path) -> list[tuple[str, str]]:
    """Claims and the texts that were written or found for them."""
    found = {(row.hypothesis, row.premise) for row in read_rows(rows) if row.source in CHECKED}
    return sorted(found) + corpus_pairs(corpus, "en") * 2


def japanese_pairs(data: Path, corpus: Path) -> list[tuple[str, str]]:
    questions = read_json_lines(data / "questions.jsonl.gz")
    found = [(each, f"{title} {text}") for asked, title, text in questions for each in asked]
    return found + corpus_pairs(corpus, "ja") * 2


def corpus_pairs(corpus: Path, lang: str) -> list[tuple[str, str]]:
    groups = [group for group in read_groups(corpus) if group.lang == lang and not group.is_held_out]
    return [(claim, text) for group in groups for claim, text in zip(group.claims, group.passages, strict=False)]


def batches(pairs: list[tuple[str, str]], size: int, seed: int) -> Iterator[tuple[list[str], list[str]]]:
    """Neighbours come together, so that a query meets texts on its own subject."""
    chooser = random.Random(seed)
    starts = range(0, len(pairs) - 8, 8)
    while True:
        chosen = [pair for start in chooser.sample(starts, size // 8) for pair in pairs[start : start + 8]]
        yield [query for query, _ in chosen], [text for _, text in chosen]


def spread(queries: torch.Tensor, texts: torch.Tensor) -> torch.Tensor:
    return log_softmax(queries.float() @ texts.float().T / TEMPERATURE, -1)


class Distilling:
    """The loss of one step: of each stream of pairs one batch."""

    def __init__(self, student: nn.Module, before: nn.Module, teacher: nn.Module, streams: list[Ahead], device: str):
        self._student, self._before, self._teacher, self._streams, self._device = (
            student,
            before,
            teacher,
            streams,
            device,
        )

    def __call__(self) -> dict[str, torch.Tensor]:
        order, stays = torch.zeros((), device=self._device), torch.zeros((), device=self._device)
        for stream in self._streams:
            batch = [tuple(part.to(self._device, non_blocking=True) for part in each) for each in next(stream)]
            made = [self._student.pooled(*each) for each in batch]
            with torch.no_grad():
                wanted = [self._teacher.pooled(*each) for each in batch]
                earlier = [self._before.pooled(*each) for each in batch]
            for one, other in ((0, 1), (1, 0)):
                target = spread(wanted[one], wanted[other])
                order = order + kl_div(spread(made[one], made[other]), target, reduction="batchmean", log_target=True)
            stays = stays + sum(distance(a, b) for a, b in zip(made, earlier, strict=True))
        return {"order": order, "stays": STAYS * stays}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("student", "teacher", "data", "rows", "corpus", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--deadline-s", type=float, default=200)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    torch.manual_seed(0)
    rows_of_ids = np.load(options.data / "rows_of_ids.npy")

    def model(path: Path, body: type[nn.Module]) -> nn.Module:
        weights = {name: value.float() for name, value in load_file(path).items()}
        made = body(len(weights[WORDS]))
        made.load_state_dict(weights)
        return made.to(options.device)

    student, before, teacher = (
        model(options.student, Encoder),
        model(options.student, Encoder).requires_grad_(False),
        model(options.teacher, Mpnet).requires_grad_(False),
    )
    sources = [
        (english_pairs(options.rows, options.corpus), options.size),
        (japanese_pairs(options.data, options.corpus), options.size // 2),
        ([tuple(each) for each in read_json_lines(options.data / "parallel.jsonl.gz")], options.size // 2),
    ]
    streams = []
    for seed, (pairs, size) in enumerate(sources):
        texts = TextBatches(options.data / "tokenizer.json", rows_of_ids)
        made = batches(pairs, size, seed)
        streams.append(Ahead((texts(queries, 64), texts(found, 224)) for queries, found in made))
    texts = TextBatches(options.data / "tokenizer.json", rows_of_ids)
    dev = read_json_lines(options.data / "parallel_dev.jsonl.gz")
    print(f"start: ja->en recall@10 {japanese_recall(student, texts, dev):.3f}", flush=True)
    print(f"teacher: ja->en recall@10 {japanese_recall(teacher, texts, dev):.3f}", flush=True)
    lesson = Distilling(student, before, teacher, streams, options.device)
    run_stage(
        "distil", lesson, list(student.parameters()), options.steps, options.rate, options.deadline_s, options.device
    )
    print(f"end: ja->en recall@10 {japanese_recall(student, texts, dev):.3f}", flush=True)
    save_file({name: value.half().cpu().contiguous() for name, value in student.state_dict().items()}, options.out)


if __name__ == "__main__":
    main()
