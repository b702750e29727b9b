"""A scholarly work: one paper, however many addresses, versions and identifiers it has."""

from dataclasses import dataclass

from lyra.model.page import ArchiveRef, Identifier
from lyra.model.search import Outcome


@dataclass(frozen=True, slots=True)
class Work:
    """Metadata merged from the academic APIs. `id` is canonical: doi:…, pmid:…, arxiv:… or a title key.

    `archive` is the record of the API's answer that holds the abstract; it is not stored with the work. `is_retracted`
    is none where no API has a word on it; `retracted_by` are those that call it retracted, joined by +.
    """

    id: str
    title: str
    abstract: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    published: str | None = None
    venue: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    url: str | None = None
    citation_count: int | None = None
    is_retracted: bool | None = None
    source_api: str = ""
    archive: ArchiveRef | None = None
    retracted_by: str = ""


@dataclass(frozen=True, slots=True)
class CitationLink:
    """`citing` cites `cited`; influence is the API's own flag."""

    citing: Work
    cited: Work
    is_influential: bool = False
    source_api: str = ""


@dataclass(frozen=True, slots=True)
class AcademicAnswer:
    """An academic API's answer, as honest about its outcome as an engine's."""

    api: str
    outcome: Outcome
    works: tuple[Work, ...] = ()
    links: tuple[CitationLink, ...] = ()
    reason: str | None = None
    retry_after_s: float | None = None
