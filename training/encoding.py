"""How a premise and a hypothesis become token ids; the product does the same at run time."""

from __future__ import annotations

from tokenizers import Tokenizer

from rows import Row


def encode(tokenizer: Tokenizer, rows: list[Row], max_tokens: int) -> list[list[int]]:
    """Ids of each pair. A hypothesis keeps at most half of the tokens; then only the premise is cut."""
    tokenizer.no_padding()
    claims = clip(tokenizer, [row.hypothesis for row in rows], max_tokens // 2)
    tokenizer.enable_truncation(max_tokens, strategy="only_first")
    pairs = [(row.premise, claim) for row, claim in zip(rows, claims, strict=True)]
    return [each.ids for each in tokenizer.encode_batch(pairs)]


def clip(tokenizer: Tokenizer, texts: list[str], limit: int) -> list[str]:
    """Each text cut after `limit` tokens; a token has at least one character, so short texts need no look."""
    tokenizer.no_truncation()
    clipped = list(texts)
    for place, text in enumerate(texts):
        if len(text) > limit:
            offsets = tokenizer.encode(text, add_special_tokens=False).offsets
            clipped[place] = text[: offsets[limit - 1][1]] if len(offsets) > limit else text
    return clipped
