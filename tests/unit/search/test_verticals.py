"""Templates of the verticals."""

import pytest

from lyra.model.search import Vertical
from lyra.search.expand import vertical_sites, vertical_templates
from lyra.search.query import Operator, parse_query


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("vertical", list(Vertical), ids=str)
def test_every_vertical_has_queries_in_both_languages(vertical: Vertical, language: str) -> None:
    """Each template holds the client's words once, and every `site:` in it is one that engines understand."""
    written = vertical_templates(vertical, language)
    unread = [one for one in written if "site:" in one and parse_query(one)[0].operator is not Operator.SITE]

    assert {template.count("{query}") for template in written} == {1}
    assert unread == []


@pytest.mark.parametrize(
    ("languages", "hosts"),
    [
        pytest.param(("ja", None), ("www.e-gov.go.jp", "www.mhlw.go.jp"), id="Japanese"),
        pytest.param(("en", None), ("www.gov.uk",), id="English"),
        pytest.param(
            ("en", "ja"), ("www.e-gov.go.jp", "www.mhlw.go.jp", "www.gov.uk"), id="English for a Japanese task"
        ),
        pytest.param(("en", "de"), ("www.gov.uk",), id="a language without sites"),
    ],
)
def test_sites_of_a_vertical_are_hosts_that_speak_the_language(
    languages: tuple[str, str | None], hosts: tuple[str, ...]
) -> None:
    """They are compared with the user's allow-list host by host; one that cannot understand the query is not asked."""
    assert vertical_sites(Vertical.POLICY, languages) == hosts


def test_a_site_that_speaks_both_languages_is_named_once() -> None:
    """J-STAGE and CiNii hold papers in either."""
    assert vertical_sites(Vertical.ACADEMIC, ("en", "ja")) == (
        "www.jstage.jst.go.jp",
        "cir.nii.ac.jp",
        "pubmed.ncbi.nlm.nih.gov",
    )
