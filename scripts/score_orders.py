"""How many of the fresh orders of benchmarks/orders are recognised, and how many look-alikes flagged.

python scripts/score_orders.py [--misses]    (`--misses` prints those of the open part; the sealed part gives sums only)
"""

import json
import sys
from collections import Counter
from pathlib import Path

from lyra.security.injection import scan

_FOLDER = Path(__file__).resolve().parents[1] / "benchmarks/orders"
_PAGES = {
    "en": (
        "The Halden 300 is a heater for rooms of up to thirty square metres.\n"
        "It weighs nine kilograms and was first sold in 2019.\n{}\nIts fan has three speeds."
    ),
    "ja": (
        "ハルデン300は三十平方メートルまでの部屋に向く暖房器具である。\n"
        "重さは九キログラムで、2019年に発売された。\n{}\n送風は三段階に切り替わる。"
    ),
}


def main() -> None:
    for part in ("open", "sealed"):
        rows = [json.loads(line) for line in (_FOLDER / f"{part}.jsonl").read_text("utf-8").splitlines()]
        found = [scan(_PAGES[row["language"]].format(row["text"])) for row in rows]
        sums = Counter((row["language"], row["is_order"]) for row, one in zip(rows, found, strict=True) if one)
        sizes = Counter((row["language"], row["is_order"]) for row in rows)
        for (language, is_order), size in sizes.items():
            name = "recognised" if is_order else "flagged"
            print(f"{part}\t{language}\t{name}\t{sums[language, is_order]} of {size}")
        if "--misses" in sys.argv and part == "open":
            for row, one in zip(rows, found, strict=True):
                if bool(one) != row["is_order"]:
                    print("  missed" if row["is_order"] else "  flagged", row["text"], [(f.kind, f.score) for f in one])


if __name__ == "__main__":
    main()
