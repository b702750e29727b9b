"""The same statement found again is one claim; a near one that says otherwise is not."""

import numpy as np
import pytest
from numpy.typing import NDArray

from lyra.claims.merge import ClaimIndex

SAME = np.array([1, 0], np.float32)
CLOSE = np.array([0.95, 0.3122499], np.float32)
FAR = np.array([0.6, 0.8], np.float32)


def merged(
    first: str, second: str, vector: NDArray[np.float32] = CLOSE, *, languages: tuple[str, str] = ("en", "en")
) -> bool:
    index = ClaimIndex(0.9)
    index.merge("c_1", first, languages[0], SAME)
    return index.merge("c_2", second, languages[1], vector) == "c_1"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("Gliptins lower HbA1c.", "GLIPTINS lower HbA1c", id="case and punctuation"),
        pytest.param("Sitagliptin lowered HbA1c in patients.", "Sitagliptin reduces HbA1c.", id="wording"),
        pytest.param(
            "HbA1c fell by 0.50 points.", "HbA1c falls by 0.5 points.", id="the same number written otherwise"
        ),
        pytest.param("DPP-4阻害薬は体重に影響しない。", "DPP-4阻害薬は、体重に影響しません。", id="Japanese styles"),
    ],
)
def test_wordings_of_one_statement_are_merged(first: str, second: str) -> None:
    """SPEC §13: within a task the same statement found again is one claim with several mentions."""
    assert merged(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("Saxagliptin raised the risk.", "Sitagliptin raised the risk.", id="another drug"),
        pytest.param("Saxagliptin raised the risk.", "Saxagliptin did not raise the risk.", id="a negation"),
        pytest.param("Saxagliptin raised the risk.", "Saxagliptin lowered the risk.", id="the other direction"),
        pytest.param("HbA1c fell by 0.5 points.", "HbA1c fell by 0.8 points.", id="another number"),
        pytest.param("Gliptins cause joint pain.", "Gliptins cause severe joint pain.", id="a narrower statement"),
        pytest.param("リスクを高める薬である。", "リスクを高めない薬である。", id="Japanese negation"),
    ],
)
def test_statements_that_differ_in_substance_stay_apart(first: str, second: str) -> None:
    """Vectors hardly see a name, a number or a "not"; a merged contradiction would be lost for ever."""
    assert not merged(first, second)


def test_dissimilar_vectors_keep_statements_apart() -> None:
    """Words alone do not merge either, unless they are the very same."""
    assert not merged("Sitagliptin lowered HbA1c in patients.", "Sitagliptin reduces HbA1c.", FAR)


def test_the_same_words_need_no_vector() -> None:
    """Japanese vectors may be empty; the identical sentence is the same claim all the same."""
    assert merged("DPP-4阻害薬は体重に影響しない。", "DPP-4阻害薬は体重に影響しない", np.zeros(2, np.float32))


def test_languages_are_not_merged() -> None:
    """A sentence of names and numbers alone may look the same in two languages; they stay two claims."""
    assert not merged("Sitagliptin lowered HbA1c.", "Sitagliptin reduced HbA1c.", languages=("en", "ja"))


def test_the_nearest_of_several_wins() -> None:
    """Two known claims with one meaning: the more similar one takes the mention."""
    index = ClaimIndex(0.5)
    index.merge("c_1", "Sitagliptin lowered HbA1c.", "en", FAR)
    index.merge("c_2", "Sitagliptin may matter for HbA1c.", "en", SAME)

    found = index.merge("c_3", "Sitagliptin reduces HbA1c.", "en", FAR)

    assert (found, len(index)) == ("c_1", 2)


def test_a_new_statement_is_known_from_then_on() -> None:
    """The first page's claim is the second page's mention."""
    index = ClaimIndex(0.9)

    found = [index.merge(f"c_{at}", "Gliptins lower HbA1c.", "en", SAME) for at in range(3)]

    assert (found, len(index)) == (["c_0", "c_0", "c_0"], 1)


def test_many_claims_are_held() -> None:
    """The matrix grows beyond its first room without losing a row."""
    index = ClaimIndex(0.9)
    rng = np.random.default_rng(7)
    vectors = rng.standard_normal((1000, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for at, vector in enumerate(vectors):
        index.merge(f"c_{at}", f"Agent{at}x lowers glucose in trial{at}x.", "en", vector)

    found = index.merge("c_new", "Agent700x reduced glucose in trial700x", "en", vectors[700])

    assert (found, len(index)) == ("c_700", 1000)
