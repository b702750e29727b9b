"""The history of claims by the dates of their evidence, and how a page changed between two versions. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lyra.model.archive import PageRevision, PageVersion
from lyra.model.edge import NoVote, Relation
from lyra.model.report import RECENT_YEARS, DatedEvidence
from lyra.word_lists import word_lists


class TimelineEventKind(StrEnum):
    """In the order in which they are listed when they fall on one day.

    From archived copies: on the day NOT_YET the page did not hold these words, from ARCHIVED on it did; COPIED is the
    day of the copy that was read because the page could not be opened. CORRECTED: the page itself says that it was
    corrected; SUPERSEDED: it no longer holds these words, and does not say why.
    """

    PUBLISHED = "published"
    UPDATED = "updated"
    NOT_YET = "not_yet"
    ARCHIVED = "archived"
    COPIED = "copied"
    FIRST_SEEN = "first_seen"
    CORRECTED = "corrected"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """Something that happened to the evidence of a claim.

    `date` is when it happened, as far as that is known (`2021`, `2021-05`, `2021-05-01`); `seen_at` when Lyra saw it.
    """

    claim_id: str
    kind: TimelineEventKind
    date: str | None
    seen_at: str
    url: str
    domain: str
    relation: Relation
    fragment_id: str


@dataclass(frozen=True, slots=True)
class TimeMismatch:
    """A quote whose own years do not fit the date of its page.

    `is_ahead`: it names a year after the page's date. Otherwise it names nothing newer than `stated_year`, more
    than two years before the page's date: an old statement on a newer page.
    """

    fragment_id: str
    url: str
    stated_year: int
    page_date: str
    is_ahead: bool


@dataclass(frozen=True, slots=True)
class ClaimTimeline:
    """The events of one claim in order, and what its dates show.

    `is_outdated`: its newest dated evidence is more than two years before the newest in the task.
    """

    claim_id: str
    first_seen_at: str
    events: tuple[TimelineEvent, ...]
    newest_support: str | None
    newest_refutation: str | None
    is_outdated: bool
    retracted_sources: int
    mismatches: tuple[TimeMismatch, ...]


def timelines(rows: Iterable[DatedEvidence]) -> tuple[ClaimTimeline, ...]:
    """The timeline of every claim that has evidence, by claim id."""
    grouped: dict[str, list[DatedEvidence]] = {}
    for row in rows:
        grouped.setdefault(row.claim_id, []).append(row)
    voting = [row for found in grouped.values() for row in found if not row.no_vote]
    years = [year for row in voting if (year := _year(last_date(row))) is not None]
    newest = max(years, default=None)
    return tuple(_timeline(claim_id, grouped[claim_id], newest) for claim_id in sorted(grouped))


def last_date(row: DatedEvidence) -> str | None:
    """The latest date that the version read gives itself; the day of publication where it was never updated.

    One after the day on which it was seen counts as that day: the words were there by then.
    """
    dates = [date for date in (row.published_date, row.updated_date) if date]
    return min(max(dates), row.seen_at[:10]) if dates else None


def years_stated(text: str) -> tuple[int, ...]:
    """The years that a text names, ascending; numbers that only look like years are left out."""
    year = word_lists("lyra.evidence", "years", "en", "ja").pattern("year")
    found = {int(one or other) for one, other in year.findall(text)}
    return tuple(sorted(found))


def date_mismatch(row: DatedEvidence) -> TimeMismatch | None:
    """Whether the years in the quote fit the page's date, where both are known."""
    date, stated = last_date(row), years_stated(row.quote)
    year = _year(date)
    if date is None or year is None or not stated:
        return None
    is_ahead = stated[-1] > year
    if not is_ahead and stated[-1] >= year - RECENT_YEARS:
        return None
    return TimeMismatch(row.fragment_id, row.url, stated[-1], date, is_ahead)


