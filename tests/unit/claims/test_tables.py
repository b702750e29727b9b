"""Rows, cells and names of columns."""

import pytest

from lyra.claims.tables import Cell, cells_of, rows_of


def test_cells_keep_their_places() -> None:
    """`text[start:]` begins with the cell."""
    assert cells_of("x\n\nTademi | Smelt |  62 ", (3, 25)) == [Cell("Tademi", 3), Cell("Smelt", 12), Cell("62", 21)]


@pytest.mark.parametrize(
    ("table", "rows", "names"),
    [
        pytest.param(
            "湖 | 令和2年 | R6\n\n蓼見湖 | 62 | 58", ["蓼見湖 | 62 | 58"], ["湖", "令和2年", "R6"], id="years name"
        ),
        pytest.param("Price | 300 yen\n\nMass | 20 g", ["Price | 300 yen", "Mass | 20 g"], [], id="amounts do not"),
        pytest.param("Name | Budget", ["Name | Budget"], [], id="one row"),
        pytest.param("A title alone\n\nMass | 20 g", ["A title alone", "Mass | 20 g"], [], id="one cell"),
        pytest.param("", [], [], id="nothing"),
    ],
)
def test_the_first_row_names_the_columns_where_it_holds_no_amount(
    table: str, rows: list[str], names: list[str]
) -> None:
    """A table of two columns without names is common; its first row tells as much as the others."""
    found, header = rows_of(table)

    assert ([table[start:end] for start, end in found], [cell.text for cell in header]) == (rows, names)


def test_names_from_elsewhere_leave_all_rows() -> None:
    """The rows go on in a second fragment, which has no names of its own."""
    assert rows_of("Tademi | 62", "Lake | 2020") == ([(0, 11)], [Cell("Lake", 0), Cell("2020", 7)])
