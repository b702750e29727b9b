"""Lines on pages become paragraphs, headings and lists."""

import pytest

from lyra.extract.blocks import Block
from lyra.extract.pdf_layout import PdfCell, PdfLine, join_lines, layout, without_running_heads
from lyra.model.page import FragmentType


def _line(
    text: str, y: float, *, page: int = 1, left: float = 72, size: float = 10, hyphenated: bool = False
) -> PdfLine:
    return PdfLine(text, page, left, left + 5 * len(text), y, y + size, size, hyphenated)


def test_lines_of_one_paragraph_are_joined_and_a_gap_parts_the_next() -> None:
    """A paragraph is the unit that is cited; the line is only how it was printed."""
    page = [
        _line("Sitagliptin lowered HbA1c by 0.7 points com-", 700),
        _line("pared with placebo in all three trials.", 688),
        _line("No rise in heart failure was seen in any of", 660),
        _line("the groups.", 648),
    ]

    assert layout([page]) == [
        Block("Sitagliptin lowered HbA1c by 0.7 points compared with placebo in all three trials.", page_number=1),
        Block("No rise in heart failure was seen in any of the groups.", page_number=1),
    ]


def test_larger_type_is_a_heading_and_its_size_is_its_level() -> None:
    """PDFs have no heading elements; the type size is all there is."""
    page = [
        _line("Heart safety of sitagliptin", 740, size=18),
        _line("Safety", 710, size=13),
        _line("The rate of admission was the same in both groups over the whole trial.", 690),
    ]

    assert layout([page])[:2] == [
        Block("Heart safety of sitagliptin", FragmentType.HEADING, 1, 1),
        Block("Safety", FragmentType.HEADING, 2, 1),
    ]


def test_numbered_and_named_headings_in_body_type_are_recognised() -> None:
    """Many papers set section titles in the size of the text."""
    page = [
        _line("Abstract", 740),
        _line("We studied the rate of admission for heart failure in a large trial.", 728),
        _line("2.1 Study population", 700),
        _line("Adults with type 2 diabetes and established disease were enrolled here.", 688),
    ]

    assert [(block.text, block.level) for block in layout([page]) if block.type is FragmentType.HEADING] == [
        ("Abstract", 2),
        ("2.1 Study population", 3),
    ]


def test_bullets_are_list_items_without_their_mark() -> None:
    """An item is a statement of its own."""
    page = [_line("• No weight gain", 700), _line("• Once a day", 688), _line("(1) 低血糖は稀", 676)]

    assert layout([page]) == [
        Block("No weight gain", FragmentType.LIST, 0, 1),
        Block("Once a day", FragmentType.LIST, 0, 1),
        Block("(1) 低血糖は稀", FragmentType.LIST, 0, 1),
    ]


def test_a_sentence_goes_on_over_the_page_break() -> None:
    """A claim must not be cut where the paper was."""
    pages = [
        [
            _line("The rate of admission for heart failure was the same in", 100),
            _line("both groups, although the trial had not been", 88),
        ],
        [_line("planned to show it.", 740, page=2)],
    ]

    assert [block.text for block in layout(pages)] == [
        "The rate of admission for heart failure was the same in both groups, although the trial had not been "
        "planned to show it."
    ]


def test_a_word_cut_at_the_end_of_a_column_is_made_whole() -> None:
    """The hyphen alone says that the line goes on, wherever the next one stands."""
    page = [_line("Rare cases of pancrea", 80, hyphenated=True), _line("titis were seen.", 740, left=320)]

    assert [block.text for block in layout([page])] == ["Rare cases of pancreatitis were seen."]


def test_running_heads_and_page_numbers_are_dropped() -> None:
    """Lines that recur at the same place of the pages belong to the paper, not to the text."""
    texts = ["Aims of the trial.", "Methods in brief.", "Results by age.", "Harms were rare.", "What is left open."]
    pages = [
        [
            _line(f"Tanaka et al. / Diabetes 12 (2024) {n}", 770, page=n),
            _line(text, 400, page=n),
            _line(f"– {n} –", 30, page=n),
        ]
        for n, text in enumerate(texts, start=1)
    ]

    kept = without_running_heads(pages)

    assert [[line.text for line in page] for page in kept] == [[text] for text in texts]


