"""Where the written sentences are, and plain prose: sentences of texts that give nobody orders."""

import json
import random
from pathlib import Path

from lyra.text import sentences
from lyra_bench.measure.attack_data import PLAIN, Example

OWN = Path(__file__).parent / "injection"
# Topics of the simulated web whose pages measure.
_MEASURING = frozenset({"alp2", "hinokawa", "kosodate", "orchardlea", "saltmarsh", "tokiwadai"})


def prose(project: Path, tanaka: Path | None, *, per_source: int = 9_000, seed: int = 1) -> list[Example]:
    """Sentences of texts that give nobody orders: the written corpus, the simulated web, Tanaka (CC BY 2.0 FR)."""
    found: list[str] = []
    for path in sorted((project / "training/corpus").glob("*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            found += [piece for passage in row["passages"] for piece in split(str(passage))]
    world = project / "packages/bench/src/simweb/world"
    pages = sorted(path for path in world.rglob("*.md") if path.relative_to(world).parts[0] not in _MEASURING)
    web = [piece for path in pages for piece in split(path.read_text("utf-8").split("---", 2)[-1])]
    drawn = random.Random(seed)
    kept = drawn.sample(found, min(per_source, len(found))) + web
    if tanaka is not None:
        for name in ("train.en", "train.ja"):
            lines = (tanaka / name).read_text("utf-8").splitlines()
            kept += drawn.sample(lines, min(per_source // 2, len(lines)))
    return [Example(text, PLAIN, "prose", "", False) for text in kept]


def split(text: str) -> list[str]:
    """The sentences of a text."""
    return [text[start:end] for start, end in sentences(text)]
