"""What happened to the evidence of claims, day by day, in words. Pure."""

from collections.abc import Iterable

from lyra.evidence.timeline import TimelineEvent, TimelineEventKind
from lyra.model.report import ReportClaim
from lyra.report.document import Line, Span, Style
from lyra.report.findings import Findings
from lyra.report.wording import mark_retracted, relation_words
from lyra.text import preview
from lyra.translate import say


def timeline_rows(findings: Findings) -> list[tuple[str, TimelineEvent, ReportClaim]]:
    """What happened to the leading claims' evidence, by day; what has no date on the day it was seen."""
    by_id = {claim.claim.id: claim for claim in findings.main_claims if claim.quotes}
    events = [
        (event.date or event.seen_at[:10], event, by_id[one.claim_id])
        for one in findings.histories.values()
        if one.claim_id in by_id
        for event in one.events
    ]
    return sorted(events, key=lambda row: (row[0], row[1].url, row[2].claim.id))


def event_lines(findings: Findings, rows: Iterable[tuple[str, TimelineEvent, ReportClaim]]) -> tuple[Line, ...]:
    """A line for each event; that a source is retracted stands at every event of it."""
    retracted = findings.retracted_addresses
    return tuple(_event_line(row, is_retracted=row[1].url in retracted) for row in rows)


def _event_line(row: tuple[str, TimelineEvent, ReportClaim], *, is_retracted: bool) -> Line:
    day, event, claim = row
    is_marked = is_retracted and event.kind is not TimelineEventKind.RETRACTED
    return (
        Span(f"{day} ", Style.STRONG),
        Span(event_words(event)),
        *(mark_retracted() if is_marked else ()),
        Span(": "),
        Span(preview(claim.claim.claim_text, 110), Style.FOREIGN),
    )


def event_words(event: TimelineEvent) -> str:
    where, side = event.domain, relation_words(event.relation.value)
    is_dated = bool(event.date)
    match event.kind:
        case TimelineEventKind.PUBLISHED:
            return say("published on {domain} ({side})", domain=where, side=side)
        case TimelineEventKind.UPDATED:
            return say("updated on {domain} ({side})", domain=where, side=side)
        case TimelineEventKind.NOT_YET:
            return say("not yet on {domain} ({side})", domain=where, side=side)
        case TimelineEventKind.ARCHIVED:
            return say("archived copy of {domain} has it ({side})", domain=where, side=side)
        case TimelineEventKind.COPIED:
            return say("copy of {domain} that was read ({side})", domain=where, side=side)
        case TimelineEventKind.FIRST_SEEN:
            return say("first seen on {domain} ({side})", domain=where, side=side)
        case TimelineEventKind.CORRECTED:
            return say("corrected on {domain} ({side})", domain=where, side=side)
        case TimelineEventKind.SUPERSEDED if is_dated:
            return say("no longer on {domain} ({side})", domain=where, side=side)
        case TimelineEventKind.SUPERSEDED:
            return say("noticed: no longer on {domain} ({side})", domain=where, side=side)
        case TimelineEventKind.RETRACTED if is_dated:
            return say("the paper on {domain} was RETRACTED ({side})", domain=where, side=side)
        case TimelineEventKind.RETRACTED:
            return say("noticed: the paper on {domain} is RETRACTED ({side})", domain=where, side=side)
