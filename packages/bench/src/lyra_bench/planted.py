"""What a session found on the simulated web, laid beside what was planted there: the one comparison for all who ask.

A planted quote lies where its page does, or on any page that presents the same work: a paper is read by its abstract at
another address than the journal's.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simweb.truth import Claim as Planted
from simweb.truth import Evidence, Truth

SUPPORTS, REFUTES, NEUTRAL = "supports", "refutes", "neutral"
Row = Mapping[str, Any]


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
        return sum(1 for one in self.judged if {one.planted, one.found} == {SUPPORTS, REFUTES})


class Ground:
    """The planted quotes of a truth file, by where they can be read."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self._by_place: dict[str, list[tuple[Planted, str, Evidence]]] = {}
        for claim in truth.claims:
            for relation, found in ((SUPPORTS, claim.supports), (REFUTES, claim.refutes)):
                for one in found:
                    for place in {one.url, one.source} if one.source.startswith("doi:") else {one.url}:
                        self._by_place.setdefault(place, []).append((claim, relation, one))

    def at(self, row: Row) -> list[tuple[Planted, str, Evidence]]:
        """Claim, relation and evidence of every quote planted where a row (`url`, `work_id`) comes from."""
        places = dict.fromkeys(str(row[name]) for name in ("url", "work_id") if row.get(name))
        found = [one for place in places for one in self._by_place.get(place, ())]
        return list({(claim.id, relation, one): (claim, relation, one) for claim, relation, one in found}.values())

    def stated_by(self, mention: Row) -> list[tuple[Planted, str]]:
        """The planted claims, and their side, whose words a mention's `quote` is."""
        return [
            (claim, relation) for claim, relation, one in self.at(mention) if overlaps(one.quote, str(mention["quote"]))
        ]

    def held_by(self, fragment: Row) -> list[tuple[Planted, str, Evidence]]:
        """The planted quotes that a fragment's `text` holds."""
        text = plain(str(fragment["text"]))
        return [found for found in self.at(fragment) if plain(found[2].quote) in text]


def plain(text: str) -> str:
    """Without differences of white space."""
    return " ".join(text.split())


def overlaps(one: str, other: str) -> bool:
    """Whether one text holds the other: a mention may be the sentence, a part of it, or more than it."""
    first, second = plain(one), plain(other)
    return first in second or second in first


def compare(
    truth: Truth,
    mentions: Iterable[Row],
    hypotheses: Mapping[str, str],
    edges: Sequence[Row],
    contradictions: Iterable[str],
) -> Comparison:
    """The figures of a session. `hypotheses` maps a planted claim's id to the graph's claim.

    Mentions are rows `url work_id quote`, edges `claim_id url work_id text relation`.
    """
    ground, said = Ground(truth), list(mentions)
    stated = {claim.id for mention in said for claim, _ in ground.stated_by(mention)}
    contested = tuple(one.id for one in truth.claims if one.is_contested and one.id in hypotheses)
    found = set(contradictions)
    return Comparison(
        planted=len(truth.claims),
        stated=len(stated),
        judged=tuple(judged_pairs(ground, hypotheses, edges)),
        contested=contested,
        contested_found=tuple(one for one in contested if hypotheses[one] in found),
        claims_from_empty_pages=sum(1 for mention in said if mention["url"] in truth.no_claims),
    )


def judged_pairs(ground: Ground, hypotheses: Mapping[str, str], edges: Iterable[Row]) -> Iterable[Judged]:
    """Planted stances towards the hypotheses, once for each quote and page, where the fragment that holds the quote
    was judged."""
    named = {claim_id: name for name, claim_id in hypotheses.items()}
    seen: set[tuple[str, str, str]] = set()
    for row in edges:
        name = named.get(str(row["claim_id"]))
        for claim, relation, one in ground.held_by(row) if name else ():
            key = (str(row["claim_id"]), str(row["url"]), one.quote)
            if claim.id == name and key not in seen:
                seen.add(key)
                yield Judged(name, str(row["url"]), relation, str(row["relation"]))
