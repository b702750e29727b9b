"""The Markdown skeleton of an intelligence report: facts, quotes and links; the argument is the client's to write."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as percent_encoded

from lyra.evidence.timeline import ClaimTimeline, TimelineEvent, timelines
from lyra.model.claim import RefutationStatus, Verdict
from lyra.model.report import QuotedEvidence, ReportClaim
from lyra.model.search import Search, SearchStatus
from lyra.model.task import Task
from lyra.model.trust import TrustLevel
from lyra.report.export import bibtex, deep_link, evidence
from lyra.storage import quotes, searches, sources, timeline
from lyra.storage.database import Database
from lyra.text import strip_control_chars

if TYPE_CHECKING:
    from jinja2 import Template

_MIN_BODY_CONFIDENCE = 0.7
_MAX_QUOTES = 5
_TEMPLATES = Path(__file__).parent / "templates"
_TRUST_ORDER = {"primary": 0, "government": 1, "academic": 2, "trusted": 3}

# The trust level in force now for the source of each page, by the page's id.
LevelsNow = Callable[[Iterable[str]], Awaitable[Mapping[str, TrustLevel]]]


@dataclass(frozen=True, slots=True)
class Reporter:
    """Writes reports from the graph."""

    db: Database
    levels_now: LevelsNow

    async def markdown(self, task: Task) -> str:
        """The report of one task as Markdown."""
        claims = await self.db.read(quotes.of_task, task.id)
        found = await self.db.read(searches.of_task, task.id)
        levels = await self.levels_now({quoted.page_id for claim in claims for quoted in claim.quotes})
        return render(task, claims, found, await self.timelines(task), levels)

    async def timelines(self, task: Task) -> tuple[ClaimTimeline, ...]:
        """The history of every claim that has evidence."""
        return timelines(await self.db.read(timeline.of_task, task.id))

    async def evidence(self, task: Task) -> dict[str, Any]:
        """Every claim with its figures and quotes, as plain data."""
        return evidence(task, await self.db.read(quotes.of_task, task.id))

    async def bibtex(self, task: Task) -> str:
        """The task's sources as BibTeX."""
        return bibtex(await self.db.read(sources.of_task, task.id))


def render(
    task: Task,
    claims: tuple[ReportClaim, ...],
    found: tuple[Search, ...],
    histories: tuple[ClaimTimeline, ...] = (),
    levels: Mapping[str, TrustLevel] = MappingProxyType({}),
) -> str:
    """Claims from 0.7 in the body, the rest under reservations, contradictions side by side.

    `levels` are those in force now by page; a page without one has that of its edge.
    """
    quoted_claims = [claim for claim in claims if claim.quotes]
    return _template().render(
        task=task,
        hypotheses=[claim for claim in claims if claim.claim.is_hypothesis],
        body=[claim for claim in quoted_claims if claim.assessment.report_confidence >= _MIN_BODY_CONFIDENCE],
        reservations=[claim for claim in quoted_claims if claim.assessment.report_confidence < _MIN_BODY_CONFIDENCE],
        contradictions=[(claim, *_sides(claim)) for claim in quoted_claims if _is_contradicted(claim)],
        shown=_MAX_QUOTES,
        timeline=_timeline([claim for claim in quoted_claims if claim.claim.is_hypothesis] or quoted_claims, histories),
        histories={one.claim_id: one for one in histories},
        sources=_sources(quoted_claims, levels),
        trust=partial(_trust_text, levels),
        searches=found,
        unsatisfied=[search for search in found if search.status is not SearchStatus.SATISFIED],
    )


def _is_contradicted(claim: ReportClaim) -> bool:
    """Whether there is evidence on both sides; of a claim that is no hypothesis, whether it is contested."""
    return all(_sides(claim)) and (claim.claim.is_hypothesis or claim.assessment.verdict is Verdict.CONTESTED)


