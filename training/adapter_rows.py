"""The published tokenizer of a Qwen GGUF file, and which of its embedding rows our texts need.

python adapter_rows.py MODEL.gguf FOLDER TEXTS.jsonl.gz [...]
An adapter serves the published model, so texts are cut into its own tokens; only the rows that are met in training and
scoring are carried to another machine. Written are tokenizer.json, kept_rows.npy, model.compact (with the input's
rows) and answers.npy, the output's rows of the three answers.
"""

from __future__ import annotations

import sys
from pathlib import Path

import gguf
import numpy as np

from decoder import INPUT_TABLE, OUTPUT_TABLE, write_compact
from decoder_tokenizer import build, read_whole
from rows import read_rows
from train_adapter import ANSWER_WORDS, claim_of, text_of

AT_ONCE = 20_000


def main() -> None:
    source, out = (Path(each) for each in sys.argv[1:3])
    out.mkdir(parents=True, exist_ok=True)
    tokens, merges = read_whole(source)
    whole = build({token: place for place, token in enumerate(tokens)}, merges)
    whole.save(str(out / "tokenizer.json"))
    texts = set(ANSWER_WORDS)
    for path in sys.argv[3:]:
        texts |= {part for row in read_rows(Path(path)) for part in (text_of(row), claim_of(row))}
    used = np.zeros(len(tokens), bool)
    listed = sorted(texts)
    for start in range(0, len(listed), AT_ONCE):
        for each in whole.encode_batch(listed[start : start + AT_ONCE], add_special_tokens=False):
            used[each.ids] = True
    kept = np.flatnonzero(used)
    np.save(out / "kept_rows.npy", kept)
    write_compact(source, kept, out / "model.compact", table=INPUT_TABLE)
    words = [each.ids[0] for each in whole.encode_batch(list(ANSWER_WORDS), add_special_tokens=False)]
    table = next(each for each in gguf.GGUFReader(source).tensors if each.name == OUTPUT_TABLE)
    rows = gguf.quants.dequantize(np.ascontiguousarray(table.data[words]), table.tensor_type)
    np.save(out / "answers.npy", rows.astype(np.float32))
    print(int(used.sum()), "rows of", len(tokens))


if __name__ == "__main__":
    main()
