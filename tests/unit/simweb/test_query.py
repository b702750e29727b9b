"""Operators in queries."""

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