def _sides(claim: ReportClaim) -> tuple[tuple[QuotedEvidence, ...], tuple[QuotedEvidence, ...]]:
    """Quotes for and against a claim; of a page with both only the stronger side, if equal the one against."""
    supporting, refuting = _voting(claim.supports), _voting(claim.refutes)
    supports, refutes = _strongest(supporting), _strongest(refuting)
    return (
        tuple(one for one in supporting if supports[one.page_id] > refutes.get(one.page_id, -1.0)),
        tuple(one for one in refuting if refutes[one.page_id] >= supports.get(one.page_id, -1.0)),
    )


def _strongest(quotes: Iterable[QuotedEvidence]) -> dict[str, float]:
    """The highest probability on each page."""
    found: dict[str, float] = {}
    for one in quotes:
        found[one.page_id] = max(one.nli_confidence, found.get(one.page_id, 0.0))
    return found


def _voting(quotes: Iterable[QuotedEvidence]) -> tuple[QuotedEvidence, ...]:
    return tuple(quoted for quoted in quotes if not quoted.no_vote)


def _group_copies(quotes: tuple[QuotedEvidence, ...]) -> list[tuple[QuotedEvidence, list[QuotedEvidence]]]:
    """Each wording with the pages that repeat it, so that copies take no place of other texts."""
    found: dict[str, tuple[QuotedEvidence, list[QuotedEvidence]]] = {}
    for quoted in quotes:
        first, copies = found.setdefault(" ".join(quoted.quote.split()), (quoted, []))
        if quoted.url not in {first.url, *(copy.url for copy in copies)}:
            copies.append(quoted)
    return list(found.values())


def _refutation(claim: ReportClaim) -> str:
    """The result of looking for refutations; never “none found” above a quote that refutes, however weakly."""
    status = claim.assessment.refutation_status
    if status is RefutationStatus.NONE_FOUND and _voting(claim.refutes):
        return "only weak ones found"
    return status.value.replace("_", " ")


def _timeline(
    claims: list[ReportClaim], histories: tuple[ClaimTimeline, ...]
) -> list[tuple[str, TimelineEvent, ReportClaim]]:
    """What happened to the claims' evidence, by day; an event without a date is listed under the day it was seen."""
    by_id = {claim.claim.id: claim for claim in claims}
    events = [
        (event.date or event.seen_at[:10], event, by_id[one.claim_id])
        for one in histories
        if one.claim_id in by_id
        for event in one.events
    ]
    return sorted(events, key=lambda row: (row[0], row[1].url, row[2].claim.id))


def _sources(claims: list[ReportClaim], levels: Mapping[str, TrustLevel]) -> list[QuotedEvidence]:
    """Every page once; primary sources first, then by address."""
    by_url: dict[str, QuotedEvidence] = {}
    for claim in claims:
        for quoted in claim.quotes:
            by_url.setdefault(quoted.url, quoted)
    return sorted(by_url.values(), key=lambda quoted: (_TRUST_ORDER.get(_level(levels, quoted), 4), quoted.url))


def _level(levels: Mapping[str, TrustLevel], quoted: QuotedEvidence) -> str:
    return str(levels.get(quoted.page_id, quoted.trust_level))


def _trust_text(levels: Mapping[str, TrustLevel], quoted: QuotedEvidence) -> str:
    """The level in force now, one for a domain throughout the report, and that of the judgement where it differs."""
    now = _level(levels, quoted)
    return now if now == quoted.trust_level else f"{now}, was {quoted.trust_level} when judged"


@cache
def _template() -> "Template":
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["deep_link"] = lambda quoted: link_target(deep_link(quoted.url, quoted.quote))
    environment.filters["target"] = link_target
    environment.filters["inline"] = escape_inline
    environment.filters["once"] = _group_copies
    environment.filters["refutation"] = _refutation
    environment.filters["verdict"] = lambda verdict: Verdict(verdict).value.replace("_", " ")
    return environment.get_template("report.md.j2")


def link_target(url: str) -> str:
    """An address as the target of a Markdown link: what would end the link or a table's cell is percent-encoded."""
    return re.sub(r"[\s()<>|\\`\[\]*]", lambda found: percent_encoded(found[0], safe=""), url)


def escape_inline(text: str) -> str:
    """Text of a page on one line, with Markdown and HTML escaped."""
    line = strip_control_chars(" ".join(text.split()))
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", line)
