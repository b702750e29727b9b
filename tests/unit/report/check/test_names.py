"""How well a name fits a source."""

import pytest

from lyra.model.check import Source, TextFragment
from lyra.report.check.names import NameMatch, are_authors, has_name, name_match, of_years, short_forms

OFFICE = Source(
    "p_1",
    "https://www.fisheriesoffice.gov/statistics/2024/oysters",
    "Native oysters landed on the east coast",
    "p_1",
    authors=("Statistics Branch",),
    year=2025,
    published="2025-01-10",
    updated="2026-02-01",
    site_name="Fisheries Office of Eastmarch",
)
PREFECTURE = Source(
    "p_2",
    "https://www.pref.suzushiro.lg.jp/tokei/ido.html",
    "令和5年度 子どものいる世帯の移動",
    "p_2",
    site_name="鈴代県",
    fragments=(TextFragment("f_1", "鈴代県総務部 統計課 公表資料"),),
)
BOARD = Source("p_3", "https://www.edu.example/", "学校の数", "p_3", site_name="鈴代県教育委員会")


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("the Fisheries Office of Eastmarch", OFFICE, NameMatch.SAME),
        ("Fisheries Office", OFFICE, NameMatch.PART),
        ("Statistics Branch", OFFICE, NameMatch.SAME),
        ("FOE", OFFICE, NameMatch.PART),
        ("Fisheriesoffice", OFFICE, NameMatch.PART),
        ("Fisheries Office Statistics Branch", OFFICE, NameMatch.COMPOSED),
        ("Native Oysters", OFFICE, NameMatch.MENTIONED),
        ("Audit Office", OFFICE, NameMatch.NONE),
        ("鈴代県", PREFECTURE, NameMatch.SAME),
        ("鈴代県統計課", PREFECTURE, NameMatch.COMPOSED),
        ("県教委", BOARD, NameMatch.PART),
        ("教育委員会", BOARD, NameMatch.PART),
        ("葦牧新聞", BOARD, NameMatch.NONE),
    ],
)
def test_a_source_is_known_by_all_its_names(name: str, source: Source, expected: NameMatch) -> None:
    """Site, authors, host, title and head; short forms and initials of them."""
    assert name_match(name, source) is expected


@pytest.mark.parametrize(
    ("year", "expected"),
    [
        pytest.param(2025, [["p_1"], ["p_1"]], id="published"),
        pytest.param(2026, [[], ["p_1"]], id="changed"),
        pytest.param(2024, [[], ["p_1"]], id="in the address"),
        pytest.param(2019, [[], []], id="another year"),
    ],
)
def test_the_year_of_publication_counts_before_other_years(year: int, expected: list[list[str]]) -> None:
    """A source that was changed in a year is meant only where none was published then."""
    assert [[one.page_id for one in sources] for sources in of_years((OFFICE,), (year,))] == expected


def test_a_source_without_a_year_may_be_of_any() -> None:
    """What the graph does not know cannot speak against a mark."""
    assert of_years((BOARD,), (2020,)) == [[BOARD], [BOARD]]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("The KESTREL  wire, 2024", "Kestrel Wire", True),
        ("Kestrel Wireless, 2024", "Kestrel Wire", False),
        ("Müller and Wu", "muller", True),
        ("港湾 新報（2024）", "港湾新報", True),
        ("港湾日報（2024）", "港湾新報", False),
        ("Anything", "", False),
    ],
    ids="case longer-word accents blanks other nothing".split(),
)
def test_a_text_has_a_name(text: str, name: str, expected: bool) -> None:
    """Latin names as whole words, Japanese ones sign by sign; case, accents and blanks make no other name."""
    assert has_name(text, name) is expected


@pytest.mark.parametrize(
    ("names", "authors", "expected"),
    [
        (("Hale", "Barak"), ("Victor Hale", "Barak, Simone"), True),
        (("Barak",), ("Victor Hale", "Simone Barak"), False),
        (("田中", "佐藤"), ("田中 一郎", "佐藤花子"), True),
        (("Hale",), (), False),
    ],
    ids="english second japanese none".split(),
)
def test_names_of_authors(names: tuple[str, ...], authors: tuple[str, ...], expected: bool) -> None:
    """The first name must be the first author's family; the others are among the authors."""
    assert are_authors(names, authors) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Harbour Safety Inspectorate", ("Safety Inspectorate", "Inspectorate")),
        ("Harbour City Council", ("City Council",)),
        ("港湾新報社", ("湾新報社", "新報社")),
        ("田中 一郎", ("田中", "中一郎")),
    ],
    ids="english common-end japanese person".split(),
)
def test_short_forms_of_a_name(name: str, expected: tuple[str, ...]) -> None:
    """Last words, unless many names end so; a family name first."""
    assert short_forms(name) == expected
