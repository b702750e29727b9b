"""Captions of figures and tables."""

import pytest

from lyra.extract.html import read_html
from lyra.model.page import FragmentType

_PROSE = (
    "<p>The trial enrolled 14,671 adults with type 2 diabetes and followed them for a median of three years.</p>" * 3
)


@pytest.mark.parametrize(
    ("markup", "caption"),
    [
        (
            "<figure><img src='1.png'>"
            "<figcaption>Figure 2. Admissions for <b>heart failure</b> by group.</figcaption></figure>",
            "Figure 2. Admissions for heart failure by group.",
        ),
        (
            "<figure><figcaption>図1 無償化前後の転入者数の推移（二〇二三年度）</figcaption></figure>",
            "図1 無償化前後の転入者数の推移（二〇二三年度）",
        ),
        (
            "<table><caption>Table 3: Hazard ratios of the trials</caption>"
            "<tr><td>Sitagliptin</td><td>1.00</td></tr></table>",
            "Table 3: Hazard ratios of the trials",
        ),
    ],
    ids=["figure", "Japanese", "table"],
)
def test_a_numbered_caption_is_kept_in_its_place_as_such(markup: str, caption: str) -> None:
    """The text refers to it by its number, and its words are often the finding."""
    document = read_html(f"<html><body><article><h1>Results</h1>{_PROSE}{markup}{_PROSE}</article></body></html>")

    found = [passage.text for passage in document.passages if passage.type is FragmentType.FIGURE]

    assert found == [caption]
    assert document.text.count(caption) == 1


def test_the_words_under_a_photograph_are_left_out() -> None:
    """Who took it, and who is on it, is not what the article says."""
    photo = "<figure><figcaption>The minister on Tuesday in Tokyo. Photo: Keiko Tanaka</figcaption></figure>"

    document = read_html(f"<html><body><article><h1>News</h1>{_PROSE}{photo}{_PROSE}</article></body></html>")

    assert "Photo" not in document.text
