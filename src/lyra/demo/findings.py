"""What a session found, laid beside what was planted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simweb.truth import Claim as Planted
from simweb.truth import Truth


@dataclass(frozen=True, slots=True)
class Judged:
    """A stance that was planted and judged: does this page support or refute this claim?"""

    claim_id: str
    url: str
    planted: str
    found: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the session's graph compares with the truth file."""

    planted: int
    stated: int
    judged: tuple[Judged, ...]
    contested: tuple[str, ...]
    contested_found: tuple[str, ...]
    claims_from_empty_pages: int

    @property
    def agreeing(self) -> int:
        return sum(1 for one in self.judged if one.planted == one.found)

    @property
    def opposite(self) -> int:
        """Support read as refutation or the reverse: the mistake that matters most."""
        return sum(1 for one in self.judged if {one.planted, one.found} == {"supports", "refutes"})


def compare(
    truth: Truth,
    mentions: Iterable[Mapping[str, Any]],
    hypotheses: Mapping[str, str],
    edges: Sequence[Mapping[str, Any]],
    contradictions: Iterable[str],
) -> Comparison:
    """Compare by exact words: a planted claim is stated where one of its quotes is a mention.

    `hypotheses` maps a planted claim's id to the graph's claim; `edges` are rows `claim_id url quote text relation`.
    """
    said = [(str(row["url"]), str(row["quote"])) for row in mentions]
    stated = [one for one in truth.claims if _is_stated(one, said)]
    contested = tuple(one.id for one in truth.claims if one.is_contested and one.id in hypotheses)
    found = set(contradictions)
    return Comparison(
        planted=len(truth.claims),
        stated=len(stated),
        judged=tuple(_judged(truth, hypotheses, edges)),
        contested=contested,
        contested_found=tuple(one for one in contested if hypotheses[one] in found),
        claims_from_empty_pages=sum(1 for url, _ in said if url in truth.no_claims),
    )


def _is_stated(planted: Planted, said: Sequence[tuple[str, str]]) -> bool:
    wanted = {(one.url, one.quote) for one in (*planted.supports, *planted.refutes)}
    return any((url, quote) in wanted for url, quote in said)


def _judged(truth: Truth, hypotheses: Mapping[str, str], edges: Sequence[Mapping[str, Any]]) -> Iterable[Judged]:
    """Planted stances towards the hypotheses for which the fragment that holds the quote was judged."""
    for planted_id, claim_id in hypotheses.items():
        planted = truth.claim(planted_id)
        rows = [row for row in edges if row["claim_id"] == claim_id]
        for relation, evidence in (("supports", planted.supports), ("refutes", planted.refutes)):
            for one in evidence:
                found = [row for row in rows if row["url"] == one.url and one.quote in str(row["text"])]
                if found:
                    yield Judged(planted_id, one.url, relation, str(found[0]["relation"]))