def test_japanese_lines_are_joined_without_a_space() -> None:
    """A space inside a Japanese word breaks search."""
    assert (
        join_lines([_line("低血糖の頻度は両群で", 700), _line("同程度であった。", 688)])
        == "低血糖の頻度は両群で同程度であった。"
    )


def test_a_hyphen_before_a_capital_stays() -> None:
    """`DPP-` at the end of a line is half of a name, not of a word."""
    assert join_lines([_line("inhibitors of DPP", 700, hyphenated=True), _line("IV and others", 688)]) == (
        "inhibitors of DPP-IV and others"
    )


def test_no_lines_give_no_blocks() -> None:
    """A scanned document has pages without any text."""
    assert layout([[], []]) == []


def _row(y: float, *cells: tuple[float, str]) -> PdfLine:
    parts = tuple(PdfCell(text, left, left + 6 * len(text)) for left, text in cells)
    return PdfLine(" ".join(c.text for c in parts), 1, parts[0].left, parts[-1].right, y, y + 8, 10.0, cells=parts)


def test_rows_of_a_table_are_rows_and_not_a_sentence() -> None:
    """Figures that belong to one drug must not run on into the next."""
    lines = [
        _row(700, (72, "Drug"), (200, "Patients"), (330, "Admissions")),
        _row(684, (72, "Sitagliptin"), (200, "7,332"), (330, "228")),
        _row(668, (72, "Placebo"), (200, "7,339"), (330, "229")),
    ]

    blocks = layout([lines])

    assert [(block.text, block.type) for block in blocks] == [
        ("Drug | Patients | Admissions", FragmentType.TABLE),
        ("Sitagliptin | 7,332 | 228", FragmentType.TABLE),
        ("Placebo | 7,339 | 229", FragmentType.TABLE),
    ]


def test_one_line_with_a_gap_is_no_table() -> None:
    """A heading with its number at the margin, or a name and a date."""
    blocks = layout([[_row(700, (72, "Keiko Tanaka"), (330, "5 March 2024"))]])

    assert [(block.text, block.type) for block in blocks] == [("Keiko Tanaka 5 March 2024", FragmentType.PARAGRAPH)]


def test_long_cells_are_columns_of_prose() -> None:
    """Two columns whose lines were written across are text, however their gap looks."""
    words = "The trial enrolled adults with type 2 diabetes and"
    lines = [_row(700, (72, words), (420, words)), _row(688, (72, words), (420, words))]

    blocks = layout([lines])

    assert {block.type for block in blocks} == {FragmentType.PARAGRAPH}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (
            _line("See https://a.example/cleared-of", 700, hyphenated=True),
            "heart-failure.",
            "cleared-of-heart-failure.",
        ),
        (_line("See https://a.example/cleared-of-", 700), "heart-failure.", "cleared-of-heart-failure."),
        (_line("See https://a.example/", 700), "articles/cardian.", "https://a.example/articles/cardian."),
        (_line("See https://a.example/", 700), "and others.", "https://a.example/ and others."),
        (_line("See doi:10.5555/jm-", 700), "etd.2014.", "doi:10.5555/jm-etd.2014."),
        (_line("It was com-", 700), "pared.", "It was compared."),
    ],
    ids=["cut", "written", "slash", "a word behind an address", "doi", "no address"],
)
def test_an_address_that_a_line_breaks_off_stays_whole(first: PdfLine, second: str, expected: str) -> None:
    """A hyphen within it belongs to it."""
    assert join_lines([first, _line(second, 688)]).endswith(expected)


def test_what_a_browser_prints_around_a_page_is_left_out() -> None:
    """Date and title above, the address and the number of the page below; a date alone is the page's own."""
    printed = [_line("It fell.", 700), _line("11/19/26, 10:04 PM x", 770), _line("file:///tmp/a.html 1/1", 17)]
    own = [_line("2026/11/19 22:04", 770), _line("It rose again.", 600)]

    found = [[line.text for line in page] for page in without_running_heads([printed, own])]

    assert found == [["It fell."], ["2026/11/19 22:04", "It rose again."]]
