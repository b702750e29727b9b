"""Lets a decoder write claims about texts: what a text says, what it denies, and what it leaves open.

python write_claims.py --model qwen.compact --tokenizer tokenizer.json --corpus CORPUS --rows train.jsonl.gz
    --own own.jsonl.gz --jaquad JAQUAD --out model_claims.jsonl.gz --deadline-s 300
The claims have no labels: a small model often writes another kind than it was asked for, and the teacher says what each
text does to them. Claims about a passage of the written corpus also meet the other passages of its group, and written
claims are turned by rule as well: the model writes poor contradictions, in Japanese above all.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer

from corpus import read_groups
from decoder import load_compact
from japanese_edits import contradicted
from jaquad import read_paragraphs
from perturb import perturb
from rows import CHECKED, Row, read_rows, write_rows
from sentences import window
from writer import Writer

CHAT = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
END = "<|im_end|>"
ASKED = {
    "en": (
        "{}\n\nState one fact from this text in one short sentence, in other words.",
        "{}\n\nWrite one short sentence that this text shows to be false.",
        "{}\n\nWrite one short false sentence about this text: change a number, a name, a date or a comparison.",
        "{}\n\nWrite one short sentence on the same subject that this text neither confirms nor denies.",
    ),
    "ja": (
        "{}\n\n上の文章に書かれていることを一つ、別の言葉で短い一文にしてください。",
        "{}\n\n上の文章と矛盾する短い一文を書いてください。",
    ),
}
ABOUT_TEXTS = re.compile("(?i)this text|the text|false sentence|文章|この文|矛盾")
CLAIM_CHARS = {"en": (15, 220), "ja": (8, 110)}
TEXT_CHARS = {"en": (60, 900), "ja": (30, 420)}
FORMS = 3  # claims that are asked for about one text
OTHERS = 2  # other passages of the group that meet a claim


@dataclass(frozen=True)
class Text:
    """A text to write about, and the others that its claims may meet."""

    words: str
    lang: str
    source: str
    others: tuple[str, ...] = ()


def texts(options: argparse.Namespace, chooser: random.Random) -> list[Text]:
    """Passages of the corpus in windows, encyclopaedia text and passages of the model itself."""
    found: list[Text] = []
    for group in read_groups(options.corpus):
        if group.lang in ASKED and not group.is_held_out:
            for passage in group.passages:
                others = tuple(each for each in group.passages if each != passage)
                found.append(Text(window(passage, chooser), group.lang, "corpus", others))
    checked = sorted({row.premise for row in read_rows(options.rows) if row.source in CHECKED})
    found += [Text(text, "en", "checked") for text in checked]
    own = sorted({(row.premise, row.lang) for row in read_rows(options.own) if row.source.startswith("model_")})
    found += [Text(text, lang, "model") for text, lang in own if lang in ASKED]
    articles = [each for each in read_paragraphs(options.jaquad) if not each.is_held_out]
    found += [Text(window(each.text, chooser), "ja", "articles") for each in articles]
    kept = [each for each in found if TEXT_CHARS[each.lang][0] <= len(each.words) <= TEXT_CHARS[each.lang][1]]
    chooser.shuffle(kept)
    return kept


def edited_pairs(corpus: Path, chooser: random.Random) -> list[Row]:
    """Written claims with a word, a number or their sense turned by rule, and the passages of their group."""
    edits = {"en": perturb, "ja": contradicted}
    found = []
    for group in read_groups(corpus):
        if group.lang in edits and not group.is_held_out:
            turned = [edits[group.lang](claim, chooser) for claim in group.claims]
            claims = [each for each in turned if each and each not in group.claims]
            found += [
                Row(text, claim, "", f"claims_edited_{group.lang}", group.lang)
                for claim in claims
                for text in group.passages
            ]
    return found


def claim_in(answer: str, lang: str) -> str | None:
    """The first sentence of an answer, where it has a claim's length and language."""
    shortest, longest = CLAIM_CHARS[lang]
    first = answer.strip().split("\n")[0].strip('「」"* ')
    is_right = shortest <= len(first) <= longest and (lang == "ja") == bool(re.search("[ぁ-ヿ]", first))
    return first if is_right else None


def pairs(text: Text, claim: str, chooser: random.Random) -> list[Row]:
    """The claim with its own text and with others of the group."""
    met = [text.words, *(window(each, chooser) for each in chooser.sample(text.others, min(OTHERS, len(text.others))))]
    return [Row(each, claim, "", f"claims_{text.source}_{text.lang}", text.lang) for each in met]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "tokenizer", "corpus", "rows", "own", "jaquad", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--new-tokens", type=int, default=56)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--deadline-s", type=float, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    chooser = random.Random(options.seed)
    started = time.monotonic()
    chosen = texts(options, chooser)[: options.limit]
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    writer = Writer(load_compact(options.model), tokenizer.token_to_id(END), options.device)
    rows = edited_pairs(options.corpus, chooser)
    asked = [
        (text, form) for text in chosen for form in chooser.sample(ASKED[text.lang], min(FORMS, len(ASKED[text.lang])))
    ]
    wordings = [CHAT.format(form.format(text.words)) for text, form in asked]
    prompts = [each.ids for each in tokenizer.encode_batch(wordings, add_special_tokens=False)]
    by_length = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
    batches = [by_length[start : start + options.batch] for start in range(0, len(by_length), options.batch)]
    chooser.shuffle(batches)
    for number, batch in enumerate(batches, 1):
        made = writer.continue_all([prompts[place] for place in batch], options.new_tokens, 0.8)
        for place, answer in zip(batch, tokenizer.decode_batch(made), strict=True):
            text = asked[place][0]
            claim = claim_in(answer, text.lang)
            rows += pairs(text, claim, chooser) if claim else []
        write_rows(options.out, rows, level=1)
        spent = time.monotonic() - started
        print(f"{number} of {len(batches)} batches, {len(rows)} pairs, {spent:.0f} s", flush=True)
        if spent > options.deadline_s:
            break


if __name__ == "__main__":
    main()
