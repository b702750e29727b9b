"""The released pair data and the licence rule that decides what may be trained on."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

from rows import Row

NEVER_TRAINED = frozenset({"healthver", "scifact", "covidfact", "citation_integrity"})
PREMISE_CHARS = 1500
HYPOTHESIS_CHARS = 600


def read_release(path: Path) -> Iterator[dict]:
    """The rows of one compressed JSONL file of the released data, as they are."""
    import zstandard

    with path.open("rb") as raw, zstandard.ZstdDecompressor().stream_reader(raw) as stream:
        for line in io.TextIOWrapper(stream, encoding="utf-8"):
            if line.strip():
                yield json.loads(line)


def open_rows(folder: Path) -> list[Row]:
    """Every row that weights may be trained on: licence class `open`, never a source kept unseen."""
    names = ("train_en", "train_ja", "dev_en", "dev_ja")
    found = (each for name in names for each in read_release(folder / f"{name}.jsonl.zst"))
    return [to_row(each) for each in found if each["lic"] == "open" and each["source"] not in NEVER_TRAINED]


def to_row(each: dict) -> Row:
    label = each["label"] if each["label"] in "ECNX" else ""
    return Row(
        each["premise"][:PREMISE_CHARS], each["hypothesis"][:HYPOTHESIS_CHARS], label, each["source"], each["lang"]
    )
