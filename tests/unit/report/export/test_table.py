"""The CSV export as Python's own csv module reads it."""

import csv
import io

from lyra.report.export.names import ExportFormat
from lyra.report.export.table import COLUMNS
from tests.export_data import HASH, Exports


def rows(exports: Exports) -> list[dict[str, str]]:
    content = exports.path(ExportFormat.CSV).read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(content, newline=""), strict=True))


def without_apostrophe(cell: str) -> str:
    return cell[1:] if cell.startswith("'") else cell


def test_every_quote_is_a_row(hostile: Exports) -> None:
    """And a claim without any has a row too; texts are the same when the apostrophe is taken away."""
    found = rows(hostile)

    assert [(one["claim_id"], one["edge_id"], one["stance"]) for one in found] == [
        ("c_1", "e_1", "supports"),
        ("c_1", "e_2", "supports"),
        ("c_1", "e_3", "refutes"),
        ("c_2", "e_4", "refutes"),
        ("c_3", "", ""),
    ]
    said = [quoted.quote for _, quoted in hostile.records.quotes()]
    assert [without_apostrophe(one["quote"]) for one in found[:4]] == said


def test_a_row_has_place_hashes_vote_and_review(hostile: Exports) -> None:
    """In columns of their own."""
    _, second, third, *_ = rows(hostile)

    names = ("char_start", "char_end", "text_hash", "content_hash", "votes", "no_vote", "is_retracted")
    assert [third[name] for name in names] == ["0", "10", HASH, HASH[::-1], "false", "retracted", "true"]
    assert (second["votes"], second["reviewed_at"], second["judged_relation"]) == (
        "true",
        "2026-03-02T09:00:00.000Z",
        "refutes",
    )


def test_no_cell_is_a_formula(hostile: Exports) -> None:
    """Whatever the texts of pages begin with."""
    cells = [cell for row in rows(hostile) for cell in row.values()]

    assert [cell for cell in cells if cell.lstrip()[:1] in set("=+-@＝＋－＠")] == []
    assert rows(hostile)[2]["quote"] == "'-1 is less"


def test_an_empty_task_has_its_columns(sized: Exports) -> None:
    """And a large one a row for each quote."""
    header = sized.path(ExportFormat.CSV).read_text("utf-8-sig").splitlines()[0]

    assert header.split(",") == list(COLUMNS)
    assert len(rows(sized)) == len(sized.records.claims)


def test_excel_is_told_the_character_set(hostile: Exports) -> None:
    """By a byte order mark; lines end as RFC 4180 wants."""
    content = hostile.path(ExportFormat.CSV).read_bytes()

    assert (content[:3], content[-2:]) == (b"\xef\xbb\xbf", b"\r\n")
