"""How well `lyra check` finds errors: texts that are true to the simulated web, and the same texts with errors planted.

Texts are read as the command reads them, HTML too. A planted error is found where a finding that fails lies in its
sentence; a false alarm is any such finding in a text without errors. Where a text cites a page that the task has not
read, `source_missing` is the right answer: such alarms are counted as `not_read`, by the addresses and identifiers in
the graph. Both shares are told, with and without them; the bar is held against the share without. The rules were made
with `tuning` and later `held_out` in view; `unseen` says how good they are.
"""

import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import yaml

from lyra.app import Lyra
from lyra.errors import InvalidParams
from lyra.extract.draft import Draft
from lyra.model.check import CheckResult, CheckStatus, Finding, Source
from lyra.model.task import Task
from lyra.report.check.layout import lay_out
from lyra.report.check.sources import address_key
from lyra.storage import checked_sources, tasks
from lyra_bench.measure.evidence import on_simulated_web, research, topic_names
from simweb.truth import load_truth

FOUND_BAR = 0.95
FALSE_ALARM_BAR = 0.02
PARTS = ("tuning", "held_out", "unseen")
# By which statuses an error is called by its name; every failure counts as found.
NAMES: Mapping[str, tuple[CheckStatus, ...]] = {
    "wrong_number": (CheckStatus.OTHER_NUMBER, CheckStatus.UNSUPPORTED),
    "swapped_source": (CheckStatus.UNSUPPORTED,),
    "invented_quotation": (CheckStatus.MISQUOTED,),
    "altered_quotation": (CheckStatus.MISQUOTED,),
    "reversed_stance": (CheckStatus.CONTRADICTED,),
    "retracted_source": (CheckStatus.SOURCE_RETRACTED,),
}


@dataclass(frozen=True, slots=True)
class PlantedError:
    kind: str
    find: str
    put: str


@dataclass(frozen=True, slots=True)
class CheckedText:
    name: str
    topic: str
    language: str
    part: str
    text: str
    errors: tuple[PlantedError, ...]

    def with_errors(self, but: PlantedError | None = None) -> str:
        """The text with all errors planted, or all but one."""
        changed = self.text
        for one in self.errors:
            changed = changed if one is but else changed.replace(one.find, one.put)
        return changed


class Drafts(Protocol):
    """What reads the file that `lyra check` is given."""

    async def read(self, path: Path) -> Draft:
        """The text of a file."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one text: what was checked and failed without errors, and by kind how errors were found and named.

    `not_read` are those of the false alarms that name a page which the task truly has not read.
    """

    text: CheckedText
    items: int
    false_alarms: tuple[str, ...]
    found: tuple[tuple[PlantedError, bool, bool], ...]
    seconds: float
    not_read: tuple[str, ...] = ()


def default_folder() -> Path:
    """benchmarks/check of the source tree."""
    return Path(__file__).parents[5] / "benchmarks" / "check"


def read_texts(folder: Path) -> tuple[CheckedText, ...]:
    """The texts with their errors. Raises InvalidParams where an error cannot be planted."""
    try:
        rows = yaml.safe_load((folder / "texts.yaml").read_text("utf-8"))
        read = tuple(_text(folder, row) for row in rows)
    except (OSError, KeyError, TypeError, yaml.YAMLError) as exc:
        raise InvalidParams(f"The texts in {folder} cannot be read: {exc}") from exc
    for one in read:
        for error in one.errors:
            if one.text.count(error.find) != 1:
                raise InvalidParams(f"{one.name} does not have once: {error.find[:60]}")
    return read


def _text(folder: Path, row: Mapping[str, Any]) -> CheckedText:
    errors = tuple(PlantedError(one["kind"], one["find"], one["put"]) for one in row["errors"])
    text = (folder / "texts" / row["text"]).read_text("utf-8")
    return CheckedText(row["text"], row["topic"], row["language"], row["part"], text, errors)


async def measure_check(
    topic: str | None = None, *, folder: Path | None = None, keep: Path | None = None
) -> dict[str, Any]:
    """Figures by part and language; a graph that is in `keep` is used, others are made on the simulated web."""
    texts = read_texts(folder or default_folder())
    wanted = set(topic_names(topic))
    outcomes: list[Outcome] = []
    for name in sorted({one.topic for one in texts} & wanted):
        async with on_simulated_web(keep / name if keep else None) as lyra:
            task = await _task(lyra, name)
            outcomes += [await _outcome(lyra, task, one) for one in texts if one.topic == name]
    return figures(outcomes)


async def _task(lyra: Lyra, topic: str) -> Task:
    known = await lyra.db.read(tasks.recent, 1)
    if known:
        return known[0]
    task_id, _, _ = await research(lyra, load_truth(topic), None)
    return await lyra.tasks.get(task_id)


