"""Sources as other programs read them: BibTeX by bibtexparser, RIS by rispy, CSL-JSON by citeproc."""

import json
from typing import Any

import bibtexparser
import pytest
import rispy
from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
from citeproc.source.json import CiteProcJSON
from pylatexenc.latex2text import LatexNodes2Text

from lyra.report.export.bibliography import Author, author, note_of
from lyra.report.export.names import ExportFormat
from tests.export_data import HASH, LONG, WORDS, Exports

KEYS = ["vanderberg2016", "cmdccalca0dataunbalancedbackslashquoteds", "body"]


def one_line(text: str) -> str:
    return " ".join(text.split())


def titles(exports: Exports) -> list[str]:
    return [one_line(one.title) for one in exports.records.sources]


def notes(exports: Exports) -> list[list[str]]:
    """Of each source, one line a quote."""
    pages = [one.page_id for one in exports.records.sources]
    return [[note_of(*one) for one in exports.records.quotes_by_page[page]] for page in pages]


def plain(tex: str) -> str:
    """The characters that signs of TeX stand for; pylatexenc knows no names of braces, and another circumflex."""
    named = tex.replace(r"\textbraceleft{}", r"\{").replace(r"\textbraceright{}", r"\}")
    return LatexNodes2Text(keep_braced_groups=False).latex_to_text(named).replace("ˆ", "^")


def read_bibtex(exports: Exports) -> list[dict[str, str]]:
    """Every entry, with its fields as they stand there."""
    library = bibtexparser.parse_string(exports.text(ExportFormat.BIBTEX))
    assert library.failed_blocks == []
    return [
        {"key": one.key, "type": one.entry_type, **{field.key: field.value for field in one.fields}}
        for one in library.entries
    ]


def test_bibtex_gives_every_source_back(hostile: Exports) -> None:
    """Braces that are alone, backslashes and signs of TeX end no entry."""
    found = read_bibtex(hostile)

    assert [(one["key"], one["type"]) for one in found] == list(zip(KEYS, ["article", "online", "online"], strict=True))
    assert [plain(one["title"]) for one in found] == titles(hostile)
    assert [one["urldate"] for one in found] == ["2026-03-01"] * 3
    assert [one.get("note") for one in found] == [None, "Retracted", None]


def test_bibtex_has_as_many_braces_open_as_closed(hostile: Exports) -> None:
    """In every field: BibTeX counts those behind a backslash too, where bibtexparser does not."""
    lines = hostile.text(ExportFormat.BIBTEX).splitlines()

    assert [line for line in lines if line.startswith("  ") and line.count("{") != line.count("}")] == []


def test_bibtex_has_names_that_are_not_parted(hostile: Exports) -> None:
    """A body with an "and" in its name is one author."""
    text = hostile.text(ExportFormat.BIBTEX)

    assert "author = {van der Berg, Jane and {Food and Drug Board} and 太郎, 山田 and O'Neil, Mary}" not in text
    assert "author = {van der Berg, Jane and {Food and Drug Board} and 山田, 太郎 and O'Neil, Mary}" in text


def test_bibtex_addresses_stay_addresses(hostile: Exports) -> None:
    """What would end the field is percent-encoded."""
    first = read_bibtex(hostile)[0]

    assert (first["url"], first["doi"]) == ("https://a.example/%7Bx%7D?q=1&r=2", "10.5555/x_%7By%7D<1>(2)")


def test_bibtex_annotates_a_source_with_its_quotes(hostile: Exports) -> None:
    """Stance, claim, words, place, hash, vote and review."""
    annotations = [one["annote"].split(r" \par ") for one in read_bibtex(hostile)]

    assert [[plain(note) for note in one] for one in annotations] == notes(hostile)
    assert annotations[2][0].endswith(
        f": “それは誤りです。” (characters 0-8, text sha256:{HASH}; counted; not reviewed)"
    )


def test_ris_gives_every_source_back(hostile: Exports) -> None:
    """A line that looks like the end of a reference is none."""
    found = rispy.loads(hostile.text(ExportFormat.RIS))

    assert [(one["id"], one["type_of_reference"]) for one in found] == list(
        zip(KEYS, ["JOUR", "ELEC", "ELEC"], strict=True)
    )
    assert [one["title"] for one in found] == titles(hostile)
    assert found[0]["authors"] == ["van der Berg, Jane", "Food and Drug Board", "山田, 太郎", "O'Neil, Mary"]
    assert (found[0]["date"], found[2]["date"]) == ("2016/04/05/", "2020///")
    assert [found[0][name] for name in ("doi", "accession_number", "year")] == ["10.5555/x_{y}<1>(2)", "123", "2016"]


