"""The written corpus (`corpus/*.jsonl`): groups of passages and claims with a full matrix of labels, as rows.

A tenth of the groups, by a hash of the subject, is kept out of training. Beside each pair as written, two more are made
of it: the subject as a title before the passage, as pages have one, and the passage beside one that says nothing about
the claim, for a page's paragraph rarely holds the deciding sentence alone.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rows import Row, share_of

HELD_OUT_SHARE = 0.1
TITLED_SHARE = 0.35
AS_READ_SHARE = 0.6
MOST_LINES_ABOVE, LONGEST_LINE_ABOVE = 2, 90  # a title and a heading
BEHIND_ANOTHER_SHARE = 0.3
BEGINNING_CHARS, BEGINNING_CHARS_JA = 320, 150
SILENT_SHARE = 0.45  # of the parts that say nothing of a claim, four in five, so many are read


@dataclass(frozen=True)
class Group:
    """Passages and claims on one subject; `labels[i][j]` is what passage i does to claim j."""

    subject: str
    lang: str
    passages: tuple[str, ...]
    claims: tuple[str, ...]
    labels: tuple[str, ...]
    kind: str
    domain: str = ""

    @property
    def is_held_out(self) -> bool:
        return share_of(self.subject) < HELD_OUT_SHARE


@dataclass(frozen=True)
class World:
    """Pages on one subject, each a site, a title and parts (a heading and a text); `labels[i][j]` is what part j of
    page i does to each claim."""

    subject: str
    lang: str
    pages: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]
    claims: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    kind: str

    @property
    def is_held_out(self) -> bool:
        return share_of(self.subject) < HELD_OUT_SHARE


def read_worlds(folder: Path) -> list[World]:
    found = []
    for path in sorted((folder / "pages").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            each = json.loads(line)
            pages = tuple(
                (page["site"], page["title"], tuple((part["heading"], part["text"]) for part in page["parts"]))
                for page in each["pages"]
            )
            labels = tuple(tuple(page) for page in each["labels"])
            found.append(World(each["subject"], each["lang"], pages, tuple(each["claims"]), labels, path.stem))
    return found


def rows_of_world(world: World) -> Iterator[Row]:
    """Every part with every claim."""
    for (site, title, parts), labels in zip(world.pages, world.labels, strict=True):
        for at, ((heading, text), own) in enumerate(zip(parts, labels, strict=True)):
            said = named((title, "" if heading == title else heading), world.lang) + text
            premise = behind(site, parts[0][1] if at else "", said, world.lang)
            for claim, label in zip(world.claims, own, strict=True):
                yield Row(premise, claim, label, f"pages_{world.kind}", world.lang)


def behind(site: str, beginning: str, said: str, lang: str) -> str:
    """A text as the strong reader is given it, behind its site's name and the beginning of its page."""
    longest = BEGINNING_CHARS_JA if lang == "ja" else BEGINNING_CHARS
    return f"{named((site,), lang)}{beginning[:longest]}".strip() + f"\n\n{said}"


def named(lines: tuple[str, ...], lang: str) -> str:
    """Title and heading as sentences."""
    stop = "。" if lang == "ja" else ". "
    return "".join(f"{line.strip().rstrip('.。')}{stop}" for line in lines if line.strip())


def read_groups(folder: Path) -> list[Group]:
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            each = json.loads(line)
            texts = (tuple(each[name]) for name in ("passages", "claims", "labels"))
            found.append(Group(each["subject"], each["lang"], *texts, kind=path.stem, domain=each["domain"]))
    return found


def pairs_of(group: Group) -> Iterator[Row]:
    """Every pair as it was written."""
    for passage, labels in zip(group.passages, group.labels, strict=True):
        for claim, label in zip(group.claims, labels, strict=True):
            yield Row(passage, claim, label, f"written_{group.kind}", group.lang)


def titled(row: Row, subject: str) -> Row:
    between = "。" if row.lang == "ja" else ". "
    return Row(f"{subject}{between}{row.premise}", row.hypothesis, row.label, row.source, row.lang)


def as_read(passage: str, lang: str) -> str:
    """A passage as the product reads it: its title and heading as sentences before the text, not as lines."""
    *above, text = passage.split("\n", MOST_LINES_ABOVE)
    if any(len(line) > LONGEST_LINE_ABOVE for line in above):
        return passage
    return named(tuple(above), lang) + text


def joined_pairs(group: Group, chooser: random.Random) -> Iterator[Row]:
    """Each passage beside others, in either order, with the claims of which the other says nothing."""
    gap = "" if group.lang == "ja" else " "
    for place, (passage, labels) in enumerate(zip(group.passages, group.labels, strict=True)):
        left = set(range(len(group.claims)))
        others = [i for i in range(len(group.passages)) if i != place]
        for other in chooser.sample(others, len(others)):
            silent = sorted(column for column in left if group.labels[other][column] == "N")
            left -= set(silent)
            texts = [passage, group.passages[other]]
            chooser.shuffle(texts)
            for column in silent:
                yield Row(gap.join(texts), group.claims[column], labels[column], f"written_{group.kind}", group.lang)


def training_rows(groups: list[Group], seed: int) -> list[Row]:
    """Rows of the groups that training may see, with titles before some passages and joined passages beside them.

    A text meets its claims one after the other, so that who reads the text first reads it once for all of them.
    """
    chooser = random.Random(seed)
    found: list[Row] = []
    for group in groups:
        if group.is_held_out:
            continue
        with_title = {passage for passage in group.passages if chooser.random() < TITLED_SHARE}
        rows = [titled(row, group.subject) if row.premise in with_title else row for row in pairs_of(group)]
        rows += joined_pairs(group, chooser)
        texts = dict.fromkeys(row.premise for row in rows)
        read = {text: as_read(text, group.lang) for text in texts if chooser.random() < AS_READ_SHARE}
        for text in texts:
            if chooser.random() < BEHIND_ANOTHER_SHARE:
                # What stands before it says nothing for it: a text is labelled by its own words.
                other = chooser.choice(group.passages)
                read[text] = behind("", as_read(other, group.lang), as_read(text, group.lang), group.lang)
        found += [replace(row, premise=read.get(row.premise, row.premise)) for row in rows]
    return found


def held_out_rows(groups: list[Group]) -> list[Row]:
    return [row for group in groups if group.is_held_out for row in pairs_of(group)]


def rows_of_worlds(worlds: list[World], *, held_out: bool, seed: int = 0) -> list[Row]:
    """Those that are kept out of training whole, of the others a part of what says nothing."""
    chooser = random.Random(seed)
    rows = [row for world in worlds if world.is_held_out is held_out for row in rows_of_world(world)]
    return [row for row in rows if held_out or row.label != "N" or chooser.random() < SILENT_SHARE]
