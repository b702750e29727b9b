"""Writes docs/explanation/results.md and its figures from what `lyra bench acceptance --json` printed.

    .venv/bin/python scripts/make_results.py FILE…   # of a criterion in several files the last one counts

What was read is kept beside it as results.json; without a file, that is read again.
"""

import json
import platform
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lyra.report.figures.svg import Drawing

FOLDER = Path(__file__).parent.parent / "docs" / "explanation"
_MADE = "<!-- Made by scripts/make_results.py; measure again instead of editing this file. -->\n\n"
_WORDS = {True: "yes", False: "**no**", None: "not in full"}
_ROW, _LEFT, _SCALE = 22, 330, 300
_FIRST = 30
_QUICK = "Measured over one topic with one query of each kind only; what all topics give is not known."
_UNKNOWN = "Why is not known."
# What is known of a miss, from evidence-benchmark.md and the measurement itself; without an entry it is not known.
_WHY_MISSED = {
    "A4": "The definition decides: a claim is adopted from two independent sources on, the criterion asks for three, or"
    " for a primary and a secondary one. 139 of 192 adopted claims have them, and each of the other 53 has exactly two"
    " sources of one kind; of the hypotheses among them 42 of 47 have them.",
    "A8": "Three news sites of each topic are put behind a wall, and each site is one intervention. Which site was the"
    " fourth is not recorded; some topics have a wall of their own besides (a shop's captcha, a log-in of members).",
    "A11": "The product makes no refute search of its own for claims that it finds: a client must ask for it, and only"
    " the truth files' refute queries are asked here, which are about the hypotheses. Of these 103 of 135 have a"
    " candidate, of other adopted claims 73 of 192, of claims found and not adopted 296 of 1,211; no refute search"
    " concerned 1,076 of all 1,491.",
    "A13": "The simulated web decides, and partly the product: 33 to 50 % of the pages of the topics that were looked at"
    " are of authorities, academies or standards bodies, and 25 to 50 % count as primary, since a journal's own site is"
    " academic only where the list of domains says so.",
    "A18": "False promotions fall by more than the bar asks (24 to 19 of 726 pairs). The Brier score falls from 0.188 to"
    " 0.184: what the large reader says bare is near to what holds already, so scaling has little to gain.",
}


def merged(files: list[Path]) -> dict[str, Any]:
    """The criteria of all files in the order of their numbers."""
    found: dict[str, Any] = {}
    for file in files:
        found |= json.loads(file.read_text("utf-8"))["criteria"]
    return {name: found[name] for name in sorted(found, key=lambda one: int(one[1:]))}


def parts(one: Mapping[str, Any]) -> Iterator[tuple[str, float | None, str]]:
    """Name, value and bar of every figure of a criterion."""
    if isinstance(one["value"], dict):
        for name, value in one["value"].items():
            yield name.replace("_", " "), value, one["bar"][name]
    else:
        yield one["title"].lower(), one["value"], one["bar"]


def page(criteria: Mapping[str, Any]) -> str:
    """The whole document."""
    met = [one["met"] for one in criteria.values()]
    lines = [
        "# Results of the acceptance criteria\n",
        _MADE.strip(),
        "",
        f"Of {len(criteria)} criteria {met.count(True)} are met, {met.count(False)} are missed, and",
        f"{met.count(None)} could not be measured in full on the machine that measured. Every figure comes from the",
        "[simulated web](../reference/simweb.md), with faults, by a fixed seed. *quick* marks a run over one topic and",
        "fewer samples, which says less.\n",
        "![Shares with their bars](results-shares.svg)\n",
        "| | criterion | figure | value | bar | met | measured |",
        "|---|---|---|---|---|---|---|",
        *(row for name, one in criteria.items() for row in _rows(name, one)),
        "",
        "## Why some are missed\n",
        *(f"- **{name}** {one['title']}: {_why(name, one)}" for name, one in criteria.items() if one["met"] is False),
        "",
        "## How each was measured\n",
        *(f"- **{name}** {one['title']}: {one['how']}{_not_measured(one)}" for name, one in criteria.items()),
        "",
        "## How long it took\n",
        "![Seconds of each criterion](results-seconds.svg)\n",
        "Criteria that read the same run (A1 its fetches, A4 its research) share it; the first has its time.\n",
        "## Measure again\n",
        "```sh",
        "lyra bench acceptance --keep run -o run.json   # all, one to two hours on two cores; goes on where it was",
        "lyra bench acceptance --only A3,A14 --quick    # some of them, in minutes",
        "python scripts/make_results.py run.json        # writes this page",
        "```",
    ]
    return "\n".join(lines) + "\n"


