"""Blocks and located passages."""

from lxml import etree

from lyra.extract.blocks import Block, assemble, blocks_of, clean_code, clean_text, single_line, without_title
from lyra.model.page import FragmentType, Heading, Passage

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


_HEADING = FragmentType.HEADING


def test_passages_are_slices_with_the_headings_above_them() -> None:
    """The whole evidence chain rests on `text[start:end] == passage.text` and on the right context."""
    blocks = [
        Block("Lead."),
        Block("Results", _HEADING, 2),
        Block("HbA1c fell."),
        Block("Safety", _HEADING, 3),
        Block("No hypoglycaemia.", FragmentType.LIST),
        Block("Discussion", _HEADING, 2),
        Block("Limits apply.", page_number=4),
    ]

    text, passages = assemble(blocks)

    results, safety, discussion = Heading(2, "Results"), Heading(3, "Safety"), Heading(2, "Discussion")
    assert text == ("Lead.\n\nResults\n\nHbA1c fell.\n\nSafety\n\nNo hypoglycaemia.\n\nDiscussion\n\nLimits apply.")
    assert passages == (
        Passage("Lead.", 0, 5),
        Passage("Results", 7, 14, _HEADING),
        Passage("HbA1c fell.", 16, 27, headings=(results,)),
        Passage("Safety", 29, 35, _HEADING, headings=(results,)),
        Passage("No hypoglycaemia.", 37, 54, FragmentType.LIST, (results, safety)),
        Passage("Discussion", 56, 66, _HEADING),
        Passage("Limits apply.", 68, 81, headings=(discussion,), page_number=4),
    )
    assert [text[p.start : p.end] for p in passages] == [p.text for p in passages]


def test_element_index_counts_under_each_heading() -> None:
    """The index tells which paragraph of its section a passage is."""
    blocks = [Block("A"), Block("B"), Block("H", _HEADING, 1), Block("C"), Block("D")]

    _, passages = assemble(blocks)

    assert [(p.text, p.element_index) for p in passages] == [("A", 0), ("B", 1), ("H", 0), ("C", 0), ("D", 1)]


def test_empty_blocks_leave_no_trace() -> None:
    """A block that tidying has emptied would otherwise become a passage of no characters."""
    assert assemble([Block(""), Block("A"), Block("")]) == ("A", (Passage("A", 0, 1),))


def test_tidy_folds_spaces_and_drops_invisible_characters() -> None:
    """Soft hyphens and zero-width spaces split words in search; line breaks inside a paragraph are kept once."""
    assert clean_text(" a\u00ad\u200bb \t c \n\n d\u3000e ") == "ab c\nd e"


def test_one_line_has_no_line_breaks() -> None:
    """Headings and table cells are single lines."""
    assert single_line(" 有効性\n\n と 安全性 ") == "有効性 と 安全性"


def test_code_keeps_its_indentation() -> None:
    """Folding spaces would change what Python code means."""
    assert clean_code("\ndef f():\n    return 1  \n\n\nf()\n") == "def f():\n    return 1\n\n\nf()"


def test_the_title_is_not_repeated_in_the_text() -> None:
    """Pages print their title above the text; with other punctuation it is still the title."""
    blocks = [Block("Home"), Block("DPP-4 inhibitors: a review", _HEADING, 1), Block("Text.")]

    assert without_title(blocks, "DPP-4 Inhibitors – A Review") == [Block("Home"), Block("Text.")]


def test_a_later_heading_like_the_title_stays() -> None:
    """Only the top of the page can be its title."""
    blocks = [Block("A"), Block("B"), Block("C"), Block("Review", _HEADING, 2)]

    assert without_title(blocks, "Review") == blocks
