"""Deep links open a page at the quoted words."""

import pytest

from lyra.report.export import deep_link


@pytest.mark.parametrize(
    ("words", "link"),
    [
        ("Low-risk drug", "https://a.example/p#:~:text=Low%2Drisk%20drug"),
        ("", "https://a.example/p"),
        (
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen",
            "https://a.example/p#:~:text=one%20two%20three%20four%20five%20six,"
            "ten%20eleven%20twelve%20thirteen%20fourteen%20fifteen",
        ),
    ],
    ids=["short", "empty", "long English"],
)
def test_deep_link(words: str, link: str) -> None:
    """Short quotes are given whole, long ones by their first and last words."""
    assert deep_link("https://a.example/p", words) == link


def test_an_anchor_gives_way_to_the_passage() -> None:
    """Only one fragment fits into an address."""
    assert deep_link("https://a.example/p#top", "Low risk") == "https://a.example/p#:~:text=Low%20risk"


def test_a_long_japanese_quote_is_given_by_its_ends() -> None:
    """Japanese has no spaces: the first and last twenty characters mark the passage."""
    quote = "あ" * 40 + "い" * 40

    link = deep_link("https://a.example/", quote)

    assert link == "https://a.example/#:~:text=" + "%E3%81%82" * 20 + "," + "%E3%81%84" * 20
