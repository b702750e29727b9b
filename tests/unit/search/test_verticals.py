"""Templates of the verticals."""

import pytest

from lyra.model.search import Vertical
from lyra.search.normalise import Operator, parse
from lyra.search.verticals import sites, templates


@pytest.mark.parametrize("vertical", list(Vertical), ids=str)
def test_every_vertical_has_queries_in_both_languages(vertical: Vertical) -> None:
    """Each template holds the client's words once, and every `site:` in it is one that engines understand."""
    found = templates(vertical)
    written = [template for language in ("ja", "en") for template in found[language]]
    unread = [one for one in written if "site:" in one and parse(one)[0].operator is not Operator.SITE]

    assert sorted(found) == ["en", "ja"]
    assert {template.count("{query}") for template in written} == {1}
    assert unread == []


def test_sites_of_a_vertical_are_hosts() -> None:
    """They are compared with the user's allow-list host by host."""
    assert sites(Vertical.POLICY) == ("www.e-gov.go.jp", "www.gov.uk", "www.mhlw.go.jp")