async def _outcome(lyra: Lyra, task: Task, one: CheckedText) -> Outcome:
    clean_text = await as_read(lyra.drafts, one.name, one.text)
    wrong_text = await as_read(lyra.drafts, one.name, one.with_errors())
    started = time.perf_counter()
    clean = await lyra.checker.check(clean_text, task)
    seconds = time.perf_counter() - started
    wrong = await lyra.checker.check(wrong_text, task)
    found = [_found(error, wrong, await region(lyra.drafts, one, error)) for error in one.errors]
    known = pages_read(await lyra.db.read(checked_sources.of_task, task.id))
    alarms = tuple(_alarm(one, each) for each in clean.failures)
    unread = tuple(_alarm(one, each) for each in clean.failures if is_not_read(each, known))
    return Outcome(one, len(clean.findings), alarms, tuple(found), seconds, unread)


async def as_read(drafts: Drafts, name: str, text: str) -> str:
    """A text as it is checked when it stands in a file of this name."""
    with tempfile.TemporaryDirectory(prefix="lyra-bench-") as folder:
        path = Path(folder) / name
        path.write_text(text, "utf-8")
        return (await drafts.read(path)).text


def _alarm(one: CheckedText, each: Finding) -> str:
    return f"{one.name}: {each.status}: {each.text}"


def pages_read(sources: Iterable[Source]) -> frozenset[str]:
    """The addresses and identifiers of what a task has read."""
    found: set[str] = set()
    for one in sources:
        found |= {address_key(one.url), address_key(one.final_url)}
        found |= {f"{each.kind}:{each.value}".lower() for each in one.identifiers}
    return frozenset(found - {""})


def is_not_read(finding: Finding, known: frozenset[str]) -> bool:
    """Whether a finding says that a source is missing, names its address, and the graph has none of its addresses."""
    if finding.status is not CheckStatus.SOURCE_MISSING or not finding.sources:
        return False
    return not any(address_key(one) in known or one.lower() in known for one in finding.sources)


def _found(error: PlantedError, result: CheckResult, span: tuple[int, int]) -> tuple[PlantedError, bool, bool]:
    start, end = span
    hits = [each for each in result.failures if each.place.start < end and start < each.place.end]
    return error, bool(hits), any(each.status in NAMES[error.kind] for each in hits)


async def region(drafts: Drafts, one: CheckedText, error: PlantedError) -> tuple[int, int]:
    """From the beginning of the sentence that an error changes, in the text with all of them, to that of the next one
    behind the change."""
    text = await as_read(drafts, one.name, one.with_errors())
    other = await as_read(drafts, one.name, one.with_errors(but=error))
    before = _common(other, text)
    after = min(_common(other[::-1], text[::-1]), len(text) - before)
    last = max(len(text) - after, before + 1)
    starts = [each.start for each in lay_out(text).sentences]
    return max((each for each in starts if each <= before), default=0), min(
        (each for each in starts if each >= last), default=len(text)
    )


def _common(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """By part and language, with what was missed and what was a false alarm."""
    found: dict[str, Any] = {}
    for part in PARTS:
        rows = [one for one in outcomes if one.text.part == part]
        languages = sorted({one.text.language for one in rows})
        if rows:
            found[part] = {name: _shares([one for one in rows if one.text.language == name]) for name in languages}
            found[part]["all"] = _shares(rows)
    unseen = found.get("unseen", {})
    found["is_passed"] = bool(unseen) and all(one["is_passed"] for one in unseen.values())
    return found


def _shares(rows: Sequence[Outcome]) -> dict[str, Any]:
    errors = [each for one in rows for each in one.found]
    items, alarms = sum(one.items for one in rows), [each for one in rows for each in one.false_alarms]
    kinds = sorted({error.kind for error, _, _ in errors})
    found = sum(is_found for _, is_found, _ in errors) / len(errors) if errors else 0.0
    unread = [each for one in rows for each in one.not_read]
    false = len(alarms) / items if items else 0.0
    fair = (len(alarms) - len(unread)) / items if items else 0.0
    return {
        "errors": len(errors),
        "found": round(found, 3),
        "named": round(sum(is_named for _, _, is_named in errors) / len(errors), 3) if errors else 0.0,
        "items": items,
        "false_alarms": round(false, 3),
        "not_read": len(unread),
        "false_alarms_without_not_read": round(fair, 3),
        "is_passed": found >= FOUND_BAR and fair <= FALSE_ALARM_BAR,
        "by_kind": {kind: _of_kind(kind, errors) for kind in kinds},
        "missed": [f"{error.kind}: {error.put[:100]}" for error, is_found, _ in errors if not is_found],
        "alarms": alarms,
        "alarms_not_read": unread,
        "seconds_a_text": round(sum(one.seconds for one in rows) / len(rows), 1),
    }


def _of_kind(kind: str, errors: Sequence[tuple[PlantedError, bool, bool]]) -> str:
    own = [is_found for error, is_found, _ in errors if error.kind == kind]
    return f"{sum(own)} of {len(own)}"
