"""Fusion of BM25 and cosine (SPEC §13)."""

import numpy as np
import pytest

from lyra.rank.ranker import FusionWeights, fuse_scores, query_language, weights_for
from lyra.settings import Ranking

CARD = {"default": {"bm25": 0.4, "embedding": 0.6}, "ja": {"bm25": 1.0, "embedding": 0.0}}


def test_bm25_is_divided_by_the_pools_maximum_and_cosine_clipped() -> None:
    """0.3 and 0.7 over a BM25 of at most 1 and a cosine of at least 0."""
    score, lexical, semantic = fuse_scores(
        np.array([8.0, 2.0, 0.0]), np.array([0.5, -0.2, 1.1]), FusionWeights(0.3, 0.7)
    )

    assert lexical.tolist() == [1.0, 0.25, 0.0]
    assert semantic.tolist() == [0.5, 0.0, 1.0]
    assert score.tolist() == pytest.approx([0.65, 0.075, 0.7])


def test_pool_without_a_match_is_left_to_the_embedding() -> None:
    """Where no word matches, BM25 adds nothing instead of dividing by zero."""
    score, lexical, _ = fuse_scores(np.zeros(2), np.array([0.2, 0.4]), FusionWeights(0.3, 0.7))

    assert lexical.tolist() == [0.0, 0.0]
    assert score.tolist() == pytest.approx([0.14, 0.28])


@pytest.mark.parametrize(
    ("query", "language"),
    [
        pytest.param("DPP-4 inhibitors pancreatitis", "en", id="English"),
        pytest.param("シタグリプチンの安全性", "ja", id="kana"),
        pytest.param("糖尿病 治療 指針", "ja", id="kanji alone"),
        pytest.param("DPP-4阻害薬 HbA1c", "ja", id="mixed"),
        pytest.param("", "en", id="empty"),
    ],
)
def test_query_language_is_read_from_its_script(query: str, language: str) -> None:
    """Japanese queries are often kanji alone; the weights must not depend on a particle."""
    found = query_language(query)

    assert found == language


@pytest.mark.parametrize(
    ("settings", "card", "language", "expected"),
    [
        pytest.param(Ranking(), {}, "en", FusionWeights(0.3, 0.7), id="settings' defaults"),
        pytest.param(Ranking(), CARD, "en", FusionWeights(0.4, 0.6), id="card's default"),
        pytest.param(Ranking(), CARD, "ja", FusionWeights(1.0, 0.0), id="card's language"),
        pytest.param(
            Ranking(bm25_weight=0.5, embedding_weight=0.5), CARD, "ja", FusionWeights(0.5, 0.5), id="user's word"
        ),
        pytest.param(
            Ranking(bm25_weight=0.3), CARD, "ja", FusionWeights(0.3, 0.7), id="user's word, equal to the default"
        ),
    ],
)
def test_weights_come_from_the_user_then_the_card(
    settings: Ranking, card: dict[str, dict[str, float]], language: str, expected: FusionWeights
) -> None:
    """What the user set holds for every language; else the embedder knows where it is weak."""
    weights = weights_for(language, settings, card)

    assert weights == expected
