"""Pairs without labels from the written corpus, for a teacher: claims turned by rule, passages cut or joined.

python turn_claims.py --corpus corpus --count 320000 --out turned.jsonl.gz
Each claim is turned in every way that applies and meets the passages of its group; claims as they are meet passages of
other groups of their domain, their own passages cut to two sentences, and their own beside a sentence of another.
Groups of the held-out tenth take no part. Half of the pairs are Japanese; no way of making them has more than it must.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from corpus import Group, read_groups
from rows import Row, write_rows
from sentences import split_sentences
from turned import names_in, rules

LANGUAGES = ("en", "ja")
TURNS = 2  # of one claim by one rule
CROSSED = 5  # claims of other groups that a passage meets
GLUE = {"en": " ", "ja": ""}
Made = tuple[str, str, str]  # the way it was made, the text, the claim


def turned_pairs(group: Group, chooser: random.Random) -> Iterator[Made]:
    names = names_in([*group.passages, *group.claims], group.lang)
    for claim in group.claims:
        for name, rule in rules(group.lang, names).items():
            claims = {rule(claim, chooser) for _ in range(TURNS)} - {None, *group.claims}
            yield from ((name, passage, each) for each in sorted(map(str, claims)) for passage in group.passages)


def cut_pairs(group: Group, chooser: random.Random) -> Iterator[Made]:
    """Claims as they are, with two sentences of a passage in their order."""
    for passage in group.passages:
        parts = split_sentences(passage)
        if len(parts) < 3:
            continue
        for claim in group.claims:
            for _ in range(2):
                first, second = sorted(chooser.sample(range(len(parts)), 2))
                yield "cut", GLUE[group.lang].join((parts[first], parts[second])), claim


def joined_pairs(group: Group, chooser: random.Random) -> Iterator[Made]:
    """Claims as they are, with a passage before or after a sentence of another of the group."""
    for passage in group.passages:
        others = [part for each in group.passages if each != passage for part in split_sentences(each)]
        if not others:
            continue
        for claim in group.claims:
            texts = [passage, chooser.choice(others)]
            chooser.shuffle(texts)
            yield "joined", GLUE[group.lang].join(texts), claim


def crossed_pairs(groups: list[Group], chooser: random.Random) -> Iterator[Made]:
    """Passages with claims of other groups of the same domain."""
    domains: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        domains[group.domain].append(group)
    for group in groups:
        claims = [claim for each in domains[group.domain] if each != group for claim in each.claims]
        for passage in group.passages:
            yield from (("crossed", passage, claim) for claim in chooser.sample(claims, min(CROSSED, len(claims))))


def made_pairs(groups: list[Group], chooser: random.Random) -> dict[str, list[tuple[str, str]]]:
    """Distinct pairs by the way they were made; a pair that was written so is left out."""
    written = {(text, claim) for group in groups for text in group.passages for claim in group.claims}
    found: dict[tuple[str, str], str] = {}
    for group in groups:
        for make in (turned_pairs, cut_pairs, joined_pairs):
            for way, text, claim in make(group, chooser):
                found.setdefault((text, claim), way)
    for way, text, claim in crossed_pairs(groups, chooser):
        found.setdefault((text, claim), way)
    by_way: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for pair, way in found.items():
        if pair not in written:
            by_way[way].append(pair)
    return by_way


def evened(made: dict[str, list[tuple[str, str]]], count: int, chooser: random.Random) -> list[Row]:
    """`count` pairs, as many of each way as there are or as are wanted; fewer where there are fewer in all."""
    chosen: list[tuple[str, tuple[str, str]]] = []
    ways = sorted(made, key=lambda way: len(made[way]))
    for place, way in enumerate(ways):
        wanted = (count - len(chosen)) // (len(ways) - place)
        chosen += [(way, pair) for pair in chooser.sample(made[way], min(wanted, len(made[way])))]
    return [Row(text, claim, "", way, "") for way, (text, claim) in chosen]


def turned_rows(groups: list[Group], count: int, seed: int) -> list[Row]:
    """Half of the pairs in each language, in random order."""
    chooser = random.Random(seed)
    found = []
    for lang in LANGUAGES:
        mine = [group for group in groups if group.lang == lang and not group.is_held_out]
        rows = evened(made_pairs(mine, chooser), count // 2, chooser)
        found += [Row(row.premise, row.hypothesis, "", f"turned_{row.source}_{lang}", lang) for row in rows]
    chooser.shuffle(found)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=320_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows = turned_rows(read_groups(options.corpus), options.count, options.seed)
    write_rows(options.out, rows)
    print(len(rows), "pairs")
    for source, count in sorted(Counter(row.source for row in rows).items()):
        print(source, count)


if __name__ == "__main__":
    main()
