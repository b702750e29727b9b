"""`lyra bench judge`: the judge alone on pairs that nothing was trained or tuned on, labelled by two annotators.

Pages and claims were written before the readers were trained, by writers who knew neither rules nor training texts; the
pairs of the shipped topics are reported apart, for rules have been looked at on those.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from lyra.claims.windows import Setting
from lyra.errors import InvalidParams
from lyra.jsonl import bad_row, json_lines, text_field
from lyra.model.edge import Relation, Stance

TELLS = {"E": Relation.SUPPORTS, "C": Relation.REFUTES, "N": Relation.NEUTRAL}
ORIGINS = {"new": "newly written", "shipped": "shipped topics"}
_AT_ONCE = 64
_CONFIDENCE_95 = 1.96
_PLACES = 3


class Judge(Protocol):
    """What is measured: the product's stance judge."""

    async def judge(self, pairs: Sequence[tuple[str, str]], settings: Sequence[Setting] | None = None) -> list[Stance]:
        """One stance per (passage, claim)."""


@dataclass(frozen=True, slots=True)
class TestPair:
    """A passage of a page and a claim; `label` is what both annotators said, none where they differed."""

    __test__ = False  # not a test of pytest's

    id: str
    language: str
    origin: str
    kind: str
    title: str
    passage: str
    claim: str
    label: Relation | None


def default_file() -> Path:
    """The test set of the source tree."""
    root = Path(__file__).parent / "../../../../.."
    return (root / "benchmarks" / "judge" / "pairs.jsonl").resolve()


def read_pairs(path: Path) -> list[TestPair]:
    """The rows of a test set; `InvalidParams` names the line of a bad one."""
    if not path.exists():
        raise InvalidParams(
            f"There is no test set at {path}.",
            remedy="It is part of the source tree, not of the package: give its path with --file.",
        )
    found = []
    for number, row in json_lines(path):
        labels = [row.get(name) for name in ("label", "second_label")]
        if not all(isinstance(one, str) and one in TELLS for one in labels):
            raise bad_row(path, number, "'label' and 'second_label' must be E, C or N")
        name, language, origin, kind, title, passage, claim = (
            text_field(row, field, path, number)
            for field in ("id", "lang", "origin", "kind", "title", "passage", "claim")
        )
        label = TELLS[str(labels[0])] if labels[0] == labels[1] else None
        found.append(TestPair(name, language, origin, kind, title, passage, claim, label))
    if not found:
        raise InvalidParams(f"{path} has no rows.", remedy="Give a file with one labelled pair a line.")
    return found


async def measure_judge(judge: Judge, path: Path, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Right, opposite, false support and false refutation, by origin, language and kind, with 95 % intervals."""
    pairs = read_pairs(path)
    agreed = [pair for pair in pairs if pair.label is not None]
    stances: list[Stance] = []
    for at in range(0, len(agreed), _AT_ONCE):
        part = agreed[at : at + _AT_ONCE]
        texts = [(pair.passage, pair.claim) for pair in part]
        stances += await judge.judge(texts, [Setting(pair.title) for pair in part])
        if progress:
            progress(len(stances), len(agreed))
    judged = list(zip(agreed, stances, strict=True))
    return {
        "pairs": len(pairs),
        "annotators_agree": share(len(agreed), len(pairs)),
        **{name: _by_language(judged, origin) for origin, name in ORIGINS.items()},
    }


def _by_language(judged: Sequence[tuple[TestPair, Stance]], origin: str) -> dict[str, Any]:
    mine = [(pair, stance) for pair, stance in judged if pair.origin == origin]
    return {
        language: {
            **figures(_of(mine, language)),
            "by_kind": {kind: figures(_of(mine, language, kind)) for kind in _kinds(mine, language)},
        }
        for language in sorted({pair.language for pair, _ in mine})
    }


def _of(
    judged: Iterable[tuple[TestPair, Stance]], language: str, kind: str | None = None
) -> list[tuple[Relation, str]]:
    return [
        (stance.label, str(pair.label))
        for pair, stance in judged
        if pair.language == language and kind in (None, pair.kind)
    ]


def _kinds(judged: Iterable[tuple[TestPair, Stance]], language: str) -> list[str]:
    return sorted({pair.kind for pair, _ in judged if pair.language == language})


def figures(found: Sequence[tuple[Relation, str]]) -> dict[str, Any]:
    """What a user meets: labels said and true, counted."""
    sided = [(said, true) for said, true in found if true != Relation.NEUTRAL]
    neutral = [said for said, true in found if true == Relation.NEUTRAL]
    return {
        "pairs": len(found),
        "right": share(sum(said == true for said, true in found), len(found)),
        "opposite": share(sum(said not in (true, Relation.NEUTRAL) for said, true in sided), len(sided)),
        "missed": share(sum(said == Relation.NEUTRAL for said, _ in sided), len(sided)),
        "false_support": share(neutral.count(Relation.SUPPORTS), len(neutral)),
        "false_refutation": share(neutral.count(Relation.REFUTES), len(neutral)),
    }


def share(part: int, whole: int) -> dict[str, Any]:
    """A share with its 95 % interval (Wilson); no value where there is nothing to count."""
    if not whole:
        return {"of": "0/0", "value": None, "interval": None}
    value, z = part / whole, _CONFIDENCE_95
    centre = (value + z * z / (2 * whole)) / (1 + z * z / whole)
    half = z / (1 + z * z / whole) * math.sqrt(value * (1 - value) / whole + z * z / (4 * whole * whole))
    interval = [round(max(0.0, centre - half), _PLACES), round(min(1.0, centre + half), _PLACES)]
    return {"of": f"{part}/{whole}", "value": round(value, _PLACES), "interval": interval}


def shown(found: dict[str, Any]) -> str:
    """A share as people read it: 66% (60%–72%); a dash where there was nothing to count."""
    if found["value"] is None:
        return "–"
    low, high = found["interval"]
    return f"{found['value']:.0%} ({low:.0%}–{high:.0%})"
