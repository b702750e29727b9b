"""All academic APIs as one."""

from collections.abc import Sequence

from lyra.academic.catalogue import Catalogue
from lyra.model.page import Identifier
from lyra.model.search import Outcome
from lyra.model.work import AcademicAnswer, CitationLink, Work
from lyra.settings import Academic


def work(number: int, api: str, **more: object) -> Work:
    identifier = Identifier("doi", f"10.1/{number}")
    return Work(f"doi:10.1/{number}", f"Work {number}", identifiers=(identifier,), source_api=api, **more)  # type: ignore[arg-type]


class Shelf:
    """An API that answers with what it was given."""

    def __init__(
        self, name: str, *works: Work, links: tuple[CitationLink, ...] = (), outcome: Outcome | None = None
    ) -> None:
        self.name = name
        self.asked: list[object] = []
        found = outcome or (Outcome.RESULTS if works or links else Outcome.EMPTY)
        self._answer = AcademicAnswer(name, found, works, links)

    async def search(self, query: str, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        self.asked.append((query, limit, cause_id))
        return self._answer

    async def by_identifiers(self, identifiers: Sequence[Identifier], *, cause_id: str | None = None) -> AcademicAnswer:
        self.asked.append(tuple(identifiers))
        return self._answer

    async def links(self, work: Work, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        self.asked.append((work.id, limit, cause_id))
        return self._answer


async def test_a_search_merges_both_apis_in_turn() -> None:
    """No API's order wins: first of one, first of the other; a work both know is one with what both say."""
    s2 = Shelf("s2", work(1, "s2"), work(2, "s2", abstract="long abstract"))
    openalex = Shelf("oa", work(3, "oa"), work(2, "oa", abstract="short"))

    answer = await Catalogue((s2, openalex), Academic()).search("gliptins", cause_id="s_1")

    assert [found.id for found in answer.works] == ["doi:10.1/1", "doi:10.1/3", "doi:10.1/2"]
    assert (answer.works[2].abstract, answer.works[2].source_api) == ("long abstract", "oa+s2")
    assert s2.asked == [("gliptins", 10, "s_1")]


async def test_one_api_that_refuses_takes_only_its_share() -> None:
    """The other's works are there, and the refusal is told."""
    answer = await Catalogue((Shelf("s2", outcome=Outcome.BLOCKED), Shelf("oa", work(3, "oa"))), Academic()).search("q")

    assert [found.id for found in answer.works] == ["doi:10.1/3"]
    assert [one.outcome for one in answer.answers] == [Outcome.BLOCKED, Outcome.RESULTS]


async def test_identifiers_are_completed_once_each() -> None:
    """The same DOI met in five results is asked for once."""
    shelf = Shelf("s2", work(1, "s2"))
    wanted = Identifier("doi", "10.1/1")

    answer = await Catalogue((shelf,), Academic()).look_up([wanted, wanted])

    assert shelf.asked == [(wanted,)]
    assert [found.id for found in answer.works] == ["doi:10.1/1"]


async def test_no_identifier_asks_nobody() -> None:
    """A page without identifiers costs no request."""
    shelf = Shelf("s2")

    answer = await Catalogue((shelf,), Academic()).look_up([])

    assert (answer.works, shelf.asked) == ((), [])


async def test_a_pair_that_both_apis_know_is_one_link() -> None:
    """Influence said by one holds; a work that cites itself through a duplicate record is no link."""
    source = work(0, "s2")
    s2 = Shelf(
        "s2", links=(CitationLink(source, work(1, "s2"), True, "s2"), CitationLink(work(2, "s2"), source, False, "s2"))
    )
    openalex = Shelf(
        "oa",
        links=(CitationLink(source, work(1, "oa"), False, "oa"), CitationLink(source, work(0, "oa"), False, "oa")),
    )

    answer = await Catalogue((s2, openalex), Academic()).citations(source, cause_id="s_1")

    assert [(link.citing.id, link.cited.id, link.is_influential, link.source_api) for link in answer.links] == [
        ("doi:10.1/0", "doi:10.1/1", True, "oa+s2"),
        ("doi:10.1/2", "doi:10.1/0", False, "s2"),
    ]
    assert s2.asked == [("doi:10.1/0", 20, "s_1")]
