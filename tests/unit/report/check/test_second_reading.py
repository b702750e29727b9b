"""What the strong reader changes of what came of a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from lyra.model.check import CheckStatus, Source, TextFragment
from lyra.model.edge import Relation, Stance
from lyra.report.check.checker import check_text
from lyra.report.check.second_reading import read_again
from lyra.report.check.sources import SourceIndex
from lyra.report.check.statements import Aligned, Judged

TEXT = "The pier is old. It was shut in May. The mayor cut the ribbon. Ships pass."
FRAGMENT = TextFragment("f_1", TEXT)
PIER = Source("p_1", "https://pier.example/", "The pier", "p_1", fragments=(FRAGMENT,))
NEAR = Aligned(PIER, FRAGMENT, 0.6, "It was shut in May.")
SENTENCE = "The old pier was opened to the public and all ships in May."
UNDECIDED = Judged(CheckStatus.NOT_CHECKED, NEAR.passage, is_open=True)
BY_READERS = Judged(CheckStatus.CONTRADICTED, NEAR.passage, is_by_readers=True)
BY_RULES = Judged(CheckStatus.CONTRADICTED, NEAR.passage)


@dataclass
class Strong:
    """Says of every pair what it was told, and keeps what it was asked."""

    probabilities: tuple[float, float, float]
    reader: str = "strong"
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def judge(
        self, pairs: Sequence[tuple[str, str]], settings: object = None, weighty: object = None
    ) -> list[Stance]:
        self.asked += pairs
        return [Stance(Relation.NEUTRAL, 0.9, 0.9, self.probabilities, "m", "c", reader=self.reader) for _ in pairs]


@pytest.mark.parametrize(
    ("judged", "strong", "status"),
    [
        pytest.param(UNDECIDED, Strong((0.1, 0.8, 0.1)), CheckStatus.CONTRADICTED, id="found"),
        pytest.param(UNDECIDED, Strong((0.1, 0.8, 0.1), "small"), CheckStatus.NOT_CHECKED, id="not answered"),
        pytest.param(UNDECIDED, Strong((0.1, 0.4, 0.5)), CheckStatus.NOT_CHECKED, id="not sure"),
        pytest.param(UNDECIDED, Strong((0.4, 0.55, 0.05)), CheckStatus.NOT_CHECKED, id="both ways"),
        pytest.param(BY_READERS, Strong((0.8, 0.1, 0.1)), CheckStatus.RESOLVED, id="taken back"),
        pytest.param(BY_READERS, Strong((0.4, 0.4, 0.2)), CheckStatus.NOT_CHECKED, id="left open"),
        pytest.param(BY_READERS, Strong((0.2, 0.2, 0.6)), CheckStatus.CONTRADICTED, id="nothing for it"),
        pytest.param(BY_RULES, Strong((0.5, 0.2, 0.3)), CheckStatus.CONTRADICTED, id="rules stay"),
        pytest.param(BY_RULES, Strong((0.7, 0.1, 0.2)), CheckStatus.RESOLVED, id="surely said"),
    ],
)
async def test_what_the_strong_reader_decides(judged: Judged, strong: Strong, status: CheckStatus) -> None:
    """It finds what nothing else did, and takes back what only the other readers said."""
    (found,) = await read_again(strong, [(SENTENCE, [NEAR])], [judged])

    assert found.status is status


async def test_it_reads_the_neighbours_of_the_nearest_sentence() -> None:
    """They say what "it" is."""
    strong = Strong((0.0, 0.0, 1.0))

    await read_again(strong, [(SENTENCE, [NEAR])], [UNDECIDED])

    assert strong.asked == [("The pier is old. It was shut in May. The mayor cut the ribbon.", SENTENCE)]


async def test_a_source_in_another_language_is_not_asked_about() -> None:
    """Nor a sentence without a passage."""
    strong = Strong((0.1, 0.8, 0.1))

    found = await read_again(strong, [("橋は五月に開かれた。", [NEAR]), (SENTENCE, [])], [UNDECIDED, UNDECIDED])

    assert (found, strong.asked) == ([UNDECIDED, UNDECIDED], [])


async def test_a_text_is_read_again_where_the_strong_reader_is_there() -> None:
    """Of a cited sentence its word counts."""
    text, index = f"{SENTENCE[:-1]} (https://pier.example/).", SourceIndex([PIER])
    neutral = Strong((0.05, 0.05, 0.9))

    result = await check_text(text, index, neutral, lambda done, total: None, strong=Strong((0.1, 0.8, 0.1)))

    assert [one.status for one in result.failures] == [CheckStatus.CONTRADICTED]
