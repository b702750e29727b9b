"""The Beta update of SPEC §1 decision 3, and the verdict of decision 4. Trust is no argument here."""

from collections.abc import Iterable
from math import fsum, sqrt

from lyra.model.claim import CONTESTED_ABOVE, ROUNDING_ERROR, Confidence, Verdict
from lyra.model.edge import Relation

MISSING_SCORE = 0.5
WELL_SUPPORTED_FROM = 0.75
SUPPORTED_FROM = 0.6
LIKELY_FALSE_UNTIL = 0.4


def beta_update(votes: Iterable[tuple[Relation, float | None]]) -> Confidence:
    """Beta(1,1) updated by votes; a vote is a relation and its calibrated probability (missing: 0.5).

    The sums are exact, so that the order of the votes cannot show in any digit.
    """
    cast = [(relation, MISSING_SCORE if score is None else score) for relation, score in votes]
    supports = [score for relation, score in cast if relation is Relation.SUPPORTS]
    refutes = [score for relation, score in cast if relation is Relation.REFUTES]
    support, refutation = fsum(supports), fsum(refutes)
    alpha, beta = 1.0 + support, 1.0 + refutation
    total = alpha + beta
    return Confidence(
        alpha=alpha,
        beta=beta,
        confidence=alpha / total,
        uncertainty=sqrt(alpha * beta / (total**2 * (total + 1))),
        controversy=_controversy(support, refutation),
        supporting_count=len(supports),
        refuting_count=len(refutes),
        neutral_count=sum(1 for relation, _ in cast if relation is Relation.NEUTRAL),
    )


def _controversy(support: float, refutation: float) -> float:
    """The smaller side's share of the evidence, 0 without any."""
    total = support + refutation
    return min(support, refutation) / total if total > 0 else 0.0


def verdict_of(evidence: Confidence) -> Verdict:
    """The verdict, from unrounded values."""
    if evidence.controversy > CONTESTED_ABOVE:
        return Verdict.CONTESTED
    if evidence.confidence >= WELL_SUPPORTED_FROM - ROUNDING_ERROR:
        return Verdict.WELL_SUPPORTED
    if evidence.confidence >= SUPPORTED_FROM - ROUNDING_ERROR:
        return Verdict.SUPPORTED
    if evidence.confidence <= LIKELY_FALSE_UNTIL + ROUNDING_ERROR:
        return Verdict.LIKELY_FALSE
    return Verdict.UNVERIFIED
