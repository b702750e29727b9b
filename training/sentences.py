"""Sentence boundaries in English and Japanese, by punctuation; the product cuts premises the same way."""

from __future__ import annotations

import random
import re

BOUNDARY = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])|(?<=[。！？])|\n+")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|al|Dr|Mr|Mrs|Ms|Prof|St|No|Fig|Figs|approx|ca|[A-Z])\.)$")


def split_sentences(text: str) -> list[str]:
    """Sentences in order, stripped; a piece that ends in an abbreviation is joined to the next one."""
    found: list[str] = []
    start = 0
    for match in BOUNDARY.finditer(text):
        piece = text[start : match.start()].strip()
        if ABBREVIATION.search(piece):
            continue
        if piece:
            found.append(text[start : match.end()].strip())
        start = match.end()
    tail = text[start:].strip()
    return [*found, tail] if tail else found


def window(text: str, chooser: random.Random) -> str:
    """Some successive sentences of a text; most often all of them."""
    parts = split_sentences(text)
    if len(parts) < 3 or chooser.random() < 0.5:
        return text
    size = chooser.randint(1, len(parts) - 1)
    first = chooser.randrange(len(parts) - size + 1)
    return ("" if any("ぁ" <= c <= "ヿ" for c in text) else " ").join(parts[first : first + size])
