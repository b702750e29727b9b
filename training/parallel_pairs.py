"""Pairs of parallel sentences: the teacher reads the English side, the student the Japanese or a mixed one.

The two files hold the same pairs in the same order; neither has labels.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from rows import Row

PER_SENTENCE = 4
SPACED = re.compile(r" (?=[.,!?;:')]|n't\b)|(?<=\() | (?='\w)")
SIDES = ((1, 1), (1, 1), (1, 1), (1, 0), (0, 1))


def english(text: str) -> str:
    """A tokenised lower-case sentence as people write it."""
    plain = SPACED.sub("", text.replace(" '", "'").replace("' ", "'") if "'" in text else text)
    plain = re.sub(r"\bi\b", "I", plain)
    return plain[:1].upper() + plain[1:]


def parallel_pairs(
    parallel: list[tuple[str, str]],
    nearest: Callable[[list[str], list[str], int], list[list[int]]],
    chooser: random.Random,
) -> tuple[list[Row], list[Row]]:
    """Rows for the teacher and rows for the student; premises have one to three sentences."""
    sides = [(english(left), right.strip()) for left, right in parallel]
    texts = [left for left, _ in sides]
    read, learnt = [], []
    for place, order in enumerate(nearest(texts, texts, 16)):
        near = [other for other in order if other != place]
        chosen = near[:1] + chooser.sample(near[1:], PER_SENTENCE - 2) + [place]
        for other in chosen:
            around = [chooser.randrange(len(sides)) for _ in range(chooser.choice((0, 0, 0, 1, 2)))]
            premise = [*around, other] if chooser.random() < 0.5 else [other, *around]
            if other == place and not around and chooser.random() < 0.6:
                continue
            said, asked = chooser.choice(SIDES)
            read.append(Row(" ".join(sides[i][0] for i in premise), sides[place][0], "", "parallel", "en"))
            text = (" ", "")[said].join(sides[i][said] for i in premise)
            learnt.append(Row(text, sides[place][asked], "", "parallel", ("en", "ja")[asked]))
    return read, learnt
