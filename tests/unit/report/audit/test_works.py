"""Cited works against catalogues that answer, refuse, or are silent."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from lyra.academic.catalogue import CatalogueAnswer
from lyra.model.audit import CitedWork, WorkStatus
from lyra.model.page import Identifier
from lyra.model.search import SearchOutcome
from lyra.model.work import AcademicAnswer, Work
from lyra.report.audit.auditor import cited_works
from lyra.report.audit.works import look_up_works
from lyra.report.check.layout import lay_out

DOI = Identifier("doi", "10.5555/a.1")
KNOWN = Work("doi:10.5555/a.1", "Body weight during treatment: a meta-analysis", year=2015, identifiers=(DOI,))
BAD = Work("doi:10.5555/b.1", "Survival in a registry of patients", is_retracted=True)


@dataclass(frozen=True)
class Catalogue:
    """Finds works by identifier and by the first word of their title; `outcome` is what one API said."""

    outcome: SearchOutcome = SearchOutcome.RESULTS

    async def look_up(self, identifiers: Sequence[Identifier], *, cause_id: str | None = None) -> CatalogueAnswer:
        return self._answer(tuple(one for one in (KNOWN,) if DOI in identifiers))

    async def search(self, query: str, *, cause_id: str | None = None) -> CatalogueAnswer:
        return self._answer(tuple(one for one in (KNOWN, BAD) if one.title.split()[0] in query))

    def _answer(self, works: tuple[Work, ...]) -> CatalogueAnswer:
        kept = works if self.outcome is SearchOutcome.RESULTS else ()
        return CatalogueAnswer(kept, answers=(AcademicAnswer("openalex", self.outcome, kept, reason="why"),))


@pytest.mark.parametrize(
    ("cited", "status", "title"),
    [
        (CitedWork("a", "", 1, KNOWN.title, identifiers=(DOI,)), WorkStatus.EXISTS, KNOWN.title),
        (CitedWork("a", "", 1, "Joints and pain", identifiers=(DOI,)), WorkStatus.OTHER_TITLE, KNOWN.title),
        (CitedWork("a", "", 1, "Body weight during treatment", year=2015), WorkStatus.EXISTS, KNOWN.title),
        (CitedWork("a", "", 1, BAD.title), WorkStatus.RETRACTED, BAD.title),
        (CitedWork("a", "", 1, "Gout in racing horses"), WorkStatus.NOT_FOUND, ""),
        (CitedWork("a", "", 1), WorkStatus.NOT_CHECKED, ""),
        (CitedWork("a", "", 1, "Gout in racing horses", url="https://a.example/g"), WorkStatus.NOT_CHECKED, ""),
        (CitedWork("a", "", 1, KNOWN.title, url="https://a.example/b"), WorkStatus.EXISTS, KNOWN.title),
    ],
    ids=["identifier", "another work", "title", "retracted", "absent", "names nothing", "a page", "a work's page"],
)
async def test_what_the_catalogues_know(cited: CitedWork, status: WorkStatus, title: str) -> None:
    """The status, with the title that was found."""
    (found,) = await look_up_works(Catalogue(), [cited], lambda done, total: None)

    assert (found.audited.status, found.audited.found_title) == (status, title)


async def test_a_catalogue_that_did_not_answer_makes_nothing_absent() -> None:
    """Blocked is not checked, with the reason."""
    cited = CitedWork("a", "", 1, "Gout in racing horses", identifiers=(DOI,))

    (found,) = await look_up_works(Catalogue(SearchOutcome.BLOCKED), [cited], lambda done, total: None)

    assert (found.audited.status, found.audited.sentence) == (WorkStatus.NOT_CHECKED, "Not checked: openalex: why")


def test_works_of_a_draft_come_from_its_list_and_its_marks() -> None:
    """Each once, with title, year and identifiers."""
    entry = "1. Pell G. Body weight in many trials. 2015. doi:10.5555/a.1"
    text = f"It fell [1] (doi:10.5555/a.1) (PMID: 90015821).\n\n## References\n\n{entry}\n"

    found = cited_works(lay_out(text))

    assert [(one.line, one.title, one.year, [each.value for each in one.identifiers]) for one in found] == [
        (1, "", None, ["90015821"]),
        (5, "Body weight in many trials", 2015, ["10.5555/a.1"]),
    ]


def test_works_of_notes_within_the_text_are_cited() -> None:
    """An address without its scheme may be none, and is left out."""
    note = "<ref>Pell G. Body weight in many trials. 2015. doi:10.5555/a.1</ref>"
    text = f"It fell.{note}\n\nIt rose (lab.example/report).\n"

    found = cited_works(lay_out(text))

    assert [(one.line, one.title, [each.value for each in one.identifiers]) for one in found] == [
        (1, "Body weight in many trials", ["10.5555/a.1"])
    ]


def test_works_stand_one_a_line_without_a_sign() -> None:
    """An invented one below a real one is a work of its own."""
    entries = (
        "Pell G. Body weight in many trials. 2015.\nNobody N. Gliptins restore old mountaineers. J Never 2020;1:1-2.\n"
    )

    found = cited_works(lay_out(f"Nobody says so.\n\n## References\n\n{entries}"))

    assert [(one.line, one.title) for one in found] == [
        (5, "Body weight in many trials"),
        (6, "Gliptins restore old mountaineers"),
    ]
