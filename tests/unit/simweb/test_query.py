"""Operators in queries."""

from datetime import date

import pytest

from simweb.engines.query import Query, parse


@pytest.mark.parametrize(
    ("text", "query"),
    [
        pytest.param("heart failure", Query("heart failure"), id="words"),
        pytest.param('"Heart failure" risk', Query("Heart failure risk", phrases=("heart failure",)), id="phrase"),
        pytest.param("gliptin -insulin", Query("gliptin", excluded=("insulin",)), id="minus"),
        pytest.param("gliptin site:fdso.gov", Query("gliptin", sites=("fdso.gov",)), id="site"),
        pytest.param("gliptin -site:x.org", Query("gliptin", excluded_sites=("x.org",)), id="minus site"),
        pytest.param("+gliptin cost", Query("gliptin cost"), id="plus"),
        pytest.param("gliptin filetype:PDF", Query("gliptin", file_types=("pdf",)), id="filetype"),
        pytest.param('intitle:"Heart failure"', Query("", in_title=("heart failure",)), id="intitle"),
        pytest.param(
            "gliptin after:2021 before:2022-05-06",
            Query("gliptin", after=date(2021, 1, 1), before=date(2022, 5, 6)),
            id="after and before",
        ),
        pytest.param("gliptin after:spring", Query("gliptin"), id="no day is no limit"),
        pytest.param("add-on therapy", Query("add-on therapy"), id="a hyphen inside a word is no operator"),
    ],
)
def test_a_query_is_taken_apart(text: str, query: Query) -> None:
    """Quotes, minus and site: are read, the rest is left for ranking."""
    assert parse(text) == query


@pytest.mark.parametrize(
    ("query", "is_admitted"),
    [
        pytest.param("site:fdso.gov", True, id="site takes subdomains"),
        pytest.param("site:so.gov", False, id="site wants whole labels"),
        pytest.param('"heart failure"', True, id="phrase present"),
        pytest.param('"failure heart"', False, id="phrase absent"),
        pytest.param("-failure", False, id="excluded word present"),
        pytest.param("-site:fdso.gov", False, id="excluded site"),
    ],
)
def test_operators_admit_or_refuse_a_document(query: str, is_admitted: bool) -> None:
    """A document passes when every operator does."""
    assert parse(query).admits("www.fdso.gov", "risk of heart failure") is is_admitted


@pytest.mark.parametrize(
    ("query", "is_admitted"),
    [
        pytest.param(Query("x", file_types=("pdf",)), True, id="type"),
        pytest.param(Query("x", file_types=("html",)), False, id="another type"),
        pytest.param(Query("x", in_title=("annual",)), True, id="in the title"),
        pytest.param(Query("x", in_title=("monthly",)), False, id="not in the title"),
        pytest.param(Query("x", after=date(2022, 5, 6)), True, id="on the first day"),
        pytest.param(Query("x", after=date(2022, 5, 7)), False, id="too old"),
        pytest.param(Query("x", before=date(2022, 5, 6)), False, id="on the last day"),
        pytest.param(Query("x", before=date(2022, 5, 7)), True, id="old enough"),
    ],
)
def test_operators_look_at_title_type_and_day(query: Query, is_admitted: bool) -> None:
    """`after` includes its day, `before` does not."""
    assert query.admits_kind("annual report", "pdf", date(2022, 5, 6)) is is_admitted


def test_a_page_without_a_day_is_on_neither_side_of_one() -> None:
    """An undated page does not satisfy a limit of time."""
    assert Query("x", after=date(2000, 1, 1)).admits_kind("", "html", None) is False
