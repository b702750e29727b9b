"""What the model reads of a premise."""

import pytest

from lyra.claims.windows import Reading, read_for
from lyra.claims.words import content_words

PREMISE = "The risk rose by 27 percent."


@pytest.mark.parametrize(
    ("title", "before"),
    [
        ("", ""),
        ("Heart  failure\n and gliptins.", "Heart failure and gliptins. "),
        ("心不全のリスク。", "心不全のリスク。"),
        ("x" * 130, "x" * 120 + ". "),
        ("The risk rose", ""),
    ],
    ids=["none", "on one line", "Japanese", "cut", "said by the premise"],
)
def test_a_title_is_read_before_the_premise(title: str, before: str) -> None:
    """As a sentence of its own, of at most 120 characters; a premise that opens with it needs none."""
    assert read_for(PREMISE, "The drug raises the risk.", content_words, title) == Reading(PREMISE, before + PREMISE)
