"""What every academic API has in common: its interface, and how its answers are named."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from lyra.apis.client import ApiFailure
from lyra.model.page import Identifier
from lyra.model.search import SearchOutcome
from lyra.model.work import AcademicAnswer, CitationLink, Work


class AcademicApi(Protocol):
    """An API of scholarly works; what the network does becomes an outcome, never an exception."""

    @property
    def name(self) -> str: ...

    async def search(self, query: str, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        """Works that match a query, best first."""

    async def by_identifiers(self, identifiers: Sequence[Identifier], *, cause_id: str | None = None) -> AcademicAnswer:
        """The works behind these identifiers that the API knows, in as few requests as it allows."""

    async def links(self, work: Work, limit: int, *, cause_id: str | None = None) -> AcademicAnswer:
        """Links from and to `work`: at most `limit` references and as many citations."""


def failed_answer(failure: ApiFailure) -> AcademicAnswer:
    """The answer of an API that gave none."""
    return AcademicAnswer(
        failure.api,
        failure.outcome,
        reason=failure.reason,
        retry_after_s=failure.retry_after_s,
        is_unreachable=failure.is_unreachable,
    )


def works_answer(api: str, works: Iterable[Work]) -> AcademicAnswer:
    """Results, or empty."""
    found = tuple(works)
    if found:
        return AcademicAnswer(api, SearchOutcome.RESULTS, found)
    return AcademicAnswer(api, SearchOutcome.EMPTY, reason="The API found no paper.")


def links_answer(api: str, links: Iterable[CitationLink]) -> AcademicAnswer:
    """Results, or empty."""
    found = tuple(links)
    if found:
        return AcademicAnswer(api, SearchOutcome.RESULTS, links=found)
    return AcademicAnswer(api, SearchOutcome.EMPTY, reason="The API lists no such paper.")


def merge_answers(api: str, answers: Iterable[AcademicAnswer]) -> AcademicAnswer:
    """All that the answers hold; the worst failure among them is kept even with results."""
    parts = tuple(answers)
    works = tuple(work for part in parts for work in part.works)
    links = tuple(link for part in parts for link in part.links)
    worst = next((part for part in parts if not part.outcome.is_answer), None)
    if works or links:
        outcome = SearchOutcome.RESULTS
    else:
        outcome = worst.outcome if worst else SearchOutcome.EMPTY
    reason = worst.reason if worst else None if works or links else "The API found no paper."
    retry_after_s, is_unreachable = (worst.retry_after_s, worst.is_unreachable) if worst else (None, False)
    return AcademicAnswer(api, outcome, works, links, reason, retry_after_s, is_unreachable)
