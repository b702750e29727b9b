"""Trafilatura's body element becomes typed blocks in reading order."""

from lxml import etree

from lyra.extract.blocks import Block, blocks_of
from lyra.model.page import FragmentType

_HEADING, _LIST, _TABLE = FragmentType.HEADING, FragmentType.LIST, FragmentType.TABLE


def _blocks(inner: str) -> list[Block]:
    return blocks_of(etree.fromstring(f"<body>{inner}</body>"))


def test_each_kind_of_element_becomes_its_kind_of_block() -> None:
    """The type of a fragment decides how its sentences are judged."""
    blocks = _blocks(
        '<head rend="h2">Efficacy</head><p>HbA1c <hi>fell</hi> by 0.7.</p>'
        "<list><item>No weight gain</item><item>Once a day</item></list>"
        "<quote><p>It works.</p></quote><code>x = 1\n  y = 2</code>"
    )

    assert blocks == [
        Block("Efficacy", _HEADING, 2),
        Block("HbA1c fell by 0.7."),
        Block("No weight gain", _LIST),
        Block("Once a day", _LIST),
        Block("It works.", FragmentType.QUOTE),
        Block("x = 1\n  y = 2", FragmentType.CODE),
    ]


def test_table_rows_are_readable_lines() -> None:
    """A row is one statement: its cells in order, empty ones left out."""
    blocks = _blocks(
        '<table><row><cell role="head">薬剤</cell><cell role="head">HbA1c</cell></row>'
        "<row><cell>シタグリプチン</cell><cell/><cell><p>−0.7</p></cell></row></table>"
    )

    assert blocks == [Block("薬剤 | HbA1c", _TABLE), Block("シタグリプチン | −0.7", _TABLE)]


def test_prose_laid_out_in_a_table_is_prose() -> None:
    """Pages of the nineties put the whole article into one cell."""
    text = "The drug lowered blood glucose in every trial that has been published so far, without exception."

    assert _blocks(f"<table><row><cell>{text}</cell></row></table>") == [Block(text)]


def test_two_line_breaks_part_paragraphs_and_one_does_not() -> None:
    """Many pages write paragraphs with <br><br> only."""
    assert _blocks("<p>First line<lb/>second line<lb/> <lb/>Next paragraph</p>") == [
        Block("First line\nsecond line"),
        Block("Next paragraph"),
    ]


def test_text_between_elements_is_kept_in_order() -> None:
    """Fallback readings leave text directly in the body."""
    assert _blocks("Before <ref>a link</ref> after<p>Inside</p>tail") == [
        Block("Before a link after"),
        Block("Inside"),
        Block("tail"),
    ]


def test_nested_items_are_blocks_of_their_own() -> None:
    """An item with sub-items must not swallow them."""
    assert _blocks("<list><item>Outer<list><item>Inner</item></list></item></list>") == [
        Block("Outer", _LIST),
        Block("Inner", _LIST),
    ]


def test_code_within_a_sentence_stays_in_it() -> None:
    """A variable name in running text is not a code block."""
    assert _blocks("<p>Set <code>dose</code> first.</p>") == [Block("Set dose first.")]


def test_blocks_without_letters_or_digits_are_dropped() -> None:
    """Rules and ornaments are no text."""
    assert _blocks("<p>* * *</p><p>—</p><p>ok</p>") == [Block("ok")]
