"""Which statements become claims."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from lyra.claims.select import ClaimSelector, is_echo
from lyra.model.claim import Statement

QUESTION = "What are the efficacy and safety of DPP-4 inhibitors in type 2 diabetes?"
HYPOTHESIS = "Saxagliptin increases the risk of hospitalisation for heart failure."


class Directions:
    """An embedder that gives each text the direction it was told, and others one of their own."""

    model_id = "directions"
    dimension = 2

    def __init__(self, cosines: dict[str, float]) -> None:
        self._cosines = cosines

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        cosines = np.array([self._cosines.get(text, 1.0) for text in texts], np.float32)
        return np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1)


def statement(text: str, score: float = 0.5, language: str = "en") -> Statement:
    return Statement(text, text, 0, len(text), language, score)


def selector(cosines: dict[str, float], *, claims_per_page: int = 12) -> ClaimSelector:
    return ClaimSelector(Directions(cosines), relevance_floor=0.35, claims_per_page=claims_per_page)


async def test_a_similar_statement_is_selected_and_an_unrelated_one_is_not() -> None:
    """Cosine to the question or a hypothesis, from the floor of 0.35 on."""
    near, far = statement("Gliptins are usually well tolerated."), statement("The station was built in 1911.")

    found = await selector({near.text: 0.36, far.text: 0.34}).select([near, far], [QUESTION])

    assert [(one.index, one.statement, round(one.relevance, 2)) for one in found] == [(0, near, 0.36)]


async def test_shared_words_select_where_the_vectors_do_not() -> None:
    """The embedder is weak in some languages and on new names; half of a hypothesis' words are enough."""
    found = await selector({"x": 0.0, HYPOTHESIS: 1.0}).select(
        [statement("Saxagliptin raised the hospitalisation for heart failure by 27 percent.")], [], [HYPOTHESIS]
    )

    assert [one.index for one in found] == [0]


async def test_one_shared_word_alone_is_no_relevance() -> None:
    """ "Diabetes" occurs on pages about everything."""
    text = "A diabetes charity opened a garden in the town."

    found = await selector({text: 0.1}).select([statement(text)], ["diabetes tablets"], [HYPOTHESIS])

    assert [one.index for one in found] == []


async def test_similar_vectors_are_not_enough_in_japanese() -> None:
    """The bundled embedder finds any two Japanese sentences alike: a railway diary must not become evidence."""
    diary = statement("終点の売店では、あさりの炊き込みご飯の駅弁が人気です。", language="ja")
    medical = statement("DPP-4阻害薬は低血糖を起こしにくい薬です。", language="ja")

    found = await selector({diary.text: 0.6, medical.text: 0.6}).select([diary, medical], ["DPP-4阻害薬の安全性"])

    assert [one.statement for one in found] == [medical]


async def test_an_echo_of_the_question_is_no_claim() -> None:
    """A forum that repeats the question answers nothing."""
    echo = statement("What are the efficacy and safety of DPP-4 inhibitors in type 2 diabetes")

    assert await selector({}).select([echo], [QUESTION]) == []


async def test_the_words_of_a_hypothesis_are_what_is_looked_for() -> None:
    """A source that states a hypothesis word for word supports it; it must not be dropped as an echo."""
    found = await selector({}).select([statement(HYPOTHESIS)], [QUESTION], [HYPOTHESIS])

    assert [one.statement.text for one in found] == [HYPOTHESIS]


async def test_a_page_gives_its_best_claims_in_reading_order() -> None:
    """One long page must not fill the graph; relevance and worth decide together."""
    cosines = {"weak": 0.4, "strong": 0.9, "worthy": 0.5, "fair": 0.6}
    given = [statement("weak"), statement("strong"), statement("worthy", 1.0), statement("fair")]

    found = await selector(cosines, claims_per_page=2).select(given, [QUESTION])

    assert [one.statement.text for one in found] == ["strong", "worthy"]


@pytest.mark.parametrize(
    ("statements", "queries"), [([], [QUESTION]), ([statement("A fact.")], []), ([statement("A fact.")], [" "])]
)
async def test_nothing_to_choose_from_or_by_gives_nothing(statements: list[Statement], queries: list[str]) -> None:
    """No fallback: without statements or a question there is no claim."""
    assert await selector({}).select(statements, queries) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (QUESTION, True),
        ("What are the efficacy and safety of DPP-4 inhibitors in type 2 diabetes, then?", True),
        ("The efficacy of DPP-4 inhibitors was shown in 83 trials.", False),
        ("DPP-4 inhibitors lower HbA1c by 0.5 to 0.8 percentage points.", False),
    ],
)
def test_what_an_echo_is(text: str, expected: bool) -> None:
    """Nearly the same words, not the same subject."""
    assert is_echo(text, [QUESTION]) is expected
