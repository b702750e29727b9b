"""What a task has found about a hypothesis: the best words on either side, and what is missing."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lyra.model.claim import AssessedClaim, RefutationStatus
from lyra.model.edge import Relation
from lyra.model.report import QuotedEvidence
from lyra.text import tokens

_BEST = 3


class Gap(StrEnum):
    """What a hypothesis lacks."""

    NO_EVIDENCE = "no_evidence"
    ONE_SOURCE = "one_source"
    NO_PRIMARY_SOURCE = "no_primary_source"
    NOT_REFUTED_YET = "not_refuted_yet"
    NO_REFUTATION = "no_refutation"
    RETRACTED = "retracted"


@dataclass(frozen=True, slots=True)
class Finding:
    """A hypothesis, its best quotes for and against, each from another source, what it lacks, and how many retracted
    works were found."""

    claim: AssessedClaim
    supports: tuple[QuotedEvidence, ...]
    refutes: tuple[QuotedEvidence, ...]
    missing: tuple[Gap, ...]
    retracted_count: int


def make_finding(
    claim: AssessedClaim, quoted: Sequence[QuotedEvidence], sources: Mapping[str, Collection[str]]
) -> Finding:
    """From a hypothesis, all that is quoted about it, the best first, and the independent sources of each page: several
    where the page speaks for several."""
    return Finding(
        claim=claim,
        supports=_best(quoted, Relation.SUPPORTS, sources),
        refutes=_best(quoted, Relation.REFUTES, sources),
        missing=tuple(_missing(claim, quoted)),
        retracted_count=len({one.page_id for one in quoted if one.is_retracted}),
    )


def _best(
    quoted: Iterable[QuotedEvidence], relation: Relation, sources: Mapping[str, Collection[str]]
) -> tuple[QuotedEvidence, ...]:
    """The first of each independent source, of each wording, and of pages of one title, such as a paper and its
    abstract."""
    found: list[QuotedEvidence] = []
    shown: set[tuple[str, ...]] = set()
    for one in quoted:
        if one.relation is not relation:
            continue
        unshown = sorted(name for name in sources.get(one.page_id, (one.page_id,)) if ("source", name) not in shown)
        told = {("title", one.title.strip().casefold() or one.page_id), ("words", *tokens(one.quote))}
        if unshown and not told & shown:
            found.append(one)
            shown |= {("source", unshown[0]), *told}
    return tuple(found[:_BEST])


def _missing(claim: AssessedClaim, quoted: Sequence[QuotedEvidence]) -> Iterator[Gap]:
    assessment = claim.assessment
    voting = [one for one in quoted if not one.no_vote]
    if not voting:
        yield Gap.NO_EVIDENCE
    elif assessment.evidence.supporting_count + assessment.evidence.refuting_count == 1:
        yield Gap.ONE_SOURCE
    if voting and not assessment.has_primary_source:
        yield Gap.NO_PRIMARY_SOURCE
    if assessment.refutation_status is RefutationStatus.NOT_SEARCHED:
        yield Gap.NOT_REFUTED_YET
    elif assessment.refutation_status is RefutationStatus.NONE_FOUND:
        yield Gap.NO_REFUTATION
    if any(one.is_retracted for one in quoted):
        yield Gap.RETRACTED
