"""Pairs without labels for distillation: written passages against written claims, and open text paired anew.

python make_pairs.py --texts texts.jsonl.gz --rows train.jsonl.gz --data EMBEDDER_FOLDER --embedder embedder.safetensors
    --out FOLDER
Writes `unlabelled.jsonl.gz`, and `parallel_en.jsonl.gz` for the teacher with `parallel_ja.jsonl.gz` for the student.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from minilm import Encoder, load_weights
from packed import PackedTokens, cut_by_tokens
from parallel_pairs import parallel_pairs
from perturb import perturb
from rows import Row, read_rows, write_rows
from sentences import split_sentences

WINDOWS = (1, 1, 1, 1, 2, 2, 3, 4)
NEAREST = 24
REPAIRED_EN = (
    "fever_dev_rte2way",
    "fool_me_twice",
    "fever_symmetric",
    "wice_claim",
    "semi_auto_nli_wiki",
    "mnli",
    "begin_attrib",
)
SMALL = frozenset({"fool_me_twice", "fever_symmetric", "wice_claim", "begin_attrib"})
REPAIRED_JA = ("jnli", "jsick", "jsem", "janli")
SENTENCE_CHARS = (30, 300)


class Neighbours:
    """Nearest texts of one list for each of another, by the bilingual embedder."""

    def __init__(self, data: Path, weights: Path, device: str) -> None:
        self._rows = np.load(data / "rows_of_ids.npy")
        self._tokenizer = Tokenizer.from_file(str(data / "tokenizer.json"))
        self._tokenizer.enable_truncation(128)
        self._model = Encoder(int(self._rows.max()) + 1).to(device).eval()
        load_weights(self._model, weights)
        self._device = device

    @torch.no_grad()
    def embed(self, texts: list[str]) -> torch.Tensor:
        ids = [self._rows[each.ids] for each in self._tokenizer.encode_batch(texts)]
        tokens = PackedTokens(ids, self._device)
        found = torch.zeros(len(texts), 384, device=self._device)
        for chosen in cut_by_tokens(np.argsort(tokens.lengths), tokens.lengths, 65536, 2048):
            with torch.autocast(self._device, torch.bfloat16, enabled=self._device == "cuda"):
                found[torch.from_numpy(chosen).to(self._device)] = self._model.pooled(*tokens.batch(chosen))
        return found

    def nearest(self, queries: list[str], texts: list[str], count: int) -> np.ndarray:
        """Indices into `texts`, nearest first."""
        left, right = self.embed(queries), self.embed(texts)
        blocks = [(part @ right.T).topk(min(count, len(texts)), dim=1).indices.cpu() for part in left.split(2048)]
        return torch.cat(blocks).numpy()


def windows(passages: Iterable[str], chooser: random.Random) -> list[str]:
    """Each passage cut into successive windows of one to four sentences; the last sentence is often cut off."""
    found = []
    for passage in passages:
        parts, place = split_sentences(passage)[:-1], 0
        while place < len(parts):
            size = chooser.choice(WINDOWS)
            text = " ".join(parts[place : place + size])
            if len(text) >= SENTENCE_CHARS[0]:
                found.append(text)
            place += size
    return found


def written_pairs(records: list[dict], near: Neighbours, per_claim: int, chooser: random.Random) -> list[Row]:
    """Claims and single sentences against near windows; sentences against their rewordings and edits."""
    premises = windows((each["text"] for each in records if each["kind"] == "passage"), chooser)
    claims = [first_sentence(each["text"]) for each in records if each["kind"] == "claim"]
    claims = sorted({claim for claim in claims if len(claim) >= SENTENCE_CHARS[0]})
    singles = chooser.sample(premises, min(len(premises), len(claims)))
    singles = [each for each in map(first_sentence, singles) if len(each) <= SENTENCE_CHARS[1]]
    pairs = repaired(claims + singles, premises, near, per_claim, "written", "en", chooser)
    reworded = [(each["about"], first_sentence(each["text"])) for each in records if each["kind"] == "rewording"]
    pairs += [Row(sentence, text, "", "reworded", "en") for sentence, text in reworded if len(text) > 20]
    pairs += [
        Row(text, sentence, "", "reworded", "en")
        for sentence, text in reworded
        if len(text) > 20 and chooser.random() < 0.3
    ]
    return pairs + edited(premises, "written_edited", chooser)


def first_sentence(text: str) -> str:
    parts = split_sentences(text.strip().strip('"'))
    return parts[0].strip('"') if parts else ""


def repaired(
    hypotheses: list[str],
    premises: list[str],
    near: Neighbours,
    count: int,
    source: str,
    lang: str,
    chooser: random.Random,
) -> list[Row]:
    """Each hypothesis with a few of its nearest premises, whatever their relation."""
    if not hypotheses or not premises:
        return []
    found = []
    for hypothesis, order in zip(hypotheses, near.nearest(hypotheses, premises, NEAREST), strict=True):
        others = [premises[i] for i in order if premises[i] != hypothesis]
        chosen = chooser.sample(others, min(count, len(others)))
        found += [Row(premise, hypothesis, "", source, lang) for premise in chosen]
    return found


def edited(premises: list[str], source: str, chooser: random.Random) -> list[Row]:
    """A sentence of the premise, changed in one place, as the hypothesis."""
    found = []
    for premise in premises:
        sentence = chooser.choice(split_sentences(premise) or [premise])
        if SENTENCE_CHARS[0] <= len(sentence) <= SENTENCE_CHARS[1] and (changed := perturb(sentence, chooser)):
            found.append(Row(premise, changed, "", source, "en"))
    return found


def open_pairs(rows: list[Row], near: Neighbours, chooser: random.Random) -> list[Row]:
    found = []
    for source in (*REPAIRED_EN, *REPAIRED_JA):
        mine = [row for row in rows if row.source == source]
        if not mine:
            continue
        hypotheses, premises = sorted({row.hypothesis for row in mine}), sorted({row.premise for row in mine})
        count = 10 if source in SMALL else 2
        found += repaired(hypotheses, premises, near, count, f"{source}_repaired", mine[0].lang, chooser)
        if mine[0].lang == "en":
            found += edited(premises * (4 if source in SMALL else 1), f"{source}_edited", chooser)
            found += turned(mine * (5 if source in SMALL else 1), f"{source}_turned", chooser)
    return found


def turned(rows: list[Row], source: str, chooser: random.Random) -> list[Row]:
    """Known pairs with an edit in the hypothesis."""
    changed = [(row.premise, perturb(row.hypothesis, chooser)) for row in rows]
    return [Row(premise, text, "", source, "en") for premise, text in dict.fromkeys(changed) if text]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("texts", "rows", "data", "embedder", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--per-claim", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    chooser = random.Random(options.seed)
    near = Neighbours(options.data, options.embedder, options.device)
    with gzip.open(options.texts, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    rows = [row for row in read_rows(options.rows) if not row.source.endswith("_mined")]
    options.out.mkdir(parents=True, exist_ok=True)
    pairs = written_pairs(records, near, options.per_claim, chooser) + open_pairs(rows, near, chooser)
    with gzip.open(options.data / "parallel.jsonl.gz", "rt", encoding="utf-8") as file:
        parallel = [tuple(json.loads(line)) for line in file]

    def nearest(queries: list[str], texts: list[str], count: int) -> list[list[int]]:
        return near.nearest(queries, texts, count).tolist()

    read, learnt = parallel_pairs(parallel, nearest, chooser)
    for name, made in (("parallel_ja", learnt), ("parallel_en", read), ("unlabelled", pairs)):
        unfinished = options.out / f".{name}"
        write_rows(unfinished, made)
        unfinished.replace(options.out / f"{name}.jsonl.gz")
    print(len(read), "parallel", flush=True)
    counts = {source: sum(row.source == source for row in pairs) for source in {row.source for row in pairs}}
    print(len(pairs), counts, flush=True)


if __name__ == "__main__":
    main()
