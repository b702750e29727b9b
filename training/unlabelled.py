"""Pairs without labels, as a search meets them: a window of a text and a claim on a like subject, most of them neutral.

python unlabelled.py --corpus CORPUS --rows train.jsonl.gz --rules rules.jsonl.gz --out unlabelled.jsonl.gz
Claims meet the nearest passages of other subjects (by weighted words, in Japanese by pairs and triples of characters),
their own passages cut to other windows, and claims reworded by rule meet the passages of the claims they were made of.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from corpus import Group, read_groups
from perturb import perturb
from rows import CHECKED, Row, read_rows, write_rows
from sentences import window

NEAREST = 24
BLOCK = 500


def nearest(claims: list[str], passages: list[str], lang: str) -> np.ndarray:
    """Places of the nearest passages, nearest first."""
    words = (
        TfidfVectorizer(analyzer="char", ngram_range=(2, 3)) if lang == "ja" else TfidfVectorizer(stop_words="english")
    )
    words.set_params(sublinear_tf=True, min_df=2)
    matrix = words.fit_transform(passages)
    found = []
    for start in range(0, len(claims), BLOCK):
        scores = (words.transform(claims[start : start + BLOCK]) @ matrix.T).toarray()
        found.append(np.argsort(-scores, axis=1)[:, :NEAREST])
    return np.concatenate(found)


def crossed(
    claims: list[str],
    passages: list[str],
    own: list[set[str]],
    lang: str,
    count: int,
    source: str,
    chooser: random.Random,
) -> list[Row]:
    """Each claim with `count` of its nearest passages that are not its own."""
    found = []
    for claim, order, mine in zip(claims, nearest(claims, passages, lang), own, strict=True):
        others = [passages[i] for i in order if passages[i] not in mine]
        chosen = others[:2] + chooser.sample(others[2:], max(0, min(count - 2, len(others) - 2)))
        found += [Row(window(text, chooser), claim, "", source, lang) for text in chosen[:count]]
    return found


def of_corpus(groups: list[Group], lang: str, chooser: random.Random) -> list[Row]:
    mine = [group for group in groups if group.lang == lang and not group.is_held_out]
    passages = [text for group in mine for text in group.passages]
    claims = [(claim, set(group.passages)) for group in mine for claim in group.claims]
    texts, own = [claim for claim, _ in claims], [passages for _, passages in claims]
    found = crossed(texts, passages, own, lang, 16, f"crossed_{lang}", chooser)
    for group in mine:
        for claim in group.claims:
            found += [Row(window(text, chooser), claim, "", f"windows_{lang}", lang) for text in group.passages]
            changed = perturb(claim, chooser) if lang == "en" else None
            if changed:
                found += [Row(text, changed, "", f"reworded_{lang}", lang) for text in group.passages]
    return found


def of_checked(rows: list[Row], chooser: random.Random) -> list[Row]:
    """Claims of public fact-checking sets against passages of others, and reworded against their own."""
    mine = [row for row in rows if row.source in CHECKED]
    own: dict[str, set[str]] = {}
    for row in mine:
        own.setdefault(row.hypothesis, set()).add(row.premise)
    claims, passages = sorted(own), sorted({row.premise for row in mine})
    found = crossed(claims, passages, [own[claim] for claim in claims], "en", 3, "crossed_en", chooser)
    for claim in claims:
        changed = perturb(claim, chooser)
        if changed:
            found += [Row(text, changed, "", "reworded_en", "en") for text in own[claim]]
    return found


def of_articles(rules: list[Row], groups: list[Group], chooser: random.Random) -> list[Row]:
    """Japanese encyclopaedia text: pairs made by rule, without their labels, and the written claims against it."""
    articles = [row for row in rules if row.source == "articles_ja"]
    found = [Row(row.premise, row.hypothesis, "", "articles_ja", "ja") for row in chooser.sample(articles, 40000)]
    claims = [claim for group in groups if group.lang == "ja" and not group.is_held_out for claim in group.claims]
    passages = sorted({row.premise for row in articles})
    return found + crossed(claims, passages, [set()] * len(claims), "ja", 3, "crossed_ja", chooser)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("corpus", "rows", "rules", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chooser = random.Random(options.seed)
    groups, rules = read_groups(options.corpus), read_rows(options.rules)
    found = of_corpus(groups, "en", chooser) + of_corpus(groups, "ja", chooser)
    found += of_checked(read_rows(options.rows), chooser) + of_articles(rules, groups, chooser)
    chooser.shuffle(found)
    write_rows(options.out, found)
    print(len(found), Counter(row.source for row in found))


if __name__ == "__main__":
    main()
