"""Texts with and without orders to an AI: other people's data in a folder, and the sentences written for Lyra.

What is held out was never fitted: whole families of attacks, and all of PIGuard's rows.
"""

import itertools
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

PLAIN, REQUEST, ORDER = 0, 1, 2
_LABELS = {"plain": PLAIN, "request": REQUEST, "order": ORDER}
_MOST_FILLED = 60
# BIPIA's families that shape or misuse the answer; the others ask for an unrelated task.
_BIPIA_TASKS = frozenset(
    {"Information Retrieval", "Content Creation", "Learning and Tutoring", "Language Translation", "Programming Help"}
)
HELD_BIPIA_TEXT = frozenset(
    {"Content Creation", "Language Translation", "Anagramming", "Space Removal & Grouping", "Clickbait", "Persuasion"}
)
HELD_BIPIA_CODE = frozenset({"Cookie Theft", "Environment Variable Analysis", "Network Propagation"})
HELD_SPIKEE = frozenset(
    "training ignore new-task dan emergency hidden-function academic challenge mission policy-puppet poetry errors "
    "no-limits experimental".split()
)
HELD_SPIKEE_INSTRUCTIONS = frozenset({"data-exfil-markdown", "sysmsg-extract"})
_GERMAN = frozenset(
    "der die das und ist nicht ich ein eine wie was du sie bitte mir zu für kann den mit alle jetzt".split()
)


@dataclass(frozen=True, slots=True)
class Example:
    """A text with its label and family."""

    text: str
    label: int
    family: str
    language: str
    is_held: bool


def written(folder: Path, language: str) -> Iterator[Example]:
    """The sentences written for this, their slots filled."""
    for name in ("attacks", "benign"):
        data = yaml.safe_load((folder / f"{name}.{language}.yaml").read_text("utf-8"))
        for label in (one for one in _LABELS if one in data):
            for family, entry in data[label].items():
                filled = [one for text in entry["texts"] for one in _filled(text, data["slots"])]
                for text in filled:
                    yield Example(text, _LABELS[label], f"written/{family}", language, bool(entry.get("held")))


def _filled(text: str, slots: dict[str, list[str]]) -> list[str]:
    names = re.findall(r"\{(\w+)\}", text)
    found = [
        text.format(**dict(zip(names, words, strict=True))) for words in itertools.product(*(slots[n] for n in names))
    ]
    random.Random(text).shuffle(found)
    return [one[:1].upper() + one[1:] for one in found[:_MOST_FILLED]]


def bipia(folder: Path) -> Iterator[Example]:
    """Attacks on e-mails and code, by family (MIT)."""
    texts: dict[str, list[str]] = json.loads((folder / "benchmark/text_attack_train.json").read_text("utf-8"))
    for family, found in texts.items():
        label = REQUEST if family in _BIPIA_TASKS else ORDER
        for text in found:
            yield Example(text, label, f"bipia/{family}", "en", family in HELD_BIPIA_TEXT)
    codes: dict[str, list[str]] = json.loads((folder / "benchmark/code_attack_train.json").read_text("utf-8"))
    for family, found in codes.items():
        for text in found:
            yield Example(text, ORDER, f"bipia/{family}", "en", family in HELD_BIPIA_CODE)


def bipia_documents(folder: Path) -> list[str]:
    """E-mails without attacks; the second half is never fitted."""
    rows = map(json.loads, (folder / "benchmark/email/train.jsonl").read_text("utf-8").splitlines())
    return [str(row["context"]) for row in rows]


def deepset(folder: Path) -> Iterator[Example]:
    """Prompts with and without orders (Apache-2.0); every second row and all German ones are held out."""
    for number, line in enumerate((folder / "train.jsonl").read_text("utf-8").splitlines()):
        row = json.loads(line)
        label = ORDER if row["label"] else REQUEST
        words = row["text"].lower().split()
        language = "de" if sum(word in _GERMAN for word in words) > 0.1 * len(words) else "en"
        yield Example(row["text"], label, f"deepset/{language}", language, bool(number % 2) or language == "de")


def spikee(folder: Path, *, draws: int = 400, seed: int = 1) -> Iterator[Example]:
    """Jailbreaks filled with instructions, English only (Apache-2.0); held out by the kind of either."""
    jailbreaks: dict[str, dict[str, Any]] = {}
    orders: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("spikee/data/workspace/datasets/seeds-*/jailbreaks.jsonl")):
        jailbreaks |= {row["text"]: row for row in _rows(path) if _is_english(row)}
    for path in sorted(folder.glob("spikee/data/workspace/datasets/seeds-*/instructions.jsonl")):
        wanted = [
            row for row in _rows(path) if row["instruction_type"] in ("xss", "long-output", *HELD_SPIKEE_INSTRUCTIONS)
        ]
        orders |= {row["instruction"]: row for row in wanted if _is_english(row)}
    pairs = sorted(itertools.product(jailbreaks.values(), orders.values()), key=lambda pair: str(pair))
    for jailbreak, order in random.Random(seed).sample(pairs, min(draws * 2, len(pairs))):
        kinds = (jailbreak["jailbreak_type"], order["instruction_type"])
        is_held = kinds[0] in HELD_SPIKEE and kinds[1] in HELD_SPIKEE_INSTRUCTIONS
        if not is_held and (kinds[0] in HELD_SPIKEE or kinds[1] in HELD_SPIKEE_INSTRUCTIONS):
            continue  # half known: neither fitted nor measured
        text = jailbreak["text"].replace("<INSTRUCTION>", order["instruction"])
        yield Example(text, ORDER, f"spikee/{kinds[0]}", "en", is_held)


def piguard(folder: Path) -> Iterator[Example]:
    """PIGuard's validation rows (MIT): attacks and look-alikes, all held out."""
    for row in json.loads((folder / "datasets/valid.json").read_text("utf-8")):
        yield Example(row["prompt"], ORDER if row["label"] else PLAIN, f"piguard/{row['source']}", "en", True)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _is_english(row: dict[str, Any]) -> bool:
    """Rows in other languages end their id with its code."""
    return row.get("lang", "en") == "en" and re.search(r"-[a-z]{2}$", str(row["id"])) is None
