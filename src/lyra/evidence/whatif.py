"""What if: claims without a withdrawn source, and what a review of an edge could change. Nothing is stored."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lyra.evidence.independence import MISSING_SCORE, eligible_rows, sources_of, text_key, voting_rows
from lyra.model.claim import Assessment, SourceDependence, Verdict
from lyra.model.edge import REVIEWED_PROBABILITY, EvidenceRow, Relation, ReviewRow

AssessFunction = Callable[[str, Sequence[EvidenceRow]], Assessment]


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Sources that are left out: whole domains (registrable), works by their canonical id, single pages by their id."""

    domains: frozenset[str] = frozenset()
    works: frozenset[str] = frozenset()
    pages: frozenset[str] = frozenset()

    def covers(self, row: EvidenceRow) -> bool:
        return row.domain in self.domains or row.work_id in self.works or row.page_id in self.pages


@dataclass(frozen=True, slots=True)
class ClaimChange:
    """One claim with all its evidence and without what was withdrawn.

    `supports_withdrawn` and `refutes_withdrawn` count stances that may vote; `copies_left` those of the withdrawn texts
    that other sites still hold in nearly the same words: a copy stays when its source is withdrawn.
    """

    claim_id: str
    before: Assessment
    after: Assessment
    supports_withdrawn: int
    refutes_withdrawn: int
    copies_left: int

    @property
    def is_decisive(self) -> bool:
        """Whether the verdict, the verification or the adoption would be another one."""
        return _outcome(self.before) != _outcome(self.after)


def withdraw(rows: Iterable[EvidenceRow], withdrawal: Withdrawal, assess: AssessFunction) -> tuple[ClaimChange, ...]:
    """The claims that a voting stance of the withdrawn sources is about; those that would change first, then by id."""
    changes = []
    for claim_id, found in group_by_claim(rows).items():
        withdrawn = [row for row in found if withdrawal.covers(row)]
        left = [row for row in found if not withdrawal.covers(row)]
        if any(row.relation is not Relation.NEUTRAL for row in withdrawn):
            changes.append(_change(withdrawn, left, assess(claim_id, found), assess(claim_id, left)))
    return tuple(sorted(changes, key=lambda one: (not one.is_decisive, one.claim_id)))


def dependences(
    claim_id: str, rows: Sequence[EvidenceRow], joined_pages: Iterable[Collection[str]], assess: AssessFunction
) -> tuple[SourceDependence, ...]:
    """Every independent source that takes a stance on the claim, with the claim's assessment without it."""
    rows = [row for row in rows if not row.no_vote]
    sources = sources_of(rows, joined_pages)
    voters = {id(row) for row in voting_rows(rows) if row.relation is not Relation.NEUTRAL}
    with_stance = {sources[at].group for at, row in enumerate(rows) if id(row) in voters}
    found = []
    for name in sorted(with_stance):
        own = [row for at, row in enumerate(rows) if sources[at].group == name]
        left = [row for at, row in enumerate(rows) if sources[at].group != name]
        members = {sources[at].key for at, row in enumerate(rows) if sources[at].group == name}
        found.append(
            SourceDependence(
                claim_id=claim_id,
                source=name,
                members=tuple(sorted(members)),
                supports=_count(eligible_rows(own), Relation.SUPPORTS),
                refutes=_count(eligible_rows(own), Relation.REFUTES),
                without=assess(claim_id, left),
            )
        )
    return tuple(found)


def group_by_claim(rows: Iterable[EvidenceRow]) -> Mapping[str, list[EvidenceRow]]:
    """The rows of each claim, in the order given."""
    grouped: dict[str, list[EvidenceRow]] = {}
    for row in rows:
        grouped.setdefault(row.claim_id, []).append(row)
    return grouped


def _change(
    withdrawn: Sequence[EvidenceRow], left: Sequence[EvidenceRow], before: Assessment, after: Assessment
) -> ClaimChange:
    withdrawn, left = eligible_rows(withdrawn), eligible_rows(left)
    texts = {text_key(row) for row in withdrawn if row.relation is not Relation.NEUTRAL}
    return ClaimChange(
        claim_id=before.claim_id,
        before=before,
        after=after,
        supports_withdrawn=_count(withdrawn, Relation.SUPPORTS),
        refutes_withdrawn=_count(withdrawn, Relation.REFUTES),
        copies_left=sum(
            1 for row in left if text_key(row) in texts and row.relation is not Relation.NEUTRAL and not row.no_vote
        ),
    )


def _count(rows: Iterable[EvidenceRow], relation: Relation) -> int:
    """Stances that vote; what has no vote takes nothing away."""
    return sum(1 for row in rows if row.relation is relation and not row.no_vote)


def _outcome(assessment: Assessment) -> tuple[str, str, str]:
    return assessment.verdict, assessment.verification_status, assessment.adoption_status


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
        shown = _edge_to_review([rows[at] for at in places])
        found.append(
            ReviewRow(
                claim_id=claim_id,
                source=source,
                relation=relation,
                fragment_id=shown.fragment_id,
                edges=len(places),
                probability=_score(shown),
                turns_verdict=any(
                    assess(claim_id, _with_relation(rows, places, other)).verdict is not verdict
                    for other in RELATIONS
                    if other is not relation
                ),
            )
        )
    return tuple(found)


def _edge_to_review(rows: Sequence[EvidenceRow]) -> EvidenceRow:
    """Of stances the strongest, which is the source's vote; of neutral texts the least sure, which may be a stance."""
    ordered = sorted(rows, key=lambda row: (_score(row), row.fragment_id))
    return ordered[0] if rows[0].relation is Relation.NEUTRAL else ordered[-1]


def _with_relation(rows: Sequence[EvidenceRow], places: Collection[int], relation: Relation) -> list[EvidenceRow]:
    """The rows as they would be had these been reviewed as the other relation."""
    changed = list(rows)
    for at in places:
        changed[at] = replace(rows[at], relation=relation, nli_confidence=REVIEWED_PROBABILITY)
    return changed


def _score(row: EvidenceRow) -> float:
    return MISSING_SCORE if row.nli_confidence is None else row.nli_confidence
