"""Lets SmolLM2 write passages and claims on many subjects, and reword sentences: text without labels for distillation.

python write_texts.py --gguf smol.gguf --tokenizer smol_tokenizer.json --out texts.jsonl.gz
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from pathlib import Path

import torch
from tokenizers import Tokenizer

from llama import load_gguf
from sentences import split_sentences
from topics import claim_prompts, passage_prompts
from writer import Writer

CHAT = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
END = "<|im_end|>"
REWORDINGS = (
    "Say this in other words, in one sentence: {}",
    "Shorten this to one plain claim: {}",
    "Write the opposite of this sentence: {}",
    "Write a sentence that contradicts this: {}",
)
SENTENCE_CHARS = (40, 260)


class Author:
    """Answers instructions in batches and decodes them."""

    def __init__(self, gguf: Path, tokenizer: Path, batch: int, device: str) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._writer = Writer(load_gguf(gguf), self._tokenizer.token_to_id(END), device)
        self._batch = batch

    def answer(self, instructions: list[str], new_tokens: int, temperature: float) -> list[str]:
        prompts = [self._tokenizer.encode(CHAT.format(each), add_special_tokens=False).ids for each in instructions]
        order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
        answers = [""] * len(prompts)
        for start in range(0, len(order), self._batch):
            chosen = order[start : start + self._batch]
            made = self._writer.continue_all([prompts[i] for i in chosen], new_tokens, temperature)
            for i, text in zip(chosen, self._tokenizer.decode_batch(made), strict=True):
                answers[i] = text.strip()
        return answers


def reword_prompts(passages: list[str], count: int, seed: int) -> list[tuple[str, str]]:
    """Pairs of a sentence from a passage and an instruction to reword it."""
    chooser = random.Random(seed)
    low, high = SENTENCE_CHARS
    pool = [s for text in passages for s in split_sentences(text)[:-1] if low <= len(s) <= high]
    chosen = [chooser.choice(pool) for _ in range(count)] if pool else []
    return [(sentence, chooser.choice(REWORDINGS).format(sentence)) for sentence in chosen]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--passages", type=int, default=24576)
    parser.add_argument("--claims", type=int, default=24576)
    parser.add_argument("--rewordings", type=int, default=32768)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def main() -> None:
    options = parse()
    torch.manual_seed(options.seed)
    started = time.monotonic()
    author = Author(options.gguf, options.tokenizer, options.batch, options.device)
    records = []
    for kind, prompts, size in (
        ("passage", passage_prompts(options.passages, options.seed), 150),
        ("claim", claim_prompts(options.claims, options.seed + 1), 40),
    ):
        answers = author.answer([prompt for _, prompt in prompts], size, 0.9)
        records += [{"kind": kind, "about": s, "text": t} for (s, _), t in zip(prompts, answers, strict=True)]
        keep(options.out, records)
        print(f"{kind}: {len(answers)} after {time.monotonic() - started:.0f} s", flush=True)
    passages = [each["text"] for each in records if each["kind"] == "passage"]
    prompts = reword_prompts(passages, options.rewordings, options.seed)
    answers = author.answer([prompt for _, prompt in prompts], 48, 0.7)
    records += [{"kind": "rewording", "about": s, "text": t} for (s, _), t in zip(prompts, answers, strict=True)]
    keep(options.out, records)
    print(f"rewordings: {len(answers)} after {time.monotonic() - started:.0f} s", flush=True)


def keep(path: Path, records: list[dict[str, str]]) -> None:
    """Writes what there is so far, so that a run that is cut short leaves its texts."""
    unfinished = path.with_name(f".{path.name}")
    with gzip.open(unfinished, "wt", encoding="utf-8", compresslevel=4) as file:
        file.writelines(json.dumps(each, ensure_ascii=False) + "\n" for each in records)
    unfinished.replace(path)


if __name__ == "__main__":
    main()
