"""Registrable domains."""

import pytest

from simweb.domains import registrable


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.fdso.gov", "fdso.gov"),
        ("www.med.seito-u.ac.jp", "seito-u.ac.jp"),
        ("tonyo-kirokucho.jp", "tonyo-kirokucho.jp"),
        ("pubmed.ncbi.nlm.nih.gov", "nih.gov"),
        ("HTML.DuckDuckGo.com", "duckduckgo.com"),
    ],
)
def test_registrable_domain_of_a_host(host: str, domain: str) -> None:
    """Two labels, or three under Japanese, British and Australian second levels."""
    assert registrable(host) == domain
