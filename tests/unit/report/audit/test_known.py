"""Cited works that no catalogue answered about, against pages of a task and works of the database."""

import pytest

from lyra.model.audit import AuditedWork, CitedWork, WorkStatus
from lyra.model.check import Source
from lyra.model.page import Identifier
from lyra.report.audit.known import KnownSources

DOI, BAD_DOI, OTHER_DOI = (Identifier("doi", f"10.5555/{name}.1") for name in "abc")
READ = Source("p1", "https://a.example/x", "Air after a zone: an analysis", "doi:10.5555/a.1", identifiers=(DOI,))
BAD = Source(
    "w2", "https://doi.org/10.5555/b.1", "Lungs of children in a zone", "w2", identifiers=(BAD_DOI,), is_retracted=True
)
PLAIN = Source("p3", "https://b.example/y", "A leaflet on winter air in towns", "p3")
KNOWN = KnownSources((READ, PLAIN), (BAD,))


@pytest.mark.parametrize(
    ("cited", "status", "sentence"),
    [
        (CitedWork("a", "", 1, READ.title, identifiers=(DOI,)), "exists", f"The task has read this page: {READ.title}"),
        (CitedWork("a", "", 1, identifiers=(BAD_DOI,)), "retracted", f"This work was retracted: {BAD.title}"),
        (
            CitedWork("a", "", 1, "Gout in horses", identifiers=(BAD_DOI,)),
            "other_title",
            f"The identifier belongs to another work: {BAD.title}",
        ),
        (CitedWork("a", "", 1, url="http://www.b.example/y/"), "exists", f"The task has read this page: {PLAIN.title}"),
        (CitedWork("a", "", 1, PLAIN.title), "exists", f"The task has read this page: {PLAIN.title}"),
        (CitedWork("a", "", 1, READ.title, identifiers=(OTHER_DOI,)), "not_checked", "why"),
        (CitedWork("a", "", 1, "Gout in horses"), "not_checked", "why"),
    ],
    ids=["read", "retracted", "another work", "address", "title", "title with another identifier", "unknown"],
)
def test_what_is_known_without_a_catalogue(cited: CitedWork, status: str, sentence: str) -> None:
    """Exists, is retracted, or belongs to another work; the rest stays unchecked."""
    found = KNOWN.completed(AuditedWork(cited, WorkStatus.NOT_CHECKED, "why"))

    assert (found.status, found.sentence) == (status, sentence)


def test_a_retraction_that_only_the_database_knows_counts() -> None:
    """A catalogue that has the work without a word on its retraction does not hide it."""
    cited = CitedWork("a", "", 1, BAD.title, identifiers=(BAD_DOI,))

    found = KNOWN.completed(AuditedWork(cited, WorkStatus.EXISTS, "The work exists."))

    assert (found.status, found.found_url) == (WorkStatus.RETRACTED, BAD.url)


def test_another_work_by_the_catalogues_word_stays() -> None:
    """What the database has under the identifier changes nothing."""
    one = AuditedWork(CitedWork("a", "", 1, identifiers=(DOI,)), WorkStatus.OTHER_TITLE, "another")

    assert KNOWN.completed(one) == one
