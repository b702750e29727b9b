"""Scholarly identifiers in whatever was met."""

from lyra.model.page import Identifier, identifiers_in


def test_identifiers_are_found_in_running_text() -> None:
    """Every scholarly identifier met anywhere leads to the paper (SPEC §3)."""
    found = identifiers_in("See doi:10.1056/NEJMoa1501352, PMID: 26052984 and arXiv:2401.01234v2.")

    assert found == (
        Identifier("doi", "10.1056/nejmoa1501352"),
        Identifier("pmid", "26052984"),
        Identifier("arxiv", "2401.01234"),
    )


def test_identifiers_of_several_texts_are_told_once() -> None:
    """A result's address, title and snippet often name the same paper."""
    found = identifiers_in(
        "https://doi.org/10.1056/NEJMoa1307684",
        "SAVOR-TIMI 53 (PMID: 23992601)",
        "doi:10.1056/nejmoa1307684, see also arXiv:2101.00001",
    )

    assert found == (
        Identifier("doi", "10.1056/nejmoa1307684"),
        Identifier("pmid", "23992601"),
        Identifier("arxiv", "2101.00001"),
    )
