"""A hypothesis as search, get_status and `lyra ask` answer it, and a verdict that a search changed."""

from typing import TYPE_CHECKING

from lyra.answers.answer import Output, Rounded3
from lyra.evidence.interval import credible_interval
from lyra.text import preview

if TYPE_CHECKING:
    from lyra.model.claim import AssessedClaim, VerdictChange

_TEXT_CHARS = 240


class HypothesisRow(Output):
    """`interval` holds the confidence with a probability of 95 %; the text is cut where it is long."""

    id: str
    text: str
    verdict: str
    confidence: Rounded3
    interval: list[Rounded3]
    supporting_count: int
    refuting_count: int
    independent_sources: int

    @classmethod
    def from_claim(cls, found: "AssessedClaim", max_chars: int = _TEXT_CHARS) -> "HypothesisRow":
        assessment, evidence = found.assessment, found.assessment.evidence
        return cls(
            id=found.claim.id,
            text=preview(found.claim.claim_text, max_chars),
            verdict=assessment.verdict.value,
            confidence=evidence.confidence,
            interval=list(credible_interval(evidence.alpha, evidence.beta)),
            supporting_count=evidence.supporting_count,
            refuting_count=evidence.refuting_count,
            independent_sources=assessment.independent_sources,
        )


class VerdictChangeRow(Output):
    id: str
    verdict_before: str
    verdict_after: str

    @classmethod
    def from_change(cls, change: "VerdictChange") -> "VerdictChangeRow":
        return cls(id=change.claim_id, verdict_before=change.before.value, verdict_after=change.after.value)
