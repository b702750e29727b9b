"""A dated copy of a page in a public archive, and how the page differs from it."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class PageVersion:
    """What is compared of a page at one moment: headings, checkable statements, its own dates, its whole text."""

    headings: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    date: str | None = None
    updated: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class PageRevision:
    """What came and what went between an older version and the next newer one; dates where they differ."""

    headings_added: tuple[str, ...] = ()
    headings_removed: tuple[str, ...] = ()
    statements_added: tuple[str, ...] = ()
    statements_removed: tuple[str, ...] = ()
    date_before: str | None = None
    date_after: str | None = None


@dataclass(frozen=True, slots=True)
class Memento:
    """One copy. `is_copy`: the page itself could not be opened and was read from here."""

    page_id: str
    snapshot_at: datetime
    url: str
    fetched_at: datetime
    text: str = ""
    revision: PageRevision = field(default_factory=PageRevision)
    is_copy: bool = False
    record_id: str | None = None
