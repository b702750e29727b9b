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
from lyra.report.bibliography import bibtex
from lyra.report.evidence import evidence
from lyra.report.links import deep_link
from lyra.storage import quotes, searches, sources, timeline
from lyra.storage.database import Database
from lyra.text import strip_control_chars

if TYPE_CHECKING:
    from jinja2 import Template

_BODY_FLOOR = 0.7
_QUOTES_SHOWN = 5
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
    spoken = [claim for claim in claims if claim.quotes]
    return _template().render(
        task=task,
        hypotheses=[claim for claim in claims if claim.claim.is_hypothesis],
        body=[claim for claim in spoken if claim.assessment.report_confidence >= _BODY_FLOOR],
        reservations=[claim for claim in spoken if claim.assessment.report_confidence < _BODY_FLOOR],
        contradictions=[(claim, *_sides(claim)) for claim in spoken if _is_contradicted(claim)],
        shown=_QUOTES_SHOWN,
        timeline=_timeline([claim for claim in spoken if claim.claim.is_hypothesis] or spoken, histories),
        histories={one.claim_id: one for one in histories},
        sources=_sources(spoken, levels),
        trust=partial(_trust, levels),
        searches=found,
        unsatisfied=[search for search in found if search.status is not SearchStatus.SATISFIED],
    )


def _is_contradicted(claim: ReportClaim) -> bool:
    """Evidence on both sides: of a hypothesis always told, of another claim where it is contested."""
    return all(_sides(claim)) and (claim.claim.is_hypothesis or claim.assessment.verdict is Verdict.CONTESTED)


def _sides(claim: ReportClaim) -> tuple[tuple[QuotedEvidence, ...], tuple[QuotedEvidence, ...]]:
    """What speaks for and against a claim; of a page that does both, only its stronger side, in doubt that against."""
    speaking_for, speaking_against = _voting(claim.supports), _voting(claim.refutes)
    supports, refutes = _strongest(speaking_for), _strongest(speaking_against)
    return (
        tuple(one for one in speaking_for if supports[one.page_id] > refutes.get(one.page_id, -1.0)),
        tuple(one for one in speaking_against if refutes[one.page_id] >= supports.get(one.page_id, -1.0)),
    )


def _strongest(quotes: Iterable[QuotedEvidence]) -> dict[str, float]:
    """The highest probability on each page."""
    found: dict[str, float] = {}
    for one in quotes:
        found[one.page_id] = max(one.nli_confidence, found.get(one.page_id, 0.0))
    return found


def _voting(quotes: Iterable[QuotedEvidence]) -> tuple[QuotedEvidence, ...]:
    return tuple(quoted for quoted in quotes if not quoted.no_vote)


def _once(quotes: tuple[QuotedEvidence, ...]) -> list[tuple[QuotedEvidence, list[QuotedEvidence]]]:
    """Each wording with the pages that repeat it: a copy is named, and takes no other text's place."""
    found: dict[str, tuple[QuotedEvidence, list[QuotedEvidence]]] = {}
    for quoted in quotes:
        first, copies = found.setdefault(" ".join(quoted.quote.split()), (quoted, []))
        if quoted.url not in {first.url, *(copy.url for copy in copies)}:
            copies.append(quoted)
    return list(found.values())


def _refutation(claim: ReportClaim) -> str:
    """What came of looking for refutations; “none found” never stands above words that refute, however weakly."""
    status = claim.assessment.refutation_status
    if status is RefutationStatus.NONE_FOUND and _voting(claim.refutes):
        return "only weak ones found"
    return status.value.replace("_", " ")


def _timeline(
    claims: list[ReportClaim], histories: tuple[ClaimTimeline, ...]
) -> list[tuple[str, TimelineEvent, ReportClaim]]:
    """What happened to the claims' evidence, by day; what has no date of its own stands where it was noticed."""
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


def _trust(levels: Mapping[str, TrustLevel], quoted: QuotedEvidence) -> str:
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
    environment.filters["deep_link"] = lambda quoted: target(deep_link(quoted.url, quoted.quote))
    environment.filters["target"] = target
    environment.filters["inline"] = inline
    environment.filters["once"] = _once
    environment.filters["refutation"] = _refutation
    environment.filters["verdict"] = lambda verdict: Verdict(verdict).value.replace("_", " ")
    return environment.get_template("report.md.j2")


def target(url: str) -> str:
    """An address as the target of a Markdown link: what would end the link or a table's cell is percent-encoded."""
    return re.sub(r"[\s()<>|\\`\[\]*]", lambda found: percent_encoded(found[0], safe=""), url)


def inline(text: str) -> str:
    """Text of a page on one line, with whatever Markdown or HTML it holds made harmless."""
    line = strip_control_chars(" ".join(text.split()))
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", line)
