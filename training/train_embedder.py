"""Teaches MiniLM or mpnet Japanese without moving its English.

First only the Japanese embedding rows learn, in front of the frozen encoder, from translations and glosses. Then the
encoder learns too, with questions and paragraphs added, while English texts hold it to the original's embeddings.

python train_embedder.py --data FOLDER --minilm model.safetensors --out embedder.safetensors
python train_embedder.py --data FOLDER --mpnet large_init.safetensors --out large_body.safetensors
The second is what the large reader is trained from; its Japanese rows come from `large_start.py`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn
from torch.nn.functional import cross_entropy

from minilm import Encoder
from mpnet import Mpnet

TEMPERATURE = 0.05
GLOSS_NOISE = 0.01
WORDS = "embeddings.word_embeddings.weight"


def read_json_lines(path: Path) -> list:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class TextBatches:
    """Turns texts into padded rows of the embedding table."""

    def __init__(self, tokenizer: Path, rows_of_ids: np.ndarray) -> None:
        self._tokenizer, self._rows = Tokenizer.from_file(str(tokenizer)), rows_of_ids
        self._tokenizer.enable_padding()

    def __call__(self, texts: list[str], max_tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
        self._tokenizer.enable_truncation(max_tokens)
        encoded = self._tokenizer.encode_batch(texts)
        ids = torch.from_numpy(self._rows[np.array([each.ids for each in encoded])])
        return ids, torch.tensor([each.attention_mask for each in encoded], dtype=torch.bool)


class Ahead:
    """Prepares the next few items of an endless iterator in a thread, so that the device does not wait."""

    def __init__(self, items: Iterator, depth: int = 6) -> None:
        self._ready: Queue = Queue(depth)
        Thread(target=self._fill, args=(items,), daemon=True).start()

    def _fill(self, items: Iterator) -> None:
        for item in items:
            self._ready.put(item)

    def __next__(self):
        return self._ready.get()


def bilingual_start(minilm: Path, data: Path, tokenizer: Tokenizer, seed: int) -> dict[str, torch.Tensor]:
    """MiniLM's weights with a row per Japanese piece: the mean of its gloss's English pieces where it has one."""
    weights = {name: value.float() for name, value in load_file(minilm).items() if value.is_floating_point()}
    glosses = read_json_lines(data / "piece_glosses.jsonl.gz")
    old = weights[WORDS]
    generator = torch.Generator().manual_seed(seed)
    rows = max(row for row, _ in glosses) + 1
    new = old.mean(0) + GLOSS_NOISE * torch.randn(rows, old.shape[1], generator=generator)
    new[: len(old)] = old
    for row, texts in glosses:
        ids = [i for text in texts for i in tokenizer.encode(text, add_special_tokens=False).ids if i < len(old)]
        if ids and texts[0]:
            new[row] = old[ids].mean(0) + GLOSS_NOISE * torch.randn(old.shape[1], generator=generator)
    return {**{k: v for k, v in weights.items() if not k.startswith("pooler")}, WORDS: new}


def translation_batches(pairs: list, size: int, seed: int) -> Iterator[tuple[list[str], list[str]]]:
    """Endless batches of English and Japanese; a third are two to four sentences long."""
    chooser = random.Random(seed)
    while True:
        batch = []
        for _ in range(size):
            count = chooser.choice((2, 3, 4)) if chooser.random() < 0.33 else 1
            chosen = [pairs[chooser.randrange(len(pairs))] for _ in range(count)]
            batch.append((" ".join(en for en, _ in chosen), "".join(ja for _, ja in chosen)))
        yield [en for en, _ in batch], [ja for _, ja in batch]


def plain_batches(items: list, size: int, seed: int) -> Iterator[list]:
    chooser = random.Random(seed)
    while True:
        order = chooser.sample(range(len(items)), len(items))
        for start in range(0, len(order) - size + 1, size):
            yield [items[i] for i in order[start : start + size]]


def question_batches(paragraphs: list, size: int, seed: int) -> Iterator[tuple[list[str], list[str]]]:
    """Queries and paragraphs; neighbours of one article come together, so the negatives are hard.

    A third of the queries are sentences cut out of the paragraph instead of questions.
    """
    chooser = random.Random(seed)
    while True:
        starts = chooser.sample(range(0, len(paragraphs), 4), len(paragraphs) // 4)
        for place in range(0, len(starts) - size // 4 + 1, size // 4):
            chosen = [p for start in starts[place : place + size // 4] for p in paragraphs[start : start + 4]]
            pairs = [query_and_text(each, chooser) for each in chosen]
            yield [query for query, _ in pairs], [text for _, text in pairs]


def query_and_text(paragraph: list, chooser: random.Random) -> tuple[str, str]:
    questions, title, text = paragraph
    parts = [part for part in text.replace("\n", "").split("。") if len(part) > 8]
    if chooser.random() < 0.33 and len(parts) > 2:
        cut = chooser.choice(parts)
        return cut, text.replace(cut, "") if chooser.random() < 0.5 else text
    return chooser.choice(questions), f"{title} {text}" if chooser.random() < 0.5 else text


def contrast(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Both directions of the in-batch choice among all partners."""
    scores = left @ right.T / TEMPERATURE
    truth = torch.arange(len(scores), device=scores.device)
    return (cross_entropy(scores, truth) + cross_entropy(scores.T, truth)) / 2


