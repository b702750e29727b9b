"""A site's own search: its form, and how asking it has gone."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SearchForm:
    """How a site is asked: the words go into `parameter`, `hidden` fields go along."""

    action: str
    parameter: str
    method: str = "GET"
    hidden: tuple[tuple[str, str], ...] = ()
    needs_browser: bool = False


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """What is remembered of a site's search; `skipped_on` is the day (UTC) on which it is left alone."""

    domain: str
    updated_at: datetime
    form: SearchForm | None = None
    successes: int = 0
    failures: int = 0
    failures_in_row: int = 0
    skipped_on: str | None = None
    last_reason: str | None = None
