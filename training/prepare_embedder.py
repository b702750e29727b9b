"""Writes the bilingual tokenizer and the texts that the bilingual embedder is trained on.

python prepare_embedder.py --tokenizer tokenizer.json --parallel FOLDER --jaquad FOLDER --jamdict jamdict.db
    --stance-rows train.jsonl.gz --out FOLDER
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import zstandard
from tokenizers import Tokenizer

import dictionary
import vocabulary
from gloss_translation import GlossTranslator, sentences
from jaquad import Paragraph, read_paragraphs
from rows import Row, read_rows

JAPANESE_ROWS = 14000
HIRAGANA_PIECES = 1200
NAME_LIMIT = 60000
ENGLISH_TEXTS = 160000
BETWEEN_JAPANESE = re.compile(r"(?<=[^ -~]) | (?=[^ -~])")


def parallel_pairs(folder: Path, part: str) -> list[tuple[str, str]]:
    """English and Japanese sentences; the Japanese side loses the spaces that a word segmenter put in."""
    english, japanese = (read_lines(folder, f"{part}.{lang}") for lang in ("en", "ja"))
    return [(en, BETWEEN_JAPANESE.sub("", ja)) for en, ja in zip(english, japanese, strict=True)]


def read_lines(folder: Path, name: str) -> list[str]:
    plain = folder / name
    if plain.exists():
        return plain.read_text("utf-8").splitlines()
    packed = (folder / f"{name}.zst").read_bytes()
    return zstandard.ZstdDecompressor().stream_reader(packed).read().decode("utf-8").splitlines()


def choose_pieces(texts: list[str], words: dict[str, list[str]], common: set[str], characters: set[str]) -> list[str]:
    """Kana, known kanji, recurring hiragana, then dictionary words by frequency until the rows are used up."""
    kana = [chr(code) for code in (*range(0x3041, 0x3097), *range(0x30A1, 0x30FB), 0x30FC)]
    pieces = dict.fromkeys([*kana, *sorted(characters), *vocabulary.frequent_hiragana(texts, HIRAGANA_PIECES)])
    single_script = {word for word in words if vocabulary.RUN.fullmatch(word) and len(word) > 1}
    spelled = {word for word in single_script if set(word) <= set(pieces)}
    counts = vocabulary.count_pieces(texts, spelled)
    ranked = sorted(spelled, key=lambda word: -(counts[word] + 6 * (word in common)))
    for word in ranked:
        if len(pieces) >= JAPANESE_ROWS:
            break
        pieces.setdefault(word)
    return list(pieces)


def english_texts(rows: Iterable[Row], seed: int) -> list[str]:
    texts = sorted({text for row in rows if row.lang == "en" for text in (row.premise, row.hypothesis)})
    return random.Random(seed).sample(texts, min(ENGLISH_TEXTS, len(texts)))


def weak_pairs(paragraphs: Iterable[Paragraph], translator: GlossTranslator) -> list[tuple[str, str]]:
    """Glossed English beside each question and sentence, where enough words were known."""
    texts = [text for each in paragraphs for text in (*each.questions, *sentences(each.text), each.text)]
    pairs = [(translator.translate(text), text) for text in texts]
    return [(english, text) for english, text in pairs if len(english.split()) >= 3]


def write_json_lines(path: Path, items: Iterable) -> None:
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=9) as file:
        file.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tokenizer", "parallel", "jaquad", "jamdict", "stance-rows", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> None:
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    pairs = parallel_pairs(options.parallel, "train")
    paragraphs = [each for each in read_paragraphs(options.jaquad) if not each.is_held_out]
    stance = read_rows(options.stance_rows)
    japanese = [ja for _, ja in pairs] + [each.text for each in paragraphs]
    japanese += [text for row in stance if row.lang == "ja" for text in (row.premise, row.hypothesis)]

    words, characters = dictionary.word_glosses(options.jamdict), dictionary.character_glosses(options.jamdict)
    known = set(characters) | {"々"}
    pieces = choose_pieces(japanese, words, dictionary.common_forms(options.jamdict), known)
    tokenizer, rows_of_ids = vocabulary.extend(Tokenizer.from_file(str(options.tokenizer)), pieces, known)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.save(str(options.out / "tokenizer.json"))
    np.save(options.out / "rows_of_ids.npy", rows_of_ids)
    ids = tokenizer.get_vocab()
    glossed = [
        [int(rows_of_ids[ids[piece]]), (words.get(piece) or characters.get(piece) or [""])[:2]] for piece in pieces
    ]
    write_json_lines(options.out / "piece_glosses.jsonl.gz", glossed)

    glosses = [(word, ", ".join(found[:2])) for word, found in words.items()]
    names = dictionary.name_glosses(options.jamdict, NAME_LIMIT)
    glosses += names
    write_json_lines(options.out / "glosses.jsonl.gz", glosses)
    write_json_lines(options.out / "parallel.jsonl.gz", pairs)
    write_json_lines(options.out / "parallel_dev.jsonl.gz", parallel_pairs(options.parallel, "dev"))
    translator = GlossTranslator(words, dict(reversed(names)))
    write_json_lines(options.out / "weak.jsonl.gz", weak_pairs(paragraphs, translator))
    questions = [(each.questions, each.title, each.text) for each in paragraphs]
    write_json_lines(options.out / "questions.jsonl.gz", questions)
    write_json_lines(options.out / "english.jsonl.gz", english_texts(stance, options.seed))
    print(
        "rows", rows_of_ids.max() + 1, "ids", len(rows_of_ids), "glosses", len(glosses), "paragraphs", len(paragraphs)
    )


if __name__ == "__main__":
    main()
