"""training/: the kept labels of the teacher."""

from collections import Counter
from pathlib import Path

import pytest


@pytest.fixture
def labels(script):
    script("rows")
    return script("teacher_labels")


def test_every_pair_has_three_chances_that_sum_to_one(labels):
    """93,404 pairs of our own texts, more of them Japanese than English."""
    rows, chances = labels.read_labels(Path(labels.__file__).parent / "teacher" / "labels.jsonl.gz")

    assert Counter(row.lang for row in rows) == {"ja": 54535, "en": 38869}
    assert chances.shape == (93404, 3)
    assert float(abs(chances.astype("float64").sum(1) - 1).max()) == pytest.approx(0, abs=0.003)
