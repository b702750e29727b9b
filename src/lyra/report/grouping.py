"""Quotes and claims in the order in which a reader meets them. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lyra.model.claim import Verdict
from lyra.model.report import QuotedEvidence, ReportClaim

MIN_BODY_CONFIDENCE = 0.7


@dataclass(frozen=True, slots=True)
class Sections:
    """Each claim with quotes once: with both sides, else by its report confidence from 0.7 on, else with reservations.

    Within each the hypotheses come first."""

    contradictions: tuple[ReportClaim, ...]
    findings: tuple[ReportClaim, ...]
    reservations: tuple[ReportClaim, ...]


def sections(claims: Iterable[ReportClaim]) -> Sections:
    quoted = sorted((one for one in claims if one.quotes), key=lambda one: not one.claim.is_hypothesis)
    contradicted = {one.claim.id for one in quoted if is_contradicted(one)}
    others = [one for one in quoted if one.claim.id not in contradicted]
    return Sections(
        contradictions=tuple(one for one in quoted if one.claim.id in contradicted),
        findings=tuple(one for one in others if one.assessment.report_confidence >= MIN_BODY_CONFIDENCE),
        reservations=tuple(one for one in others if one.assessment.report_confidence < MIN_BODY_CONFIDENCE),
    )


def is_contradicted(claim: ReportClaim) -> bool:
    """Whether there is evidence on both sides; of a claim that is no hypothesis, whether it is contested."""
    return all(sides(claim)) and (claim.claim.is_hypothesis or claim.assessment.verdict is Verdict.CONTESTED)


def sides(claim: ReportClaim) -> tuple[tuple[QuotedEvidence, ...], tuple[QuotedEvidence, ...]]:
    """Quotes for and against a claim; of a page with both only the stronger side, if equal the one against."""
    supporting, refuting = _voting(claim.supports), _voting(claim.refutes)
    supports, refutes = _strongest(supporting), _strongest(refuting)
    return (
        tuple(one for one in supporting if supports[one.page_id] > refutes.get(one.page_id, -1.0)),
        tuple(one for one in refuting if refutes[one.page_id] >= supports.get(one.page_id, -1.0)),
    )


def _strongest(quotes: Iterable[QuotedEvidence]) -> Mapping[str, float]:
    """The highest probability on each page."""
    found: dict[str, float] = {}
    for one in quotes:
        found[one.page_id] = max(one.nli_confidence, found.get(one.page_id, 0.0))
    return found


def _voting(quotes: Iterable[QuotedEvidence]) -> tuple[QuotedEvidence, ...]:
    return tuple(quoted for quoted in quotes if not quoted.no_vote)


def group_copies(quotes: Iterable[QuotedEvidence]) -> list[tuple[QuotedEvidence, list[QuotedEvidence]]]:
    """Each wording with the pages that repeat it, so that copies take no place of other texts."""
    found: dict[str, tuple[QuotedEvidence, list[QuotedEvidence]]] = {}
    for quoted in quotes:
        first, copies = found.setdefault(" ".join(quoted.quote.split()), (quoted, []))
        if quoted.url not in {first.url, *(copy.url for copy in copies)}:
            copies.append(quoted)
    return list(found.values())
