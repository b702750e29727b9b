"""A query that was sent for a search, with its cause, and what such queries have brought so far."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SentQuery:
    """A row of `derived_queries`: `rule` made it of `parent`; `why` says what spoke for asking it."""

    id: str
    search_id: str
    text: str
    parent: str
    rule: str
    family: str
    created_at: datetime
    page: int = 1
    category: str = "general"
    engines: tuple[str, ...] = ()
    results: int = 0
    new_results: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class PageYield:
    """Pages that were read for something, and how many of them gave evidence."""

    read: int = 0
    useful: int = 0
