"""Queries that are addresses or identifiers instead of questions."""

import pytest

from lyra.errors import InvalidParams
from lyra.model.page import Identifier
from lyra.search.query import TargetUrl, recognise_target, reject_foreign_address


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("10.1056/NEJMoa1307684", Identifier("doi", "10.1056/nejmoa1307684")),
        ("doi: 10.1056/NEJMoa1307684", Identifier("doi", "10.1056/nejmoa1307684")),
        ("https://doi.org/10.1056/NEJMoa1307684", Identifier("doi", "10.1056/nejmoa1307684")),
        ("PMID 23992601", Identifier("pmid", "23992601")),
        ("pmid:23992601", Identifier("pmid", "23992601")),
        ("https://pubmed.ncbi.nlm.nih.gov/23992601/", Identifier("pmid", "23992601")),
        ("arXiv:1706.03762v5", Identifier("arxiv", "1706.03762")),
        ("arXiv 1706.03762", Identifier("arxiv", "1706.03762")),
        ("DOI 10.1056/NEJMoa1307684", Identifier("doi", "10.1056/nejmoa1307684")),
        (
            "10.1002/(SICI)1097-4571(199812)49:14<1290::AID-ASI4>3.0.CO;2-K",
            Identifier("doi", "10.1002/(sici)1097-4571(199812)49:14<1290::aid-asi4>3.0.co;2-k"),
        ),
        ("https://doi.org/10.1234/日本語", TargetUrl("https://doi.org/10.1234/日本語")),
        ("https://arxiv.org/pdf/1706.03762v2.pdf", Identifier("arxiv", "1706.03762")),
        ("  https://www.pmda.go.jp/safety/info.html ", TargetUrl("https://www.pmda.go.jp/safety/info.html")),
        (
            "https://www.nejm.org/doi/full/10.1056/NEJMoa1307684",
            TargetUrl("https://www.nejm.org/doi/full/10.1056/NEJMoa1307684"),
        ),
    ],
    ids=lambda value: value.strip()[:40] if isinstance(value, str) else "",
)
def test_targets_are_recognised(query: str, expected: TargetUrl | Identifier) -> None:
    """`query` may be a URL, a DOI, a PMID or an arXiv id (SPEC §2)."""
    assert recognise_target(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "saxagliptin 10.1056/NEJMoa1307684",
        "arxiv papers on gliptins",
        "doi numbers explained",
        "DPP-4阻害薬 心不全",
        "23992601",
        "ftp://example.org/file",
        "https://example.org/a b",
        "file:///etc/passwd",
        "",
        "3.14",
    ],
)
def test_questions_are_no_targets(query: str) -> None:
    """A question that merely holds a number or identifier goes to the engines; odd schemes go nowhere."""
    assert recognise_target(query) is None


@pytest.mark.parametrize(
    "query", ["file:///etc/passwd", "FTP://x.org/", "javascript:alert(1)", "data:text/html,x", "smb://nas/案件"]
)
def test_addresses_of_other_kinds_are_refused(query: str) -> None:
    """A path of this machine has no business at a search engine."""
    with pytest.raises(InvalidParams) as caught:
        reject_foreign_address(query)

    assert caught.value.message == "Only addresses of the web (http, https) can be fetched."


def test_an_address_with_a_password_is_refused() -> None:
    """It would stay in the database and in every backup."""
    with pytest.raises(InvalidParams) as caught:
        reject_foreign_address("https://user:secret@x.org/a")

    assert caught.value.message == "Addresses that carry a user name or password are not fetched."


@pytest.mark.parametrize(
    "query",
    ["https://x.org/@name", "https://x.org/", "doi:10.1000/1", "site:go.jp 給付", "a://b is a form", "比率 3:2"],
)
def test_other_queries_are_let_through(query: str) -> None:
    """Operators, identifiers and words with a colon are none of them."""
    assert reject_foreign_address(query) is None
