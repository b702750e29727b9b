"""How well a name fits a source."""

import pytest

from lyra.model.check import Source, TextFragment
from lyra.report.check.names import Likeness, likeness, of_years

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
        ("the Fisheries Office of Eastmarch", OFFICE, Likeness.SAME),
        ("Fisheries Office", OFFICE, Likeness.PART),
        ("Statistics Branch", OFFICE, Likeness.SAME),
        ("FOE", OFFICE, Likeness.PART),
        ("Fisheriesoffice", OFFICE, Likeness.PART),
        ("Fisheries Office Statistics Branch", OFFICE, Likeness.COMPOSED),
        ("Native Oysters", OFFICE, Likeness.MENTIONED),
        ("Audit Office", OFFICE, Likeness.NONE),
        ("鈴代県", PREFECTURE, Likeness.SAME),
        ("鈴代県統計課", PREFECTURE, Likeness.COMPOSED),
        ("県教委", BOARD, Likeness.PART),
        ("教育委員会", BOARD, Likeness.PART),
        ("葦牧新聞", BOARD, Likeness.NONE),
    ],
)
def test_a_source_is_known_by_all_its_names(name: str, source: Source, expected: Likeness) -> None:
    """Site, authors, host, title and head; short forms and initials of them."""
    assert likeness(name, source) is expected


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
