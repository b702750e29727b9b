"""How many everyday queries get a mirror in the other language, and how many mirrors say the same.

`queries` were written before the rules of mirrors, `second` after them and before their last corrections, `third` was
looked at while names were added, `fourth` only afterwards; `fifth` was written before meanings were chosen by the rest
of the query, and mirrored once after that. A label is a person's reading of one query and one mirror, some with a
second reading; a mirror that nobody has read counts as not labelled.
"""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lyra.errors import InvalidParams
from lyra.search.mirrors import MirrorMaker

SETS = ("queries", "second", "third", "fourth", "fifth")
LABELS = "labels.jsonl"
MIRRORED_BAR = 0.8
FAITHFUL_BAR = 0.95


def default_folder() -> Path:
    """benchmarks/mirrors of the source tree."""
    return Path(__file__).parents[5] / "benchmarks" / "mirrors"


async def measure_mirrors(maker: MirrorMaker, folder: Path | None = None) -> dict[str, Any]:
    """Figures by set and language, with every query and its mirror under `rows`."""
    place = folder or default_folder()
    labels = _read_labels(place / LABELS)
    figures: dict[str, Any] = {}
    rows: list[dict[str, Any]] = []
    for name in SETS:
        for language in ("ja", "en"):
            found = [await _row(maker, query, labels) for query in _read_queries(place / f"{name}.{language}.txt")]
            figures[f"{name}.{language}"] = _figures(found)
            rows += [{"set": name, "language": language, **one} for one in found]
    reached = (
        one["mirrored_share"] >= MIRRORED_BAR and one["faithful_share"] >= FAITHFUL_BAR for one in figures.values()
    )
    return {"sets": figures, "is_passed": all(reached), "rows": rows}


async def _row(maker: MirrorMaker, query: str, labels: Mapping[tuple[str, str], Mapping[str, Any]]) -> dict[str, Any]:
    started = time.perf_counter()
    mirror = await maker.mirror(query)
    seconds = round(time.perf_counter() - started, 3)
    said = mirror.text if mirror else None
    label = labels.get((query, said or ""), {})
    readings = {"faithful": label.get("faithful"), "read_again": label.get("read_again")}
    return {"query": query, "mirror": said, **readings, "seconds": seconds}


def _figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    mirrored = [one for one in rows if one["mirror"] is not None]
    labelled = [one for one in mirrored if one["faithful"] is not None]
    faithful = sum(one["faithful"] for one in labelled)
    again = [one["read_again"] for one in labelled if one["read_again"] is not None]
    times = sorted(one["seconds"] for one in rows)
    return {
        "queries": len(rows),
        "mirrored": len(mirrored),
        "mirrored_share": round(len(mirrored) / len(rows), 3) if rows else 0.0,
        "faithful": faithful,
        "faithful_share": round(faithful / len(labelled), 3) if labelled else 0.0,
        "read_again_share": round(sum(again) / len(again), 3) if again else None,
        "not_labelled": len(mirrored) - len(labelled),
        "median_seconds": times[len(times) // 2] if times else 0.0,
    }


def _read_queries(path: Path) -> list[str]:
    try:
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as exc:
        remedy = "Name the folder of the queries with --folder; it lies in benchmarks/mirrors of the source tree."
        raise InvalidParams(f"The queries {path.name} cannot be read.", remedy=remedy) from exc


def _read_labels(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """By query and mirror; without a file nothing is labelled."""
    if not path.exists():
        return {}
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {(one["query"], one["mirror"]): one for one in read}
