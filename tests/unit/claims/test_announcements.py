"""Sentences that say nothing."""

import pytest

from lyra.claims.announcements import is_no_statement


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We measured the efficiency of twelve commercial chargers with a robot.", True),
        ("We measured twelve chargers and found that efficiency fell to 66 percent.", False),
        ("学校給食費の無償化が出生と転入に与える影響を推定した。", True),
        ("無償化が出生数を増加させる効果は認められなかった。", False),
        ("The main outcomes were the change of HbA1c and the number of patients with severe hypoglycaemia.", True),
        ("Does saxagliptin harm the heart?", True),
        ("To compare the efficacy, safety and tolerability of gliptins in adults.", True),
        ("To cut the cost of tablets, the ministry lowered the price of gliptins by 20 percent.", False),
        ("The aim of this study was to determine the effect of gliptins on the heart.", True),
        ("The hypothesis was that gliptins would lower the risk.", True),
        ("HbA1c will be measured in all four groups.", True),
        ("The aim of the law is to cut the price of gliptins by 20 percent.", False),
        ("研究の目的は、シタグリプチンの効果を明らかにすることである。", True),
    ],
)
def test_a_sentence_that_asks_or_tells_what_was_done_announces(sentence: str, expected: bool) -> None:
    """What came of it stands elsewhere."""
    assert is_no_statement(sentence) is expected