def distance(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return (1 - (left * right).sum(1)).mean()


class Lessons:
    """The losses of one step, each from its own endless stream of tokenised texts."""

    def __init__(self, data: Path, student: nn.Module, teacher: nn.Module, scale: int, device: str) -> None:
        self._student, self._teacher, self._device = student, teacher, device
        tokenizer, rows = data / "tokenizer.json", np.load(data / "rows_of_ids.npy")

        def stream(batches: Iterator[tuple[list[str], ...]], *max_tokens: int) -> Ahead:
            texts = TextBatches(tokenizer, rows)
            return Ahead(tuple(map(texts, batch, max_tokens)) for batch in batches)

        def pairs(name: str, size: int, seed: int) -> Iterator[tuple[list[str], ...]]:
            return (
                tuple(map(list, zip(*batch, strict=True)))
                for batch in plain_batches(read_json_lines(data / name), size, seed)
            )

        sentences = translation_batches(read_json_lines(data / "parallel.jsonl.gz"), 512 // scale, 1)
        self._parallel = stream(sentences, 96, 96)
        self._glosses = stream(pairs("glosses.jsonl.gz", 1024 // scale, 2), 24, 24)
        self._weak = stream(pairs("weak.jsonl.gz", 256 // scale, 3), 160, 160)
        questions = question_batches(read_json_lines(data / "questions.jsonl.gz"), 256 // scale, 4)
        self._questions = stream(questions, 64, 256)
        english = plain_batches(read_json_lines(data / "english.jsonl.gz"), 512 // scale, 5)
        self._english = stream(((batch,) for batch in english), 256)

    def words_and_sentences(self) -> torch.Tensor:
        english, japanese = next(self._parallel)
        loss = self._imitate(english, japanese, 1.0)
        word, gloss = next(self._glosses)
        loss = loss + 0.5 * self._imitate(gloss, word, 0.3)
        english, japanese = next(self._weak)
        return loss + 0.5 * self._imitate(english, japanese, 0.5)

    def questions(self) -> torch.Tensor:
        query, paragraph = next(self._questions)
        return contrast(self._embed(self._student, query), self._embed(self._student, paragraph))

    def english(self) -> torch.Tensor:
        (text,) = next(self._english)
        with torch.no_grad():
            target = self._embed(self._teacher, text)
        return distance(self._embed(self._student, text), target)

    def _imitate(self, english: tuple, japanese: tuple, contrast_share: float) -> torch.Tensor:
        with torch.no_grad():
            target = self._embed(self._teacher, english)
        made = self._embed(self._student, japanese)
        return 5 * distance(made, target) + contrast_share * contrast(made, target)

    def _embed(self, model: nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        ids, mask = batch
        return model.pooled(ids.to(self._device, non_blocking=True), mask.to(self._device, non_blocking=True))


def run_stage(name: str, lesson, parameters: list, steps: int, rate: float, deadline_s: float, device: str) -> None:
    """Steps at a rate that falls to nothing at the last step or at the deadline, whichever is nearer."""
    optimiser = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.0, betas=(0.9, 0.98))
    started = time.monotonic()
    for step in range(1, steps + 1):
        done = max(step / steps, (time.monotonic() - started) / deadline_s)
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, step / 100) * max(0.02, 1 - done)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            losses = lesson()
        optimiser.zero_grad(set_to_none=True)
        sum(losses.values()).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        if step % max(1, steps // 12) == 0:
            shown = " ".join(f"{key} {value.item():.4f}" for key, value in losses.items())
            print(f"{name} {step}/{steps} {shown} {time.monotonic() - started:.0f} s", flush=True)
        if done >= 1 and step < steps:
            print(f"{name} stopped by its deadline at step {step}", flush=True)
            break


def japanese_recall(student: nn.Module, texts: TextBatches, pairs: list) -> float:
    """Share of Japanese sentences whose translation is among the ten nearest English ones."""
    device = student.embeddings.word_embeddings.weight.device
    with torch.no_grad():
        english, japanese = (
            student.pooled(*(part.to(device) for part in texts([pair[side] for pair in pairs], 64))) for side in (0, 1)
        )
    nearest = (japanese @ english.T).topk(10, dim=1).indices
    truth = torch.arange(len(pairs), device=nearest.device)[:, None]
    return (nearest == truth).any(1).float().mean().item()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    begin = parser.add_mutually_exclusive_group(required=True)
    begin.add_argument("--minilm", type=Path)
    begin.add_argument("--mpnet", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--row-steps", type=int, default=1500)
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--row-deadline-s", type=float, default=90)
    parser.add_argument("--deadline-s", type=float, default=220)
    parser.add_argument("--scale", type=int, default=1, help="divides every batch, for a trial")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def main() -> None:
    options = parse()
    torch.manual_seed(options.seed)
    tokenizer = Tokenizer.from_file(str(options.data / "tokenizer.json"))
    if options.mpnet:
        start, body = {name: value.float() for name, value in load_file(options.mpnet).items()}, Mpnet
    else:
        start, body = bilingual_start(options.minilm, options.data, tokenizer, options.seed), Encoder
    student, teacher = body(len(start[WORDS])), body(len(start[WORDS]))
    student.load_state_dict(start)
    teacher.load_state_dict(start)
    student.to(options.device)
    teacher.to(options.device).requires_grad_(False)
    rows_of_ids = np.load(options.data / "rows_of_ids.npy")
    texts = TextBatches(options.data / "tokenizer.json", rows_of_ids)

    table = student.embeddings.word_embeddings.weight
    japanese = torch.zeros(len(table), 1, device=options.device)
    japanese[[row for row, _ in read_json_lines(options.data / "piece_glosses.jsonl.gz")]] = 1
    table.register_hook(lambda gradient: gradient * japanese)

    dev = read_json_lines(options.data / "parallel_dev.jsonl.gz")
    print(f"start: ja->en recall@10 {japanese_recall(student, texts, dev):.3f}", flush=True)
    lessons = Lessons(options.data, student, teacher, options.scale, options.device)
    student.requires_grad_(False)
    table.requires_grad_(True)
    run_stage(
        "rows",
        lambda: {"translate": lessons.words_and_sentences()},
        [table],
        options.row_steps,
        2e-3,
        options.row_deadline_s,
        options.device,
    )
    print(f"rows: ja->en recall@10 {japanese_recall(student, texts, dev):.3f}", flush=True)
    student.requires_grad_(True)
    run_stage(
        "all",
        lambda: {
            "translate": lessons.words_and_sentences(),
            "question": lessons.questions(),
            "english": 40 * lessons.english(),
        },
        list(student.parameters()),
        options.steps,
        1e-4,
        options.deadline_s,
        options.device,
    )
    print(f"all: ja->en recall@10 {japanese_recall(student, texts, dev):.3f}", flush=True)
    save_file({name: value.half().cpu().contiguous() for name, value in student.state_dict().items()}, options.out)


if __name__ == "__main__":
    main()