def _timeline(claim_id: str, rows: Sequence[DatedEvidence], newest_year: int | None) -> ClaimTimeline:
    own = [year for row in rows if not row.no_vote and (year := _year(last_date(row))) is not None]
    return ClaimTimeline(
        claim_id=claim_id,
        first_seen_at=min(row.seen_at for row in rows),
        events=_in_order([_first_seen(rows), *(event for row in rows for event in _events(row))]),
        newest_support=_newest(rows, Relation.SUPPORTS),
        newest_refutation=_newest(rows, Relation.REFUTES),
        is_outdated=bool(own) and newest_year is not None and max(own) < newest_year - RECENT_YEARS,
        retracted_sources=len({row.work_id or row.page_id for row in rows if row.is_retracted}),
        mismatches=tuple(found for row in rows if (found := date_mismatch(row)) is not None),
    )


def _events(row: DatedEvidence) -> Iterable[TimelineEvent]:
    if row.published_date:
        yield _event(row, TimelineEventKind.PUBLISHED, row.published_date)
    is_corrected = row.is_corrected and not row.superseded_at
    if row.updated_date not in (None, row.published_date, row.retracted_on) and not is_corrected:
        yield _event(row, TimelineEventKind.UPDATED, row.updated_date)
    if is_corrected:
        yield _event(row, TimelineEventKind.CORRECTED, row.corrected_on or row.updated_date)
    if row.absent_on and not (row.archived_from and row.archived_from <= row.absent_on):
        yield _event(row, TimelineEventKind.NOT_YET, row.absent_on)
    if row.archived_from:
        yield _event(row, TimelineEventKind.ARCHIVED, row.archived_from)
    if row.copied_on:
        yield _event(row, TimelineEventKind.COPIED, row.copied_on)
    if row.superseded_at and row.no_vote != NoVote.RETRACTED:
        kind = TimelineEventKind.CORRECTED if row.is_corrected else TimelineEventKind.SUPERSEDED
        yield _event(row, kind, row.corrected_on or row.superseded_on, row.superseded_at)
    if row.is_retracted:
        yield _event(row, TimelineEventKind.RETRACTED, row.retracted_on, row.retraction_seen_at)


def _first_seen(rows: Sequence[DatedEvidence]) -> TimelineEvent:
    first = min(rows, key=lambda row: (row.seen_at, row.url, row.fragment_id))
    return _event(first, TimelineEventKind.FIRST_SEEN, first.seen_at[:10])


def _event(row: DatedEvidence, kind: TimelineEventKind, date: str | None, seen_at: str | None = None) -> TimelineEvent:
    seen = seen_at or row.seen_at
    return TimelineEvent(row.claim_id, kind, date, seen, row.url, row.domain, row.relation, row.fragment_id)


def _in_order(events: Iterable[TimelineEvent]) -> tuple[TimelineEvent, ...]:
    """By date, what has none by the day it was seen; one event of a kind for each page."""
    order = list(TimelineEventKind)
    once = {(event.kind, event.date, event.url, event.relation): event for event in events}
    return tuple(
        sorted(once.values(), key=lambda e: (e.date or e.seen_at[:10], order.index(e.kind), e.url, e.relation))
    )


def _newest(rows: Iterable[DatedEvidence], relation: Relation) -> str | None:
    dates = [date for row in rows if row.relation is relation and not row.no_vote and (date := last_date(row))]
    return max(dates, default=None)


def _year(date: str | None) -> int | None:
    return int(date[:4]) if date and date[:4].isdecimal() else None


def compare_versions(old: PageVersion, new: PageVersion) -> PageRevision:
    """What came and what went; the wording counts, not its spacing or capitals."""
    dates = ((old.updated or old.date), (new.updated or new.date))
    has_new_date = dates[0] != dates[1] and None not in dates
    return PageRevision(
        headings_added=_missing(new.headings, old.headings),
        headings_removed=_missing(old.headings, new.headings),
        statements_added=_missing(new.statements, old.statements),
        statements_removed=_missing(old.statements, new.statements),
        date_before=dates[0] if has_new_date else None,
        date_after=dates[1] if has_new_date else None,
    )


def _missing(texts: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    known = {_fold(text) for text in others}
    return tuple(text for text in dict.fromkeys(texts) if _fold(text) not in known)


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())
