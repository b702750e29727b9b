"""Measures BM25, the embedder and their fusion on retrieval collections, and Japanese to English recall.

python evaluate_ranking.py --model FOLDER --ranking FOLDER --jaquad FOLDER --parallel FOLDER
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import onnxruntime
from sudachipy import Dictionary, SplitMode
from tokenizers import Tokenizer

import collections_read as read
from prepare_embedder import parallel_pairs

WEIGHTS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
K1, B = 1.2, 0.75
SKIPPED = frozenset({"助詞", "助動詞", "補助記号", "空白"})


class Embedder:
    """A packaged embedder folder."""

    def __init__(self, folder: Path, threads: int = 2) -> None:
        card = json.loads((folder / "card.json").read_text("utf-8"))
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(card["max_tokens"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)

    def embed(self, texts: list[str], batch: int = 16) -> np.ndarray:
        encoded = [each.ids for each in self._tokenizer.encode_batch(texts)]
        order = np.argsort([len(ids) for ids in encoded])
        found = np.zeros((len(texts), 384), np.float32)
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            longest = max(len(encoded[i]) for i in chosen)
            ids = np.array([encoded[i] + [0] * (longest - len(encoded[i])) for i in chosen], np.int64)
            mask = np.array([[1] * len(encoded[i]) + [0] * (longest - len(encoded[i])) for i in chosen], np.int64)
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            found[chosen] = self._session.run(["embedding"], feed)[0]
        return found


def english_words(text: str) -> list[str]:
    return [re.sub(r"(?:ies|es|s|ing|ed)$", "", word) for word in re.findall(r"[a-z0-9]+", text.lower())]


class JapaneseWords:
    """Normalised forms of content words, as Sudachi cuts them."""

    def __init__(self) -> None:
        self._tokenizer = Dictionary(dict="core").create(mode=SplitMode.A)

    def __call__(self, text: str) -> list[str]:
        found = self._tokenizer.tokenize(text)
        return [each.normalized_form().lower() for each in found if each.part_of_speech()[0] not in SKIPPED]


def bm25(documents: list[list[str]], queries: list[list[str]]) -> np.ndarray:
    """Scores of every document for every query."""
    places: dict[str, list[tuple[int, int]]] = {}
    for number, words in enumerate(documents):
        for word, count in Counter(words).items():
            places.setdefault(word, []).append((number, count))
    lengths = np.array([len(words) for words in documents])
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    scores = np.zeros((len(queries), len(documents)), np.float32)
    for row, words in enumerate(queries):
        for word in words:
            found = places.get(word, [])
            rarity = math.log(1 + (len(documents) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                scores[row, number] += rarity * count * (K1 + 1) / (count + norm[number])
    return scores


def ndcg(scores: np.ndarray, relevant: list[dict[int, int]], depth: int = 10) -> float:
    gains = []
    for row, grades in zip(scores, relevant, strict=True):
        top = np.argsort(-row, kind="stable")[:depth]
        got = sum(grades.get(int(i), 0) / math.log2(rank + 2) for rank, i in enumerate(top))
        best = sum(g / math.log2(rank + 2) for rank, g in enumerate(sorted(grades.values(), reverse=True)[:depth]))
        gains.append(got / best)
    return float(np.mean(gains))


def fuse(lexical: np.ndarray, cosine: np.ndarray, weight: float) -> np.ndarray:
    """BM25 divided by the pool's maximum and cosine clipped to [0, 1]; `weight` is BM25's share."""
    return weight * lexical / np.maximum(lexical.max(1, keepdims=True), 1e-9) + (1 - weight) * np.clip(cosine, 0, 1)


def measure(collection: read.Collection, model: Embedder, words) -> None:
    numbers = {name: i for i, name in enumerate(collection.documents)}
    asked = [query for query in collection.queries if collection.relevant.get(query)]
    texts, questions = list(collection.documents.values()), [collection.queries[query] for query in asked]
    relevant = [{numbers[d]: g for d, g in collection.relevant[q].items() if d in numbers} for q in asked]
    lexical = bm25([words(text) for text in texts], [words(text) for text in questions])
    cosine = model.embed(questions) @ model.embed(texts).T
    fused = " ".join(f"{weight}:{ndcg(fuse(lexical, cosine, weight), relevant):.3f}" for weight in WEIGHTS)
    print(
        f"{collection.name:10} {len(texts)} docs {len(asked)} queries bm25 {ndcg(lexical, relevant):.3f}"
        f" embedding {ndcg(cosine, relevant):.3f} fusion by BM25's share {fused}",
        flush=True,
    )


def measure_translation(folder: Path, model: Embedder) -> None:
    """Japanese test sentences against the English side of test, dev and ten thousand training sentences."""
    test, others = (
        parallel_pairs(folder, "test"),
        parallel_pairs(folder, "dev") + parallel_pairs(folder, "train")[:9000],
    )
    english = model.embed([en for en, _ in test + others])
    japanese = model.embed([ja for _, ja in test])
    scores = japanese @ english.T
    own = scores[np.arange(len(test)), np.arange(len(test))][:, None]
    rank = (scores > own).sum(1)
    print(
        f"ja->en {len(english)} sentences recall@1 {np.mean(rank < 1):.3f} recall@10 {np.mean(rank < 10):.3f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "ranking", "jaquad", "parallel"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    model = Embedder(options.model)
    measure_translation(options.parallel, model)
    measure(read.jaquad(options.jaquad), model, JapaneseWords())
    measure(read.cranfield(options.ranking / "cranfield" / "data" / "cran"), model, english_words)
    measure(read.cacm(options.ranking / "cacm" / "cacm"), model, english_words)
    measure(read.npl(options.ranking / "npl" / "share" / "vaswani_npl"), model, english_words)


if __name__ == "__main__":
    main()
