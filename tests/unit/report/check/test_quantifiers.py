"""Parts of a whole in words, against those that a page counts or names."""

import pytest

from lyra.report.check.quantifiers import other_part, quantifiers


@pytest.mark.parametrize(
    ("sentence", "quote", "expected"),
    [
        ("Only a minority of the boats passed.", "22 of 24 boats passed.", True),
        ("Nearly all of the boats passed.", "22 of 24 boats passed.", False),
        ("Most of the boats passed.", "Nine in ten boats passed.", False),
        ("Most of the boats passed the 80 percent mark.", "5 of 24 boats passed the 80 percent mark.", True),
        ("None of the boats passed.", "All of the boats passed.", True),
        ("Most of the boats passed.", "The boats were tested in May.", False),
        ("All of the 12 boats passed, 40 percent at once.", "6 of 12 boats passed.", False),
        ("Noise worried nearly all of the crews.", "Nearly all of the crews named noise, a third the price.", False),
        ("世帯の大半が賛成した。", "賛成した世帯は3割だった。", True),
        ("世帯の大半が賛成した。", "賛成した世帯は7割だった。", False),
        ("ほとんどの世帯は賛成しなかった。", "賛成した世帯は9割だった。", True),
    ],
    ids=[
        *("few, most counted", "nearly all", "a share in words", "a shared figure", "none and all", "nothing counted"),
        *("an own share", "the same part", "大半と3割", "大半と7割", "ほとんど…ない"),
    ],
)
def test_whether_a_quote_speaks_of_another_part(sentence: str, quote: str, expected: bool) -> None:
    """Where it counts or names a part that the sentence has no room for."""
    assert other_part(sentence, quote) is expected


@pytest.mark.parametrize(
    "text", ["At most ten boats.", "The most common boat.", "All-cause mortality fell.", "After all, boats sink."]
)
def test_words_that_name_no_part(text: str) -> None:
    """Superlatives, limits and set phrases."""
    assert quantifiers(text) == frozenset()
