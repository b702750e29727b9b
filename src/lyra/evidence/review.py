"""What to review: for every claim, source and relation, whether another relation would turn the verdict. Pure."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from lyra.evidence.confidence import MISSING_SCORE
from lyra.evidence.independence import sources_of
from lyra.evidence.whatif import AssessFunction
from lyra.model.claim import Verdict
from lyra.model.edge import REVIEWED_PROBABILITY, EvidenceRow, Relation, ReviewRow

RELATIONS = (Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL)


def review_rows(
    claim_id: str,
    rows: Sequence[EvidenceRow],
    joined_pages: Iterable[Collection[str]],
    assess: AssessFunction,
    reviewed: Collection[str] = (),
) -> tuple[ReviewRow, ...]:
    """What is left to review of one claim; `reviewed` are the fragments whose edge with it has been. What has no vote
    needs no review: it would not get one back."""
    sources = sources_of(rows, joined_pages)
    groups: dict[tuple[str, Relation], list[int]] = {}
    for at, row in enumerate(rows):
        if row.fragment_id not in reviewed and not row.no_vote:
            groups.setdefault((sources[at].group, row.relation), []).append(at)
    verdict = assess(claim_id, rows).verdict if groups else Verdict.UNVERIFIED
    found = []
    for (source, relation), places in sorted(groups.items()):
        shown = _to_look_at([rows[at] for at in places])
        found.append(
            ReviewRow(
                claim_id=claim_id,
                source=source,
                relation=relation,
                fragment_id=shown.fragment_id,
                edges=len(places),
                probability=_score(shown),
                turns_verdict=any(
                    assess(claim_id, _with(rows, places, other)).verdict is not verdict
                    for other in RELATIONS
                    if other is not relation
                ),
            )
        )
    return tuple(found)


def _to_look_at(rows: Sequence[EvidenceRow]) -> EvidenceRow:
    """Of stances the strongest, which is the source's vote; of neutral texts the least sure, which may be a stance."""
    ordered = sorted(rows, key=lambda row: (_score(row), row.fragment_id))
    return ordered[0] if rows[0].relation is Relation.NEUTRAL else ordered[-1]


def _with(rows: Sequence[EvidenceRow], places: Collection[int], relation: Relation) -> list[EvidenceRow]:
    """The rows as they would be had these been reviewed as the other relation."""
    changed = list(rows)
    for at in places:
        changed[at] = replace(rows[at], relation=relation, nli_confidence=REVIEWED_PROBABILITY)
    return changed


def _score(row: EvidenceRow) -> float:
    return MISSING_SCORE if row.nli_confidence is None else row.nli_confidence
