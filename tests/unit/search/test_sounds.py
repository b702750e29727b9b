"""Katakana and Latin spellings of one name."""

import pytest

from lyra.search.sounds import sounds_alike


@pytest.mark.parametrize(
    ("katakana", "latin", "is_alike"),
    [
        ("レカネマブ", "lecanemab", True),
        ("スターバックス", "Starbucks", True),
        ("ファイザー", "Pfizer", True),
        ("レカネマブ", "aducanumab", False),
        ("トヨタ", "Honda", False),
        ("アイウエオ", "aeiou", False),
    ],
)
def test_consonants_tell_whether_a_name_is_the_same(katakana: str, latin: str, is_alike: bool) -> None:
    """Vowels are spelt in too many ways; a word without consonants is like none."""
    assert sounds_alike(katakana, latin) is is_alike
