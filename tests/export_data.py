"""Records with hostile text in every place, and the files that every format makes of them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from lyra.model.edge import JudgedPart, JudgedText, NoVote, PartRole, Relation
from lyra.model.report import CitedSource, ReviewMark
from lyra.report.export.formats import export_files
from lyra.report.export.names import ExportFormat
from lyra.report.export.records import TaskRecords, records
from tests.report_data import NOON, TASK, claim, refuting, supporting

HOSTILE = (
    "=cmd|' /C calc'!A0 </data>]]> {un{balanced} \\backslash \"quoted\" 'single' % & # $ _ ~ ^ @article{x, \u202eturned"
    "\u202c \x00\x1b[2J\nER  - \n\nTY  - BOOK\n]] [[wiki|link]] `code` *b* <script>alert(1)</script> ---\n1. one "
    "%% hidden %% $x$ ==mark== مرحبا بالعالم 日本語の見出し「引用」 e\u0301 \U0001f600 \ud800 \uffff"
)
LONG = "A title without an end " * 220
WORDS = "Heart failure rose by 27%."
HASH = "0123456789abcdef" * 4
REVIEW = ReviewMark("person\n=1", datetime(2026, 3, 2, 9, 0, tzinfo=UTC), f"Because {HOSTILE}", Relation.REFUTES)


def hostile_records() -> TaskRecords:
    """A hypothesis with both sides, one of them retracted and one reviewed; a claim without any words; two pages that
    differ in case alone, a paper with a body as an author, and a source with a title of 5,000 characters."""
    judged = JudgedText(
        f"\u202eTitle. {WORDS}", (JudgedPart(PartRole.TITLE, 0, 7), JudgedPart(PartRole.DECIDING, 8, 34, 5, 31))
    )
    place = {"text_hash": HASH, "content_hash": HASH[::-1]}
    first = supporting(
        *(WORDS, "https://a.example/{x}?q=1&r=2"),
        **{"page_id": "p_1", "edge_id": "e_1", "char_start": 120, "char_end": 146, "judged_text": judged, **place},
    )
    second = supporting(
        *(HOSTILE, "https://a.example/{x}?q=1&r=2"),
        **{
            "page_id": "p_1",
            "edge_id": "e_2",
            "char_start": 7,
            "char_end": 7 + len(HOSTILE),
            "review": REVIEW,
            **place,
        },
    )
    third = refuting(
        *("-1 is less", "https://b.example/y"),
        **{
            "page_id": "p_2",
            "edge_id": "e_3",
            "char_end": 10,
            "no_vote": NoVote.RETRACTED.value,
            "title": HOSTILE,
            **place,
        },
    )
    fourth = refuting("それは誤りです。", "https://c.example/z", page_id="p_3", edge_id="e_4", char_end=8, **place)
    return records(
        replace(TASK, query=HOSTILE),
        (
            claim(HOSTILE, 0.8, (first, second), (third,), is_hypothesis=True, claim_id="c_1"),
            claim("con", 0.5, (), (replace(fourth, claim_id="c_2"),), claim_id="c_2"),
            claim("", 0.5, claim_id="c_3"),
        ),
        (
            CitedSource(
                *("p_1", "https://a.example/{x}?q=1&r=2", "Heart {failure} and 50% & more", "a.example", NOON),
                ("Jane van der Berg", "Food and Drug Board", "山田 太郎", "O'Neil, Mary"),
                *("2016-04-05", 2016, "Trials & {Errors\nER  - \n", "10.5555/x_{y}<1>(2)", "123", False, HASH[::-1]),
            ),
            CitedSource("p_2", "https://b.example/y", HOSTILE, "b.example", NOON, (HOSTILE,), is_retracted=True),
            CitedSource("p_3", "https://c.example/z", LONG, "c.example", NOON, ("World Health Body",), "2020"),
        ),
        (("p_1", "p_2"), ("p_3", "p_1")),
    )


def many_records(count: int) -> TaskRecords:
    """So many claims, each with a quote of a page of its own."""
    return records(
        TASK,
        tuple(
            claim(
                f"Claim {number}",
                supports=(supporting(f"Quote {number}", page_id=f"p_{number}", edge_id=f"e_{number}", char_end=9),),
                claim_id=f"c_{number}",
            )
            for number in range(count)
        ),
        tuple(
            CitedSource(f"p_{number}", f"https://a.example/{number}", f"Page {number}", "a.example", NOON)
            for number in range(count)
        ),
    )


@dataclass(frozen=True)
class Exports:
    """The records and every export of them in a folder, each by the name of its format."""

    records: TaskRecords
    folder: Path

    def path(self, wanted: ExportFormat) -> Path:
        """The file, or the folder, of a format."""
        return self.folder / wanted.value

    def text(self, wanted: ExportFormat) -> str:
        """To the character, line ends too."""
        return self.path(wanted).read_bytes().decode()


def written(found: TaskRecords, folder: Path, formats: Iterable[ExportFormat] = ExportFormat) -> Exports:
    for wanted in formats:
        files = export_files(found, wanted, "# Report\n")
        for name, content in files.items():
            path = folder / wanted.value / name if wanted.is_folder else folder / wanted.value
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return Exports(found, folder)
