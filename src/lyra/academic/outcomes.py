"""An API's answer named by what it holds; several answers to one question as one."""

from collections.abc import Iterable

from lyra.model.search import SearchOutcome
from lyra.model.work import AcademicAnswer, CitationLink, Work


def of_works(api: str, works: Iterable[Work]) -> AcademicAnswer:
    """Results, or empty."""
    found = tuple(works)
    if found:
        return AcademicAnswer(api, SearchOutcome.RESULTS, found)
    return AcademicAnswer(api, SearchOutcome.EMPTY, reason="The API found no paper.")


def of_links(api: str, links: Iterable[CitationLink]) -> AcademicAnswer:
    """Results, or empty."""
    found = tuple(links)
    if found:
        return AcademicAnswer(api, SearchOutcome.RESULTS, links=found)
    return AcademicAnswer(api, SearchOutcome.EMPTY, reason="The API lists no such paper.")


def joined(api: str, answers: Iterable[AcademicAnswer]) -> AcademicAnswer:
    """All that the answers hold; the worst trouble among them is kept even beside results."""
    parts = tuple(answers)
    works = tuple(work for part in parts for work in part.works)
    links = tuple(link for part in parts for link in part.links)
    worst = next((part for part in parts if not part.outcome.is_answer), None)
    if works or links:
        outcome = SearchOutcome.RESULTS
    else:
        outcome = worst.outcome if worst else SearchOutcome.EMPTY
    reason = worst.reason if worst else None if works or links else "The API found no paper."
    return AcademicAnswer(api, outcome, works, links, reason, worst.retry_after_s if worst else None)