def test_ris_notes_are_the_quotes(hostile: Exports) -> None:
    """One note a quote; a retracted source has one more."""
    first, second, third = (one["notes"] for one in rispy.loads(hostile.text(ExportFormat.RIS)))

    assert [first, second[1:], third] == notes(hostile)
    assert second[0] == "Retracted"


def read_csl(exports: Exports) -> list[dict[str, Any]]:
    return list(json.loads(exports.text(ExportFormat.CSL_JSON)))


def test_csl_json_gives_every_source_back(hostile: Exports) -> None:
    """With names in their parts, dates in theirs, and the state of a retracted work."""
    found = read_csl(hostile)

    assert [(one["id"], one["type"], one["title"]) for one in found] == list(
        zip(KEYS, ["article-journal", "webpage", "webpage"], titles(hostile), strict=True)
    )
    assert found[0]["author"] == [
        {"family": "van der Berg", "given": "Jane"},
        {"literal": "Food and Drug Board"},
        {"family": "山田", "given": "太郎"},
        {"family": "O'Neil", "given": "Mary"},
    ]
    assert [one.get("issued") for one in found] == [{"date-parts": [[2016, 4, 5]]}, None, {"date-parts": [[2020]]}]
    assert [one.get("status") for one in found] == [None, "retracted", None]


def test_csl_json_carries_the_quotes(hostile: Exports) -> None:
    """As in the JSON export, with their claim."""
    quotes = read_csl(hostile)[0]["custom"]["quotes"]

    assert [(one["claim_id"], one["edge_id"], one["stance"], one["char_start"]) for one in quotes] == [
        ("c_1", "e_1", "supports", 120),
        ("c_1", "e_2", "supports", 7),
    ]
    assert (quotes[0]["quote"], quotes[0]["text_hash"]) == (WORDS, HASH)


def test_a_citation_processor_takes_csl_json(hostile: Exports) -> None:
    """citeproc makes an entry of each source, the long one too."""
    items = [{name: value for name, value in one.items() if name != "custom"} for one in read_csl(hostile)]
    style = CitationStylesStyle("harvard-cite-them-right", validate=False)
    processed = CitationStylesBibliography(style, CiteProcJSON(items), formatter.plain)
    processed.register(Citation([CitationItem(key) for key in KEYS]))

    shown = [str(one) for one in processed.bibliography()]

    assert len(shown) == 3
    assert [one for one in shown if "Berg" in one and "2016" in one] == [shown[0]]
    assert [one for one in shown if LONG.strip() in one] != []


def test_no_source_and_3000_sources(sized: Exports) -> None:
    """Each with a key of its own."""
    count = len(sized.records.sources)

    bibtex = [one["key"] for one in read_bibtex(sized)]
    ris = [one["id"] for one in rispy.loads(sized.text(ExportFormat.RIS))]

    assert (len(set(bibtex)), ris) == (count, bibtex)
    assert [one["id"] for one in read_csl(sized)] == bibtex


@pytest.mark.parametrize(
    ("name", "is_paper", "parts"),
    [
        pytest.param("Jane Smith", True, Author("Smith", "Jane"), id="given first"),
        pytest.param("Jane Smith", False, Author("Jane Smith"), id="of a page it may be a body"),
        pytest.param("Smith, Jane", False, Author("Smith", "Jane"), id="parted by a comma"),
        pytest.param("Ludwig van der Rohe", True, Author("van der Rohe", "Ludwig"), id="with particles"),
        pytest.param("ADVANCE Study Group", True, Author("ADVANCE Study Group"), id="a body"),
        pytest.param("山田 太郎", True, Author("山田", "太郎"), id="Japanese"),
        pytest.param("Plato", True, Author("Plato"), id="one word"),
        pytest.param("A, B, C", True, Author("A, B, C"), id="a list"),
    ],
)
def test_names(name: str, is_paper: bool, parts: Author) -> None:
    """A name is taken apart where it is sure to be a person's."""
    assert author(name, is_paper=is_paper) == parts