def _rows(name: str, one: Mapping[str, Any]) -> Iterator[str]:
    when = one["measured_at"][:16].replace("T", " ") + (" quick" if one["is_quick"] else "")
    for number, (part, value, bar) in enumerate(parts(one)):
        first = number == 0
        cells = (name if first else "", one["title"] if first else "", part, _shown(value), bar.replace(">=", "≥"))
        met = (_WORDS[one["met"]], when) if first else ("", "")
        yield "| " + " | ".join((*cells[:4], cells[4].replace("<=", "≤"), *met)) + " |"


def _why(name: str, one: Mapping[str, Any]) -> str:
    return " ".join([_WHY_MISSED.get(name, _UNKNOWN), *([_QUICK] if one["is_quick"] else [])])


def _shown(value: float | None) -> str:
    return "not measured" if value is None else f"{value:g}"


def _not_measured(one: Mapping[str, Any]) -> str:
    told = [f"{part.replace('_', ' ')}: {why}" for part, why in one.get("not_measured", {}).items()]
    return f" Not measured: {'; '.join(told)}." if told else ""


def shares_figure(criteria: Mapping[str, Any]) -> str:
    """Every figure that is a share, as a bar on one scale with a mark where its bar lies."""
    rows = [
        (f"{name} {part}", value, bar)
        for name, one in criteria.items()
        for part, value, bar in parts(one)
        if value is not None and 0 < float(bar.split()[1]) <= 1
    ]
    drawing = Drawing("Shares with their bars", "One bar a figure; the line across it is the least or most allowed.")
    for number, (label, value, bar) in enumerate(rows):
        y = _FIRST + number * _ROW
        sign, limit = bar.split()
        is_passed = value >= float(limit) if sign == ">=" else value <= float(limit)
        drawing.text(0, y + 12, label, width=_LEFT - 10)
        drawing.rectangle(
            _LEFT, y, min(value, 1.0) * _SCALE, 14, "for" if is_passed else "against", f"{label}: {value:g}"
        )
        x = _LEFT + float(limit) * _SCALE
        drawing.line(x, y - 3, x, y + 17, "whisker")
        drawing.text(_LEFT + _SCALE + 10, y + 12, f"{value:g} ({sign.replace('>=', '≥').replace('<=', '≤')} {limit})")
    return drawing.svg(_FIRST + len(rows) * _ROW + 10, with_style=True)


def seconds_figure(criteria: Mapping[str, Any]) -> str:
    """How long each criterion took."""
    longest = max((one["seconds"] for one in criteria.values()), default=1.0) or 1.0
    drawing = Drawing("Seconds of each criterion", "One bar a criterion.")
    for number, (name, one) in enumerate(criteria.items()):
        y = _FIRST + number * _ROW
        drawing.text(0, y + 12, f"{name} {one['title']}", width=_LEFT - 10)
        drawing.rectangle(_LEFT, y, one["seconds"] / longest * _SCALE, 14, "for", f"{one['seconds']:g} s")
        drawing.text(_LEFT + _SCALE + 10, y + 12, f"{one['seconds']:.0f} s")
    return drawing.svg(_FIRST + len(criteria) * _ROW + 10, with_style=True)


def main() -> int:
    """Write page, figures and data."""
    kept = FOLDER / "results.json"
    files = [Path(name) for name in sys.argv[1:]] or [kept]
    criteria = merged(files)
    machine = f"{platform.system()}, Python {platform.python_version()}"
    kept.write_text(
        json.dumps({"machine": machine, "criteria": criteria}, indent=1, ensure_ascii=False) + "\n", "utf-8"
    )
    (FOLDER / "results.md").write_text(page(criteria), "utf-8")
    (FOLDER / "results-shares.svg").write_text(shares_figure(criteria) + "\n", "utf-8")
    (FOLDER / "results-seconds.svg").write_text(seconds_figure(criteria) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
