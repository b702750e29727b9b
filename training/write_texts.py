"""Lets a decoder write passages on the subjects of the written corpus, and pairs them with that subject's claims.

python write_texts.py --model qwen.compact --tokenizer tokenizer.json --corpus CORPUS --out written.jsonl.gz
The pairs have no labels: the model invents its facts, and the teachers say what they do to the claims.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

import torch
from tokenizers import Tokenizer

from corpus import Group, read_groups
from decoder import load_compact
from rows import Row, write_rows
from writer import Writer

CHAT = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
END = "<|im_end|>"
ENGLISH = (
    "Write two to four sentences of {kind} about this subject: {subject}. It should touch on this point: {claim}",
    "Write a short paragraph of {kind} on {subject}. It reports the opposite of this: {claim}",
    "Write two to four sentences of {kind} on {subject} that do not settle whether this is so: {claim}",
)
JAPANESE = (
    "次の話題について、{kind}の文体で二文から四文の文章を書いてください。話題: {subject}。次の点に触れること: {claim}",
    "{subject}についての{kind}の短い段落を書いてください。次の内容と反対のことを述べること: {claim}",
    "{subject}について、{kind}の文体で二文から四文書いてください。次のことが正しいかどうかは述べないこと: {claim}",
)
KINDS = {
    "en": (
        "a news report",
        "a study's abstract",
        "an encyclopaedia article",
        "a government notice",
        "a blog",
        "a fact-check",
    ),
    "ja": ("新聞記事", "論文の抄録", "百科事典", "自治体の発表", "ブログ", "議会の答弁", "ファクトチェック"),
}


def prompt_for(group: Group, chooser: random.Random) -> str:
    forms = JAPANESE if group.lang == "ja" else ENGLISH
    kind = chooser.choice(KINDS[group.lang])
    return chooser.choice(forms).format(kind=kind, subject=group.subject, claim=chooser.choice(group.claims))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "tokenizer", "corpus", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--passages", type=int, default=8192)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--new-tokens", type=int, default=140)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    chooser = random.Random(options.seed)
    started = time.monotonic()
    groups = [group for group in read_groups(options.corpus) if group.lang in KINDS and not group.is_held_out]
    chosen = [chooser.choice(groups) for _ in range(options.passages)]
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    writer = Writer(load_compact(options.model), tokenizer.token_to_id(END), options.device)
    rows: list[Row] = []
    for start in range(0, len(chosen), options.batch):
        some = chosen[start : start + options.batch]
        prompts = [tokenizer.encode(CHAT.format(prompt_for(g, chooser)), add_special_tokens=False).ids for g in some]
        made = tokenizer.decode_batch(writer.continue_all(prompts, options.new_tokens, 0.9))
        for group, text in zip(some, made, strict=True):
            if len(text.strip()) >= 20:
                rows += [Row(text.strip(), claim, "", f"model_{group.lang}", group.lang) for claim in group.claims]
        write_rows(options.out, rows)
        print(f"{start + len(some)} passages, {len(rows)} pairs, {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
