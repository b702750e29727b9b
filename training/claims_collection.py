"""Writes claims and the abstracts that settle them as a retrieval collection for `lyra eval ranking`.

python claims_collection.py --nli FOLDER --out FOLDER

Queries are SciFact's claims with an abstract for or against them; the other abstracts and passages of sources that no
weights were trained on stand between them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from release import NEVER_TRAINED, read_release

ASKED = "scifact"


def collection(rows: Iterable[dict]) -> tuple[dict[str, str], dict[str, str], list[tuple[str, str]]]:
    """Documents and queries by their text, and which document settles which query."""
    documents: dict[str, str] = {}
    queries: dict[str, str] = {}
    settled: dict[tuple[str, str], None] = {}
    for row in rows:
        document = documents.setdefault(row["premise"], f"d{len(documents)}")
        if row["source"] == ASKED and row["label"] in {"E", "C"}:
            query = queries.setdefault(row["hypothesis"], f"q{len(queries)}")
            settled[(query, document)] = None
    return documents, queries, list(settled)


def write(folder: Path, documents: dict[str, str], queries: dict[str, str], settled: list[tuple[str, str]]) -> None:
    """The layout of BEIR."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, texts in (("corpus", documents), ("queries", queries)):
        lines = (json.dumps({"_id": key, "title": "", "text": text}, ensure_ascii=False) for text, key in texts.items())
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    pairs = "".join(f"{query}\t{document}\t1\n" for query, document in settled)
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{pairs}", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("nli", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    released = (row for part in ("train_en", "dev_en") for row in read_release(options.nli / f"{part}.jsonl.zst"))
    write(options.out, *collection(row for row in released if row["source"] in NEVER_TRAINED))


if __name__ == "__main__":
    main()
