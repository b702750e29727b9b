"""How two graphs of one task differ, claim by claim: verdicts, figures, and the stances behind them. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lyra.model.task_evidence import EvidenceClaim, EvidenceEdge, TaskEvidence

_PREVIEW_CHARS = 240
_PLACES = 4
# A text that took no side before and one that was not judged against the claim.
NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class StanceChange:
    """A text that speaks of the claim otherwise than before."""

    url: str
    text: str
    before: str
    after: str
    confidence_before: float | None
    confidence_after: float | None


@dataclass(frozen=True, slots=True)
class ClaimDifference:
    """A claim whose verdict, figures or stances are others; `before` or `after` is None where the claim is absent."""

    claim: str
    is_hypothesis: bool
    before: EvidenceClaim | None
    after: EvidenceClaim | None
    stances: tuple[StanceChange, ...]

    @property
    def has_other_verdict(self) -> bool:
        return self.before is not None and self.after is not None and self.before.verdict != self.after.verdict


@dataclass(frozen=True, slots=True)
class GraphDifference:
    """All claims that differ, hypotheses first; `claims` counts those on either side."""

    claims: int
    changed: tuple[ClaimDifference, ...]

    @property
    def verdicts_changed(self) -> int:
        return sum(one.has_other_verdict for one in self.changed)

    @property
    def stances_changed(self) -> int:
        return sum(len(one.stances) for one in self.changed)


def compare_graphs(before: TaskEvidence, after: TaskEvidence) -> GraphDifference:
    """Claims are matched by their words, stances by the address and the words of the text."""
    old, new = ({one.text: one for one in graph.claims} for graph in (before, after))
    old_edges, new_edges = _edges_by_claim(before), _edges_by_claim(after)
    found = [
        ClaimDifference(
            text,
            (old.get(text) or new[text]).is_hypothesis,
            old.get(text),
            new.get(text),
            _stance_changes(old_edges.get(text, {}), new_edges.get(text, {})),
        )
        for text in {**old, **new}
    ]
    changed = [one for one in found if one.stances or _figures(one.before) != _figures(one.after)]
    changed.sort(key=lambda one: (not one.is_hypothesis, not one.has_other_verdict, one.claim))
    return GraphDifference(len(found), tuple(changed))


Place = tuple[str, str]


def _edges_by_claim(graph: TaskEvidence) -> dict[str, dict[Place, EvidenceEdge]]:
    addresses = {page.id: page.url for page in graph.pages}
    places = {one.id: (addresses[one.page_id], one.text) for one in graph.fragments}
    words = {one.id: one.text for one in graph.claims}
    found: dict[str, dict[Place, EvidenceEdge]] = {}
    for edge in graph.edges:
        found.setdefault(words[edge.claim_id], {})[places[edge.fragment_id]] = edge
    return found


def _stance_changes(old: Mapping[Place, EvidenceEdge], new: Mapping[Place, EvidenceEdge]) -> tuple[StanceChange, ...]:
    changes = [_stance_change(place, old.get(place), new.get(place)) for place in sorted({*old, *new})]
    return tuple(one for one in changes if one.before != one.after and {one.before, one.after} != _SILENT)


_SILENT = {"neutral", NOT_JUDGED}


def _stance_change(place: Place, before: EvidenceEdge | None, after: EvidenceEdge | None) -> StanceChange:
    return StanceChange(
        place[0],
        place[1][:_PREVIEW_CHARS],
        before.relation if before else NOT_JUDGED,
        after.relation if after else NOT_JUDGED,
        _rounded(before.nli_confidence) if before else None,
        _rounded(after.nli_confidence) if after else None,
    )


def _figures(claim: EvidenceClaim | None) -> dict[str, Any] | None:
    """What is compared of a claim: its verdict and what it rests on."""
    if claim is None:
        return None
    return {
        "verdict": claim.verdict,
        "confidence": _rounded(claim.confidence),
        "supporting_count": claim.supporting_count,
        "refuting_count": claim.refuting_count,
        "independent_sources": claim.independent_sources,
        "verification_status": claim.verification_status,
        "adoption_status": claim.adoption_status,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _PLACES)


def difference_fields(found: GraphDifference) -> dict[str, Any]:
    """The difference as plain data."""
    return {
        "claims": found.claims,
        "claims_changed": len(found.changed),
        "verdicts_changed": found.verdicts_changed,
        "stances_changed": found.stances_changed,
        "changes": list(_change_fields(found.changed)),
    }


def _change_fields(changed: Iterable[ClaimDifference]) -> Iterable[dict[str, Any]]:
    for one in changed:
        yield {
            "claim": one.claim,
            "is_hypothesis": one.is_hypothesis,
            "before": _figures(one.before),
            "after": _figures(one.after),
            "stances": [asdict(stance) for stance in one.stances],
        }
