"""Topical but unrelated premises as neutral pairs, found inside a source by TF-IDF.

Sources with only supporting and refuting pairs teach a model that "related" means "refutes"; these pairs undo it.
"""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from rows import Row

PER_HYPOTHESIS = {
    "fever_dev_rte2way": 1,
    "semi_auto_nli_wiki": 1,
    "mnli": 1,
    "perspectrum_stance": 2,
    "fool_me_twice": 4,
    "fever_symmetric": 4,
    "wice_claim": 4,
}
FIRST_RANK, LAST_RANK = 2, 30


def mine(rows: list[Row], seed: int) -> list[Row]:
    """Neutral pairs for every source of the table; the nearest ranks are left out, they may be related after all."""
    chooser = random.Random(seed)
    found: list[Row] = []
    for source, count in PER_HYPOTHESIS.items():
        found += mine_source([row for row in rows if row.source == source], source, count, chooser)
    return found


def mine_source(rows: list[Row], source: str, count: int, chooser: random.Random) -> list[Row]:
    premises = sorted({row.premise for row in rows})
    hypotheses = sorted({row.hypothesis for row in rows})
    paired = defaultdict(set)
    for row in rows:
        paired[row.hypothesis].add(row.premise)
    vectorizer = TfidfVectorizer(sublinear_tf=True).fit(premises)
    matrix = vectorizer.transform(premises)
    found = []
    for start in range(0, len(hypotheses), 500):
        block = hypotheses[start : start + 500]
        scores = (vectorizer.transform(block) @ matrix.T).toarray()
        ranked = np.argsort(-scores, axis=1)[:, : LAST_RANK + 10]
        for hypothesis, order in zip(block, ranked, strict=True):
            near = [premises[i] for i in order if premises[i] not in paired[hypothesis]][FIRST_RANK:LAST_RANK]
            chosen = chooser.sample(near, min(count, len(near)))
            found += [Row(premise, hypothesis, "N", f"{source}_mined", rows[0].lang) for premise in chosen]
    return found
