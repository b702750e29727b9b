"""The Markdown in which pages are written."""

import pytest

from simweb.markdown import Heading, Listing, Paragraph, Quote, Table, parse, to_html, to_text


@pytest.mark.parametrize(
    ("source", "block"),
    [
        pytest.param("## Results", Heading(2, "Results"), id="heading"),
        pytest.param("One line\nand another.", Paragraph("One line and another."), id="paragraph"),
        pytest.param("血糖値が\n下がる。", Paragraph("血糖値が下がる。"), id="japanese lines join without space"),
        pytest.param("> said she", Quote("said she"), id="quote"),
        pytest.param("- a\n- b\n  c", Listing(("a", "b c"), is_ordered=False), id="list"),
        pytest.param("1. a\n2. b", Listing(("a", "b"), is_ordered=True), id="ordered list"),
        pytest.param("| A | B |\n|---|---|\n| 1 | 2 |", Table((("A", "B"), ("1", "2"))), id="table"),
    ],
)
def test_each_kind_of_block_is_recognised(source: str, block: object) -> None:
    """Headings, paragraphs, quotes, lists and tables are told apart by their first characters."""
    assert parse(source) == (block,)


def test_text_is_escaped_in_html() -> None:
    """Angle brackets and ampersands of a page are text, never markup."""
    html = to_html(parse("HbA1c < 7 & **falling**, see [the label](/label)."))

    assert html == '<p>HbA1c &lt; 7 &amp; <strong>falling</strong>, see <a href="/label">the label</a>.</p>'


def test_plain_text_has_the_words_alone() -> None:
    """The main text of a page is its words without marks, one block or row a line."""
    text = to_text(parse("## Dose\n\n*Only* [one](/x) tablet.\n\n| Drug | Dose |\n|---|---|\n| A | 5 mg |"))

    assert text == "Dose\nOnly one tablet.\nDrug Dose\nA 5 mg"
