"""The tokenizer inside a Qwen GGUF file, pruned to the pieces that our texts need.

python decoder_tokenizer.py MODEL.gguf tokenizer.json kept_rows.npy TEXTS.jsonl.gz [...]
Kept are all single bytes, every piece with kana, every single character of Japanese, the pieces that our rows use, and
whatever those are merged from. A dropped piece falls apart into kept ones, so any text can still be read.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path

import gguf
import numpy as np
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from tokenizers import normalizers as norm

from rows import read_rows

# As published for Qwen2: words with their leading space, single digits, runs of signs.
PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
KANA = re.compile("[ぁ-ヿ]")
HAN = re.compile("[々〆一-鿿]")
ENDS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def build(tokens: dict[str, int], merges: list[tuple[str, str]]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(tokens, merges))
    tokenizer.normalizer = norm.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([end for end in ENDS if end in tokens])
    return tokenizer


def read_whole(path: Path) -> tuple[list[str], list[tuple[str, str]]]:
    fields = gguf.GGUFReader(path).fields
    merges = [tuple(each.split(" ")) for each in fields["tokenizer.ggml.merges"].contents()]
    return fields["tokenizer.ggml.tokens"].contents(), merges


def kept_tokens(tokens: list[str], merges: list[tuple[str, str]], used: Counter[str], least: int) -> list[str]:
    """In their old order, so that rows can be taken by place."""
    decoder = decoders.ByteLevel()

    def is_japanese(token: str) -> bool:
        text = decoder.decode([token])
        return bool(KANA.search(text)) or (len(text) == 1 and bool(HAN.match(text)))

    made_of = {left + right: (left, right) for left, right in reversed(merges)}
    wanted = [token for token in tokens if len(token) == 1 or token in ENDS or used[token] >= least]
    wanted += [token for token in tokens if is_japanese(token)]
    kept: set[str] = set()
    while wanted:
        token = wanted.pop()
        if token not in kept:
            kept.add(token)
            wanted += made_of.get(token, ())
    return [token for token in tokens if token in kept]


def main() -> None:
    source, out, rows_out = (Path(each) for each in sys.argv[1:4])
    tokens, merges = read_whole(source)
    whole = build({token: place for place, token in enumerate(tokens)}, merges)
    used: Counter[str] = Counter()
    for path in sys.argv[4:]:
        rows = read_rows(Path(path))
        texts = sorted({text for row in rows for text in (row.premise, row.hypothesis)})
        for start in range(0, len(texts), 10000):
            for each in whole.encode_batch(texts[start : start + 10000], add_special_tokens=False):
                used.update(each.tokens)
    kept = kept_tokens(tokens, merges, used, least=2)
    places = {token: place for place, token in enumerate(kept)}
    chosen = [each for each in merges if each[0] in places and each[1] in places and "".join(each) in places]
    build(places, chosen).save(str(out))
    old = {token: place for place, token in enumerate(tokens)}
    np.save(rows_out, np.array([old[token] for token in kept], np.int64))
    print(json.dumps({"kept": len(kept), "of": len(tokens), "merges": len(chosen)}))


if __name__ == "__main__":
    main()
