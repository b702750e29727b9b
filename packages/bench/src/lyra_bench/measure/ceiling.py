"""What verdicts would be if the readers had read the planted texts as planted: what is theirs, and what is not.

Rows of a stored graph get the planted stance, and who only retells what was retracted or corrected loses its vote by
the product's own rules. Who is one source with whom stays as it was found for what was judged: these are lower bounds.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from lyra.evidence.assess import assess
from lyra.evidence.retractions import retells_corrected, retells_retracted
from lyra.model.claim import Assessment, RefutationStatus
from lyra.model.edge import EvidenceRow, NoVote, Relation
from lyra_bench.measure.measures import Share
from lyra_bench.planted import Ground, Row, plain
from simweb.truth import Truth

# The probability of a stance that is put in.
_READ_RIGHTLY = 0.9
_NEUTRAL = Relation.NEUTRAL
_RETELLINGS = (NoVote.RETELLS_RETRACTED, NoVote.RETELLS_CORRECTED)


def acceptable_if_read_as_planted(
    truth: Truth,
    rows: Sequence[EvidenceRow],
    fragments: Mapping[str, Row],
    hypotheses: Mapping[str, str],
    judged: Mapping[str, Assessment],
    joined: Sequence[Collection[str]],
) -> dict[str, Share]:
    """Acceptable verdicts with every stance as planted (`all`), with the missed ones alone put in (`missed`), and with
    the wrong ones alone put right (`wrong`); `fragments` and `judged` by id, of fragment and of claim."""
    ground, language = Ground(truth), next(iter(truth.question))
    texts = {fragment_id: str(one["text"]) for fragment_id, one in fragments.items()}
    found = {"all": Share(0, 0), "missed": Share(0, 0), "wrong": Share(0, 0)}
    for name, claim_id in hypotheses.items():
        own = [row for row in rows if row.claim_id == claim_id]
        sides = [planted_sides(ground, fragments[row.fragment_id], name) for row in own]
        was_sought = judged[claim_id].refutation_status is not RefutationStatus.NOT_SEARCHED
        for which in found:
            put = [as_planted(row, said, which) for row, said in zip(own, sides, strict=True)]
            put = with_retellings(truth.claim(name).text[language], put, texts)
            verdict = assess(claim_id, put, refute_search_ended=was_sought, joined_pages=joined).verdict
            found[which] += Share(int(verdict.value in truth.claim(name).acceptable_verdicts), 1)
    return found


def with_retellings(claim: str, rows: Sequence[EvidenceRow], texts: Mapping[str, str]) -> list[EvidenceRow]:
    """The rows of a claim with the votes that its texts have when those that only retell are found anew."""
    bare = [replace(row, no_vote="") if row.no_vote in _RETELLINGS else row for row in rows]
    reasons = dict.fromkeys(retells_corrected(claim, bare, texts), NoVote.RETELLS_CORRECTED)
    reasons |= dict.fromkeys(retells_retracted(claim, bare, texts), NoVote.RETELLS_RETRACTED)
    return [
        replace(row, no_vote=reasons[row.fragment_id]) if row.fragment_id in reasons and not row.no_vote else row
        for row in bare
    ]


def planted_sides(ground: Ground, fragment: Row, name: str) -> frozenset[str]:
    """The sides that a fragment takes of a planted claim, by its sentences and its rows of tables."""
    sides = {side for claim, side, _ in ground.held_by(fragment) if claim.id == name}
    text = plain(str(fragment["text"]))
    rows = (one for one in ground.truth.table_rows if one.claim == name and one.url == fragment["url"])
    return frozenset(sides | {one.side for one in rows if plain(one.quote) in text})


def as_planted(row: EvidenceRow, sides: Collection[str], which: str) -> EvidenceRow:
    """The row with the planted stance; as it is where its text takes both sides, or where `which` leaves it."""
    if len(sides) > 1:
        return row
    planted = Relation(next(iter(sides), _NEUTRAL.value))
    is_missed = row.relation is _NEUTRAL and planted is not _NEUTRAL
    if planted is row.relation or (which == "missed" and not is_missed) or (which == "wrong" and is_missed):
        return row
    return replace(row, relation=planted, nli_confidence=_READ_RIGHTLY)
