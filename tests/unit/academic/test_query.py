"""Whether a question is searched in the academic APIs from the start."""

import pytest

from lyra.academic.catalogue import is_academic_query


@pytest.mark.parametrize(
    "query",
    [
        "efficacy and safety of DPP-4 inhibitors",
        "saxagliptin heart failure hospitalisation",
        "meta-analysis of statins and dementia",
        "association between vitamin D and fractures",
        "site:arxiv.org diffusion models",
        "10.1056/NEJMoa1307684 criticism",
        "DPP-4阻害薬 類天疱瘡",
        "糖尿病の治療",
        "量子コンピュータ 論文",
        "マスクの有効性",
    ],
)
def test_scholarly_questions_are_academic(query: str) -> None:
    """Study designs, drugs, identifiers and scholarly sites, in English and Japanese."""
    assert is_academic_query(query) is True


@pytest.mark.parametrize(
    "query",
    [
        "best pizza in Tokyo",
        "Toyota annual report 2025",
        "iPhone 17 price",
        "東京 ランチ おすすめ",
        "選挙 結果 2026",
        "",
        "🩺",
    ],
)
def test_everyday_questions_are_not(query: str) -> None:
    """They would only spend the APIs' patience."""
    assert is_academic_query(query) is False
