"""Trains the shipped embedder on: the order of a larger model in English, questions and their paragraphs in Japanese.

python distil_embedder.py --student small_init.safetensors --rows-of-ids small_rows.npy --tokenizer tokenizer.json
    --teacher mpnet.safetensors --rows train.jsonl.gz --corpus CORPUS --data bilingual --out embedder.safetensors
The teacher (all-mpnet-base-v2 with the student's tokens, large_start.py) knows English alone: the student learns how
it spreads each query's attention over the texts of a batch. Japanese is learned from who belongs to whom. The student
stays near what it said before, so that thresholds on its cosines still hold.
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

from corpus import Group, read_groups
from minilm import Encoder
from mpnet import Mpnet
from rows import CHECKED, read_rows
from train_embedder import (
    Ahead,
    TextBatches,
    contrast,
    distance,
    japanese_recall,
    query_and_text,
    read_json_lines,
    run_stage,
    translation_batches,
)

TEMPERATURE = 0.05
NEIGHBOURS = 8  # paragraphs of one article in a row
WORDS = "embeddings.word_embeddings.weight"

Texts = tuple[list[str], list[str]]


def english_pairs(rows: Path, groups: list[Group]) -> list[tuple[str, str]]:
    """Claims and the texts that were found or written for them, claims on one matter side by side."""
    found = sorted({(row.premise, row.hypothesis) for row in read_rows(rows) if row.source in CHECKED})
    written = [
        (claim, text)
        for group in groups
        if group.lang == "en"
        for claim, text in zip(group.claims, group.passages, strict=False)
    ]
    return [(claim, text) for text, claim in found] + written * 2


def english_batches(pairs: list[tuple[str, str]], size: int, seed: int) -> Iterator[Texts]:
    """Neighbours come together, so that a query meets texts on its own matter."""
    chooser = random.Random(seed)
    starts = range(0, len(pairs) - NEIGHBOURS, NEIGHBOURS)
    while True:
        chosen = [pair for at in chooser.sample(starts, size // NEIGHBOURS) for pair in pairs[at : at + NEIGHBOURS]]
        yield [query for query, _ in chosen], [text for _, text in chosen]


def question_batches(paragraphs: list, size: int, seed: int) -> Iterator[Texts]:
    """Questions, or sentences cut out of their paragraph, and the paragraphs; neighbours of an article together."""
    chooser = random.Random(seed)
    starts = range(0, len(paragraphs) - NEIGHBOURS, NEIGHBOURS)
    while True:
        chosen = [
            paragraph
            for at in chooser.sample(starts, size // NEIGHBOURS)
            for paragraph in paragraphs[at : at + NEIGHBOURS]
        ]
        pairs = [query_and_text(one, chooser) for one in chosen]
        yield [query for query, _ in pairs], [text for _, text in pairs]


def written_batches(groups: list[Group], size: int, seed: int) -> Iterator[Texts]:
    """A claim and a passage that takes a side on it, of each group one: others of its group may speak of it, too."""
    chooser = random.Random(seed)
    usable = [group for group in groups if group.lang == "ja"]
    while True:
        claims, texts = [], []
        for group in chooser.sample(usable, size):
            sided = [
                (column, place)
                for place, labels in enumerate(group.labels)
                for column, label in enumerate(labels)
                if label != "N"
            ]
            column, place = chooser.choice(sided)
            claims.append(group.claims[column])
            texts.append(group.passages[place])
        yield claims, texts


def spread(queries: torch.Tensor, texts: torch.Tensor) -> torch.Tensor:
    return log_softmax(queries.float() @ texts.float().T / TEMPERATURE, -1)


class Lessons:
    """The losses of one step: a batch of each stream."""

    def __init__(self, student: nn.Module, before: nn.Module, teacher: nn.Module, options: argparse.Namespace) -> None:
        self._student, self._before, self._teacher, self._device = student, before, teacher, options.device
        groups = [group for group in read_groups(options.corpus) if not group.is_held_out]
        paragraphs = read_json_lines(options.data / "questions.jsonl.gz")
        pairs = read_json_lines(options.data / "parallel.jsonl.gz")
        rows_of_ids, size = np.load(options.rows_of_ids), options.size

        def stream(batches: Iterator[Texts], *most_tokens: int) -> Ahead:
            texts = TextBatches(options.tokenizer, rows_of_ids)
            return Ahead(tuple(map(texts, batch, most_tokens)) for batch in batches)

        self._english = stream(english_batches(english_pairs(options.rows, groups), size, 0), 64, 224)
        self._questions = stream(question_batches(paragraphs, size, 1), 64, 256)
        self._written = stream(written_batches(groups, size // 2, 2), 64, 224)
        self._parallel = stream(translation_batches(pairs, size, 3), 96, 96)
        self._stays = options.stays

    def __call__(self) -> dict[str, torch.Tensor]:
        english, questions, written, parallel = map(
            self._moved, (self._english, self._questions, self._written, self._parallel)
        )
        queries, texts = (self._student.pooled(*each) for each in english)
        with torch.no_grad():
            wanted = [self._teacher.pooled(*each) for each in english]
            earlier = [self._before.pooled(*each) for each in english]
        order = kl_div(spread(queries, texts), spread(*wanted), reduction="batchmean", log_target=True) + kl_div(
            spread(texts, queries), spread(*reversed(wanted)), reduction="batchmean", log_target=True
        )
        stays = distance(queries, earlier[0]) + distance(texts, earlier[1])
        en, ja = (self._student.pooled(*each) for each in parallel)
        with torch.no_grad():
            english_before = self._before.pooled(*parallel[0])
        return {
            "order": order,
            "questions": contrast(*(self._student.pooled(*each) for each in questions)),
            "written": 0.5 * contrast(*(self._student.pooled(*each) for each in written)),
            "parallel": contrast(ja, en) + 2 * distance(ja, english_before),
            "stays": self._stays * (stays + distance(en, english_before)),
        }

    def _moved(self, stream: Ahead) -> list[tuple[torch.Tensor, ...]]:
        return [tuple(part.to(self._device, non_blocking=True) for part in each) for each in next(stream)]


def load(path: Path, body: type[nn.Module], device: str) -> nn.Module:
    weights = {name: value.float() for name, value in load_file(path).items()}
    made = body(len(weights[WORDS]))
    made.load_state_dict(weights)
    return made.to(device)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("student", "rows-of-ids", "tokenizer", "teacher", "rows", "corpus", "data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--stays", type=float, default=2.0)
    parser.add_argument("--deadline-s", type=float, default=200)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    torch.manual_seed(0)
    student, before, teacher = (
        load(options.student, Encoder, options.device),
        load(options.student, Encoder, options.device).requires_grad_(False),
        load(options.teacher, Mpnet, options.device).requires_grad_(False),
    )
    texts = TextBatches(options.tokenizer, np.load(options.rows_of_ids))
    dev = read_json_lines(options.data / "parallel_dev.jsonl.gz")
    print(f"start: ja->en recall@10 {japanese_recall(student, texts, dev):.3f}", flush=True)
    lessons = Lessons(student, before, teacher, options)
    run_stage(
        "distil", lessons, list(student.parameters()), options.steps, options.rate, options.deadline_s, options.device
    )
    print(f"end: ja->en recall@10 {japanese_recall(student, texts, dev):.3f}", flush=True)
    save_file({name: value.half().cpu().contiguous() for name, value in student.state_dict().items()}, options.out)


if __name__ == "__main__":
    main()
