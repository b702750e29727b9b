"""JaQuAD (CC BY-SA 3.0): Japanese questions and the Wikipedia paragraphs that answer them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rows import share_of

HELD_OUT_SHARE = 0.3


@dataclass(frozen=True)
class Paragraph:
    """One paragraph with its questions; `is_held_out` is decided by the article, so topics do not leak."""

    title: str
    text: str
    questions: tuple[str, ...]
    is_held_out: bool


def read_paragraphs(folder: Path) -> Iterator[Paragraph]:
    for path in sorted(folder.rglob("jaquad_*.json")):
        for article in json.loads(path.read_text("utf-8"))["data"]:
            title = article["title"]
            for each in article["paragraphs"]:
                questions = tuple(qa["question"] for qa in each["qas"])
                yield Paragraph(title, each["context"], questions, share_of(title) < HELD_OUT_SHARE)
