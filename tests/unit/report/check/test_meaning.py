"""Sentences of sources that are near in meaning, and what the readers make of them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from lyra.model.check import CheckStatus, Source, TextFragment
from lyra.model.edge import Relation, Stance
from lyra.report.check.checker import check_text
from lyra.report.check.meaning import Meaning, Near
from lyra.report.check.readings import Readings
from lyra.report.check.sources import SourceIndex

PAID = "The university bought every gauge from its equipment fund."
KEPT = "Since 2021 our group has kept fourteen gauges on the marsh."
FRAGMENT = TextFragment("f_1", f"{KEPT} {PAID} Short.")
TABLE = TextFragment("f_2", "A gift of 2024 | 2,405 | 3,410")
PAGE = Source("p_1", "https://a.example/1", "Gauges", "p_1", fragments=(FRAGMENT,))
SENTENCE = "The instruments were a welcome gift from generous outside donors (https://a.example/1)."


class Embedder:
    """Texts with a word of a gift or a purchase have one direction, all others another; counts what it is given."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        return np.array([[1.0, 0.0] if "gift" in one or "bought" in one else [0.0, 1.0] for one in texts], np.float32)


def stance(supports: float, refutes: float) -> Stance:
    chances = (supports, refutes, round(1 - supports - refutes, 2))
    label = (Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL)[chances.index(max(chances))]
    return Stance(label, max(chances), max(chances), chances, "m", "c")


class Judge:
    """Finds a contradiction where one of the two texts is the sentence on the purchase."""

    async def judge(
        self, pairs: Sequence[tuple[str, str]], settings: object = None, weighty: object = None
    ) -> list[Stance]:
        return [stance(0.03, 0.85) if PAID in pair else stance(0.03, 0.03) for pair in pairs]


async def test_the_nearest_sentence_comes_first() -> None:
    """Heads, labels and rows of tables are left out, and the sentences of a source are embedded once."""
    embedder = Embedder()
    meaning = Meaning(embedder)
    page = replace(PAGE, fragments=(FRAGMENT, TABLE))

    found = [await meaning.nearest("a gift", (page,)) for _ in range(2)]

    assert found == [[Near(page, FRAGMENT, PAID), Near(page, FRAGMENT, KEPT)]] * 2
    assert embedder.texts == ["a gift", KEPT, PAID, "a gift"]


async def test_a_page_that_says_the_opposite_in_other_words_contradicts() -> None:
    """Its sentence has hardly a word of the text's, and is found by meaning alone."""
    index = SourceIndex((PAGE,))

    found = [
        (await check_text(SENTENCE, index, Judge(), lambda done, of: None, embedder=one)).findings[0]
        for one in (Embedder(), None)
    ]

    assert [(one.status, one.passage and one.passage.quote) for one in found] == [
        (CheckStatus.CONTRADICTED, PAID),
        (CheckStatus.UNSUPPORTED, KEPT),
    ]


@pytest.mark.parametrize(
    ("readings", "similar", "expected"),
    [
        (Readings(stance(0.05, 0.05), stance(0.05, 0.05)), [(0.03, 0.6), (0.05, 0.8)], 1),
        (Readings(stance(0.05, 0.05), stance(0.05, 0.05)), [(0.03, 0.2), (0.05, 0.3)], None),
        (Readings(stance(0.9, 0.05), stance(0.05, 0.05)), [(0.03, 0.6), (0.05, 0.8)], None),
    ],
    ids=["sure", "unsure", "supported"],
)
def test_what_is_near_in_meaning_refutes_where_no_reading_supports(
    readings: Readings, similar: list[tuple[float, float]], expected: int | None
) -> None:
    """Both ways of reading are added up; the surest is told."""
    assert readings.refuting_similar([(stance(*one), stance(*one)) for one in similar]) == expected
