"""The bilingual tokenizer: MiniLM's English word pieces unchanged, Japanese words and characters added.

Japanese is cut into runs of one script and each run greedily into the longest known pieces. A piece inside a run is
a token of its own ("##経済") but shares the embedding row of the piece at the start ("経済"): `rows_of_ids` maps token
ids to rows, and the ONNX graph carries that map.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
from tokenizers import Regex, Tokenizer
from tokenizers import normalizers as norm
from tokenizers import pre_tokenizers as pre

HIRAGANA, KATAKANA = "ぁ-ゖゝゞ", "ァ-ヺーヽヾ"
HAN = "々〆㐀-䶿一-鿿豈-﫿"
RUN = re.compile(f"[{HAN}]+|[{HIRAGANA}]+|[{KATAKANA}]+")
VOICED, SEMI_VOICED = "\u3099", "\u309a"
KEPT_VOICED, KEPT_SEMI_VOICED = "\ue000", "\ue001"
LONGEST_PIECE = 8


def normaliser() -> norm.Normalizer:
    """BERT's uncased normalisation, but kana keep their voicing marks and full-width letters become plain."""
    return norm.Sequence(
        [
            norm.NFKC(),
            norm.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=True),
            norm.NFD(),
            norm.Replace(VOICED, KEPT_VOICED),
            norm.Replace(SEMI_VOICED, KEPT_SEMI_VOICED),
            norm.StripAccents(),
            norm.Replace(KEPT_VOICED, VOICED),
            norm.Replace(KEPT_SEMI_VOICED, SEMI_VOICED),
            norm.NFC(),
        ]
    )


def pre_tokeniser(characters: Iterable[str]) -> pre.PreTokenizer:
    """Runs of one script are words; a kanji outside the vocabulary stands alone, so that it spoils no neighbour."""
    known = "".join(sorted(characters))
    pattern = Regex(f"[{known}]+|[{HIRAGANA}]+|[{KATAKANA}]+|[{HAN}]")
    return pre.Sequence([pre.Split(pattern, "isolated"), pre.BertPreTokenizer()])


def count_pieces(texts: Iterable[str], candidates: set[str]) -> Counter[str]:
    """How often each candidate is the longest match when runs are read from left to right."""
    counts: Counter[str] = Counter()
    for text in texts:
        for run in RUN.findall(text):
            place = 0
            while place < len(run):
                size = next(
                    (
                        n
                        for n in range(min(LONGEST_PIECE, len(run) - place), 1, -1)
                        if run[place : place + n] in candidates
                    ),
                    1,
                )
                counts[run[place : place + size]] += 1
                place += size
    return counts


def frequent_hiragana(texts: Iterable[str], size: int) -> list[str]:
    """Hiragana strings that recur, endings and particles, as a byte-pair trainer finds them."""
    runs = Counter(run for text in texts for run in re.findall(f"[{HIRAGANA}]+", text))
    total: Counter[str] = Counter()
    for run, count in runs.items():
        for start in range(len(run)):
            for end in range(start + 2, min(start + 6, len(run)) + 1):
                total[run[start:end]] += count
    scored = sorted(total, key=lambda piece: -total[piece] * (len(piece) - 1))
    return scored[:size]


def extend(base: Tokenizer, pieces: list[str], characters: set[str]) -> tuple[Tokenizer, np.ndarray]:
    """The bilingual tokenizer and the embedding row of each of its ids."""
    data = json.loads(base.to_str())
    vocabulary = data["model"]["vocab"]
    rows = list(range(len(vocabulary)))
    next_row = len(vocabulary)
    for piece in pieces:
        row = vocabulary.get(piece)
        if row is None:
            row, next_row = next_row, next_row + 1
            add(vocabulary, rows, piece, row)
        add(vocabulary, rows, f"##{piece}", row)
    tokenizer = Tokenizer.from_str(json.dumps(data))
    tokenizer.normalizer = normaliser()
    tokenizer.pre_tokenizer = pre_tokeniser(characters)
    return tokenizer, np.array(rows, np.int64)


def add(vocabulary: dict[str, int], rows: list[int], token: str, row: int) -> None:
    """Gives a token an id and a row; one that the English vocabulary already has changes its row only."""
    if token in vocabulary:
        rows[vocabulary[token]] = row
    else:
        vocabulary[token] = len(rows)
        rows.append(row)
