"""Figures of the report on the dashboard: drawn without styles of their own, which the page's policy would refuse."""

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from lyra.calibration.reports import ReliabilityDiagram as Measured
from lyra.evidence.interval import credible_interval
from lyra.evidence.timeline import TimelineEvent, TimelineEventKind
from lyra.model.claim import AssessedClaim
from lyra.model.edge import Relation
from lyra.report.figures import (
    STYLE,
    EvidenceOverTime,
    HypothesisStance,
    ReliabilityDiagram,
    StanceBars,
    YearOfEvidence,
    evidence_over_time,
    reliability_diagram,
    stance_bars,
)
from lyra.web import words


async def style(request: Request) -> Response:
    """The style sheet of all figures."""
    return Response(STYLE, media_type="text/css")


def stances(hypotheses: tuple[AssessedClaim, ...]) -> Markup | None:
    """Sources for and against each hypothesis, and its confidence with its range; none without hypotheses."""
    if not hypotheses:
        return None
    return Markup(stance_bars(StanceBars(tuple(_stance(one) for one in hypotheses)), with_style=False))


def _stance(one: AssessedClaim) -> HypothesisStance:
    evidence = one.assessment.evidence
    low, high = credible_interval(evidence.alpha, evidence.beta)
    return HypothesisStance(
        text=one.claim.claim_text,
        verdict_words=words.verdict(one.assessment.verdict.value),
        supporting=evidence.supporting_count,
        refuting=evidence.refuting_count,
        confidence=evidence.confidence,
        low=low,
        high=high,
    )


def reliability(measured: Measured) -> Markup:
    """Given probabilities against how often they came true."""
    return Markup(reliability_diagram(ReliabilityDiagram(measured.bins, measured.ece), with_style=False))


def years(events: list[TimelineEvent]) -> Markup | None:
    """Texts by the year in which they were published; none where no year is known."""
    retracted = {one.url for one in events if one.kind is TimelineEventKind.RETRACTED}
    dated: dict[tuple[str, Relation], int] = {}
    for one in events:
        year = (one.date or "")[:4]
        if one.kind is TimelineEventKind.PUBLISHED and year.isdecimal():
            dated[one.url, one.relation] = int(year)
    if not dated:
        return None
    found = tuple(_year(year, dated, retracted) for year in sorted(set(dated.values())))
    return Markup(evidence_over_time(EvidenceOverTime(found), with_style=False))


def _year(year: int, dated: dict[tuple[str, Relation], int], retracted: set[str]) -> YearOfEvidence:
    texts = [text for text, at in dated.items() if at == year]
    standing = [side for url, side in texts if url not in retracted]
    return YearOfEvidence(
        year,
        supporting=standing.count(Relation.SUPPORTS),
        refuting=standing.count(Relation.REFUTES),
        retracted=len({url for url, _ in texts if url in retracted}),
    )
