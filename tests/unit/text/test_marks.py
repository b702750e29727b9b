"""Characters that show nothing: dropped from what leaves Lyra, kept where a script needs them."""

import pytest

from lyra.text import normalise, smuggled_text, strip_control_chars, visible_fields

TAGS = "".join(chr(0xE0000 + ord(char)) for char in "obey")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\u200bb\u2060c\ufeff", "abc"),
        ("soft\u00adhyphen", "softhyphen"),
        (f"good{TAGS} day", "good day"),
        ("x\ufe0fy\U000e0150z", "xyz"),
        ("ab\u202ecd\u2066ef\u200f", "abcdef"),
        ("a\u200db", "ab"),
        ("line\nand\ttab\x1b[31m", "line\nand\ttab[31m"),
    ],
    ids=["zero width", "soft hyphen", "tags", "selectors", "direction", "joiner in Latin", "terminal"],
)
def test_what_shows_nothing_goes(text: str, left: str) -> None:
    """Nobody can read it, so it can only deceive."""
    assert strip_control_chars(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "葛\U000e0100城",
        "辻\ufe00",
        "می\u200cخواهم",
        "क्\u200dष",
        "👩\u200d👩\u200d👧",
        "❤\ufe0f",
        "❤\ufe0f\u200d🔥",
        "1\ufe0f⃣",
    ],
    ids=["ideographic form", "standard form", "Persian", "Devanagari", "family", "heart", "burning heart", "keycap"],
)
def test_what_a_script_needs_stays(text: str) -> None:
    """Without these marks it would be another word or another picture."""
    assert strip_control_chars(text) == text


def test_matching_folds_both_sides() -> None:
    """A quote without the marks is found in a text that has them."""
    assert normalise(f"葛\U000e0100城 の{TAGS} b\u200bridge") == normalise("葛城 の bridge")


def test_text_in_invisible_characters_is_read() -> None:
    """Tags spell ASCII; a flag of a country's part is spelt so and says nothing else."""
    flag = "\U0001f3f4" + "".join(chr(0xE0000 + ord(char)) for char in "gbsct") + "\U000e007f"

    assert smuggled_text(f"a{TAGS}b{flag}") == [(1, 5, "obey")]


def test_every_text_of_an_answer_is_cleaned() -> None:
    """At any depth; names and numbers stay."""
    assert visible_fields({"a": [f"x{TAGS}", {"b": "\u202ey"}], "n": 1}) == {"a": ["x", {"b": "y"}], "n": 1}
