"""Lines read from a picture, in the order in which a person reads them."""

from lyra.extract.pdf import in_reading_order
from lyra.extract.pdf_layout import PdfLine


def _line(text: str, left: float, right: float, top: float) -> PdfLine:
    return PdfLine(text, 1, left, right, top - 10, top, 10.0)


def test_two_columns_are_read_one_after_the_other() -> None:
    """The reader of pictures gives lines from top to bottom across both columns."""
    lines = [
        _line("left 1", 50, 280, 700),
        _line("right 1", 320, 550, 700),
        _line("left 2", 52, 275, 680),
        _line("right 2", 321, 548, 680),
    ]

    ordered = in_reading_order(lines)

    assert [line.text for line in ordered] == ["left 1", "left 2", "right 1", "right 2"]


def test_a_short_last_line_stays_in_its_column() -> None:
    """It begins where the column does, though it ends early."""
    lines = [_line("a whole line", 50, 550, 700), _line("end.", 50, 90, 680), _line("next", 70, 540, 660)]

    ordered = in_reading_order(lines)

    assert [line.text for line in ordered] == ["a whole line", "end.", "next"]


def test_an_empty_sheet_has_no_lines() -> None:
    """A blank page is no error."""
    assert in_reading_order([]) == []
