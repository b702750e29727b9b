"""What the large reader starts from: mpnet's weights with the small reader's tokens, Japanese ones included.

python large_start.py --mpnet all-mpnet-base-v2.safetensors --minilm small_init.safetensors --out large_init.safetensors
mpnet's word pieces are BERT's, four places further on. A Japanese piece gets what a linear map makes of its row in the
bilingual MiniLM; the map is fitted on the English pieces, which both have.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

WORDS = "embeddings.word_embeddings.weight"
ENGLISH_ROWS = 30522
SHIFT = 4
SPECIAL = {0: 1, 100: 3, 101: 0, 102: 2}  # padding, unknown, begin, end: BERT's place and mpnet's
FIRST_WORD = 999  # before it stand special and unused pieces
RIDGE = 1.0


def joint_rows(mpnet: np.ndarray, minilm: np.ndarray) -> np.ndarray:
    """mpnet's English rows at BERT's places, then Japanese rows on mpnet's scale."""
    english = mpnet[SHIFT : SHIFT + ENGLISH_ROWS].copy()
    for place, theirs in SPECIAL.items():
        english[place] = mpnet[theirs]
    known, wanted = minilm[FIRST_WORD:ENGLISH_ROWS], english[FIRST_WORD:]
    middle, centre = known.mean(0), wanted.mean(0)
    x, y = known - middle, wanted - centre
    spread = x.T @ x / len(x)
    fitted = np.linalg.solve(
        spread + RIDGE * np.eye(len(spread)) * np.trace(spread) / len(spread) / 100, x.T @ y / len(x)
    )
    japanese = (minilm[ENGLISH_ROWS:] - middle) @ fitted
    japanese *= np.linalg.norm(y, axis=1).mean() / np.linalg.norm(japanese, axis=1, keepdims=True)
    explained = 1 - ((y - x @ fitted) ** 2).sum() / (y**2).sum()
    print(f"share of the English rows' variance that the map explains: {explained:.3f}")
    return np.concatenate([english, japanese + centre]).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("mpnet", "minilm", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    weights = {name: value for name, value in load_file(options.mpnet).items() if value.dtype.kind == "f"}
    weights[WORDS] = joint_rows(weights[WORDS].astype(np.float32), load_file(options.minilm)[WORDS])
    kept = {name: value.astype(np.float16) for name, value in weights.items() if not name.startswith("pooler.")}
    save_file(kept, options.out)


if __name__ == "__main__":
    main()
