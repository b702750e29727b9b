"""All academic APIs as one: asked side by side, their records joined into works."""

import asyncio
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lyra.academic.api import AcademicApi
from lyra.academic.identity import are_same, merge
from lyra.model.page import Identifier
from lyra.model.work import AcademicAnswer, CitationLink, Work
from lyra.settings import Academic


@dataclass(frozen=True, slots=True)
class CatalogueAnswer:
    """Works (or links between them) merged by identity, and what each API answered."""

    works: tuple[Work, ...] = ()
    links: tuple[CitationLink, ...] = ()
    answers: tuple[AcademicAnswer, ...] = ()


class Catalogue:
    """The academic APIs behind one door; an API that fails only takes its own share away."""

    def __init__(self, apis: Sequence[AcademicApi], settings: Academic) -> None:
        self._apis = tuple(apis)
        self._settings = settings

    async def search(self, query: str, *, cause_id: str | None = None) -> CatalogueAnswer:
        """Works that match a query, those that several APIs rank high first."""
        limit = self._settings.results_per_query
        answers = await _together(api.search(query, limit, cause_id=cause_id) for api in self._apis)
        return CatalogueAnswer(merge(_alternating(answers)), answers=answers)

    async def complete(self, identifiers: Sequence[Identifier], *, cause_id: str | None = None) -> CatalogueAnswer:
        """Metadata and abstracts of the works behind identifiers met anywhere."""
        unique = tuple(dict.fromkeys(identifiers))
        if not unique:
            return CatalogueAnswer()
        answers = await _together(api.by_identifiers(unique, cause_id=cause_id) for api in self._apis)
        return CatalogueAnswer(merge(_alternating(answers)), answers=answers)

    async def citations(self, work: Work, *, cause_id: str | None = None) -> CatalogueAnswer:
        """References and citations of a work, each pair once; the work itself stands on one side of every link."""
        limit = self._settings.citations_per_paper
        answers = await _together(api.links(work, limit, cause_id=cause_id) for api in self._apis)
        return CatalogueAnswer(links=_merged_links(work, answers), answers=answers)


async def _together(questions: Iterable[Awaitable[AcademicAnswer]]) -> tuple[AcademicAnswer, ...]:
    return tuple(await asyncio.gather(*questions))


def _alternating(answers: Iterable[AcademicAnswer]) -> list[Work]:
    """The first of each API, then the second of each, so that no API's order wins."""
    queues = [list(answer.works) for answer in answers]
    longest = max((len(queue) for queue in queues), default=0)
    return [queue[place] for place in range(longest) for queue in queues if place < len(queue)]


def _merged_links(work: Work, answers: Iterable[AcademicAnswer]) -> tuple[CitationLink, ...]:
    """References first, then citations; what two APIs say of one pair becomes one link."""
    links = [link for answer in answers for link in answer.links]
    cited = [(link, link.cited) for link in links if link.citing is work]
    citing = [(link, link.citing) for link in links if link.citing is not work]
    references = (CitationLink(work, other, flag, apis) for other, flag, apis in _others(work, cited))
    citations = (CitationLink(other, work, flag, apis) for other, flag, apis in _others(work, citing))
    return (*references, *citations)


def _others(work: Work, pairs: list[tuple[CitationLink, Work]]) -> Iterator[tuple[Work, bool, str]]:
    for other in merge(paper for _, paper in pairs):
        said = [link for link, paper in pairs if are_same(other, paper)]
        if not are_same(work, other):
            yield other, any(link.is_influential for link in said), "+".join(sorted({link.source_api for link in said}))
