"""The language of a query by its characters."""

import pytest

from lyra.search.query import query_language


@pytest.mark.parametrize(
    ("query", "language"),
    [
        pytest.param("気候変動 政策", "ja", id="kanji-only"),
        pytest.param("国立国会図書館", "ja", id="one-kanji-word"),
        pytest.param("マイクロプラスチック", "ja", id="katakana"),
        pytest.param("人工智能 监管", "zh", id="simplified-chinese"),
        pytest.param("DPP-4 inhibitors", "en", id="latin"),
        pytest.param("🎉🎉🎉", "en", id="emoji"),
    ],
)
def test_characters_tell_the_language(query: str, language: str) -> None:
    """Two nouns in kanji are Japanese though they have no kana; characters Japanese lacks are Chinese."""
    assert query_language(query) == language
