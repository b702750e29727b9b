"""Texts of a client: brought to normal form, or refused."""

import pytest

from lyra.errors import InvalidParams
from lyra.research.tasks import checked_text, claim_id

TASK = "task_0123456789ab"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  Are DPP-4\tinhibitors\nsafe? ", "Are DPP-4 inhibitors safe?"),
        ("ＤＰＰ－４阻害薬は安全か", "DPP-4阻害薬は安全か"),
        ("saxa\u200bgliptin\x00", "saxagliptin"),
        ("x" * 2000, "x" * 2000),
        ("㌫" * 300, "パーセント" * 300),
    ],
    ids=["white space", "full width", "invisible", "as long as allowed", "grows within the limit"],
)
def test_texts_are_kept_in_normal_form(given: str, kept: str) -> None:
    """NFKC, one kind of space, nothing invisible: the same question is the same text."""
    assert checked_text(given, "query", 2000) == kept


@pytest.mark.parametrize("given", ["", "   ", "\n\t", "\u200b\u200d", "\x00\x1b"])
def test_a_text_without_words_is_refused(given: str) -> None:
    """Empty, blank or invisible: there is nothing to research."""
    with pytest.raises(InvalidParams, match=r"^query is empty\.$"):
        checked_text(given, "query", 2000)


@pytest.mark.parametrize(("given", "length"), [("x" * 2001, 2001), ("x" * 10_000_000, 10_000_000), ("㌫" * 500, 2500)])
def test_a_text_that_is_too_long_is_refused_with_its_length(given: str, length: int) -> None:
    """The limit holds for what would be kept; ten megabytes are not even brought to normal form."""
    with pytest.raises(InvalidParams) as refused:
        checked_text(given, "hypotheses", 2000)

    assert refused.value.message == f"hypotheses has {length} characters; at most 2000 are taken."
    assert refused.value.details == {"length": length, "limit": 2000}


def test_the_same_statement_is_one_claim_of_a_task() -> None:
    """Case, width and spacing do not make another claim; another task does."""
    one = claim_id(TASK, "DPP-4 inhibitors lower HbA1c.")

    assert claim_id(TASK, "ＤＰＰ-4  inhibitors LOWER HbA1c.") == one
    assert claim_id(TASK, "DPP-4 inhibitors raise HbA1c.") != one
    assert claim_id("task_ba9876543210", "DPP-4 inhibitors lower HbA1c.") != one
