"""Chooses the labelled groups that ship with Lyra, on which models of the user's own are calibrated and measured.

They come from the tenth of the written corpus that no training saw, a few of every kind, chosen by a hash.

python calibration_rows.py corpus ../src/lyra/model_store/labelled.jsonl.gz
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from pathlib import Path

from corpus import Group, read_groups
from rows import share_of

PAIRS_PER_LANGUAGE = 480
LONGEST_PASSAGE = {"en": 600, "ja": 260}


def chosen_groups(groups: list[Group]) -> list[Group]:
    """In turn one group of every kind, until a language has enough pairs; a group of two languages is left out."""
    kinds: dict[str, dict[str, list[Group]]] = defaultdict(lambda: defaultdict(list))
    for group in sorted(groups, key=lambda one: share_of(f"shipped {one.subject}")):
        is_short = all(len(text) <= LONGEST_PASSAGE.get(group.lang, 0) for text in group.passages)
        if group.is_held_out and is_short:
            kinds[group.lang][group.kind].append(group)
    found = []
    for by_kind in kinds.values():
        pairs = 0
        while pairs < PAIRS_PER_LANGUAGE and any(by_kind.values()):
            for groups_left in by_kind.values():
                if groups_left and pairs < PAIRS_PER_LANGUAGE:
                    found.append(group := groups_left.pop(0))
                    pairs += len(group.passages) * len(group.claims)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    lines = []
    for group in sorted(chosen_groups(read_groups(options.corpus)), key=lambda one: (one.lang, one.subject)):
        values = {"subject": group.subject, "lang": group.lang, "passages": group.passages, "claims": group.claims}
        lines.append(json.dumps({**values, "labels": group.labels}, ensure_ascii=False))
    # No name and no time in the header, so that the same corpus gives the same bytes.
    with options.out.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()
