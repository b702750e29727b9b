"""Figures of an Evidence Graph against the truth that was planted; pure rules over plain rows.

**Claim precision** asks of every claim that was found (the client's hypotheses are not found): is it one? Strictly,
only a claim one of whose mentions is a planted quote is; that is a lower bound, for a page says more true things than
were planted. Leniently, so is a whole declarative sentence of the main text of a page of the topic that shares two
words with what the topic is about; that is an upper bound, for no rule knows whether a sentence is worth checking.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lyra.claims.words import content_words
from lyra_bench.planted import NEUTRAL, REFUTES, SUPPORTS, Ground, Judged, Row, judged_pairs, plain

_SENTENCE_END = re.compile(r"[.!。！][\"'”’)\]」』）]*$")
_SHARED_WORDS = 2
_LEAST_CHARS = 12


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        return round(self.part / self.whole, 3) if self.whole else None

    def __add__(self, other: "Share") -> "Share":
        return Share(self.part + other.part, self.whole + other.whole)


@dataclass(frozen=True, slots=True)
class F1:
    """Scores of each class, and their mean over the classes that were planted."""

    per_class: Mapping[str, float]
    pairs: int

    @property
    def macro(self) -> float | None:
        return round(sum(self.per_class.values()) / len(self.per_class), 3) if self.per_class else None


def strict_precision(ground: Ground, mentions: Mapping[str, Sequence[Row]]) -> Share:
    """Claims one of whose mentions is a planted quote; `mentions` are those of each claim found."""
    hits = sum(1 for found in mentions.values() if any(ground.stated_by(one) for one in found))
    return Share(hits, len(mentions))


def lenient_precision(ground: Ground, mentions: Mapping[str, Sequence[Row]], texts: Mapping[str, str]) -> Share:
    """Claims that are stated strictly, or by a sentence of the main text (`texts`, by address or work) on the topic."""
    words = _vocabulary(ground)
    hits = sum(
        1
        for found in mentions.values()
        if any(ground.stated_by(one) or is_acceptable(one, texts, ground.truth.no_claims, words) for one in found)
    )
    return Share(hits, len(mentions))


def is_acceptable(mention: Row, texts: Mapping[str, str], no_claims: Collection[str], words: frozenset[str]) -> bool:
    """Whether a mention is a declarative sentence of a topical page's main text that speaks of the topic."""
    quote = plain(str(mention["quote"]))
    if mention["url"] in no_claims or len(quote) < _LEAST_CHARS or not _SENTENCE_END.search(quote):
        return False
    places = [str(mention[name]) for name in ("url", "work_id") if mention.get(name)]
    is_main_text = any(quote in texts.get(place, "") for place in places)
    return is_main_text and len(content_words(quote) & words) >= _SHARED_WORDS


def _vocabulary(ground: Ground) -> frozenset[str]:
    truth = ground.truth
    said = [*truth.question.values(), *(text for claim in truth.claims for text in claim.text.values())]
    return frozenset().union(*map(content_words, said))


def recall(ground: Ground, mentions: Iterable[Row]) -> Share:
    """Planted claims, less those that only unreachable pages state, of which a supporting quote became a mention."""
    reachable = {
        claim.id
        for claim in ground.truth.claims
        if any(one.url not in ground.truth.unreachable for one in claim.supports)
    }
    stated = {claim.id for one in mentions for claim, side in ground.stated_by(one) if side == SUPPORTS}
    return Share(len(stated & reachable), len(reachable))


def quote_recall(ground: Ground, fragments: Iterable[Row], mentions: Iterable[Row]) -> Share:
    """Of the planted quotes on fragments that were read, those that became a mention of some claim."""
    read = {(str(one["url"]), found.quote) for one in fragments for _, _, found in ground.held_by(one)}
    stated = {
        (str(one["url"]), found.quote)
        for one in mentions
        for _, _, found in ground.at(one)
        if plain(found.quote) in plain(str(one["quote"])) or plain(str(one["quote"])) in plain(found.quote)
    }
    return Share(len(read & stated), len(read))


def stance_f1(ground: Ground, hypotheses: Mapping[str, str], edges: Sequence[Row]) -> F1:
    """On planted pairs of hypothesis and quote that were judged: supports and refutes; neutral is always a miss."""
    return _f1(list(judged_pairs(ground, hypotheses, edges)), (SUPPORTS, REFUTES))


def stance_f1_with_neutrals(ground: Ground, hypotheses: Mapping[str, str], edges: Sequence[Row]) -> F1:
    """The same, and besides fragments that hold only quotes of unrelated claims, which are neutral.

    Planted claims are related when their ids share a word (insulin-hypo and hypo-alone); what a fragment with related
    quotes says of a hypothesis was not planted, so it is left out.
    """
    named = {claim_id: name for name, claim_id in hypotheses.items()}
    neutral = []
    for row in edges:
        name = named.get(str(row["claim_id"]))
        held = [claim.id for claim, _, _ in ground.held_by(row)] if name else []
        if name and held and not any(is_related(name, other) for other in held):
            neutral.append(Judged(name, str(row["url"]), NEUTRAL, str(row["relation"])))
    return _f1([*judged_pairs(ground, hypotheses, edges), *neutral], (SUPPORTS, REFUTES, NEUTRAL))


def is_related(one: str, other: str) -> bool:
    """Whether two planted claims share a word of their ids."""
    return bool(set(one.split("-")) & set(other.split("-")))


def _f1(pairs: Sequence[Judged], classes: Sequence[str]) -> F1:
    scores = {}
    for name in classes:
        planted = sum(1 for pair in pairs if pair.planted == name)
        found = sum(1 for pair in pairs if pair.found == name)
        both = sum(1 for pair in pairs if pair.planted == name == pair.found)
        if planted:
            scores[name] = round(2 * both / (planted + found), 3)
    return F1(scores, len(pairs))


def groups_found(
    planted: Iterable[Collection[str]], read: Collection[str], found: Sequence[Collection[str]], *, least: int = 2
) -> Share:
    """Planted groups of which at least `least` pages were read, all of whose read pages lie in one group found."""
    met = [members for group in planted if len(members := set(group) & set(read)) >= least]
    return Share(sum(1 for members in met if any(members <= set(group) for group in found)), len(met))


def false_groups(planted: Sequence[Collection[str]], found: Sequence[Collection[str]]) -> Share:
    """Groups found that hold a page of no planted group, or pages of two."""
    false = [group for group in found if not any(set(group) <= set(known) for known in planted)]
    return Share(len(false), len(found))


def contradictions_found(
    ground: Ground, hypotheses: Mapping[str, str], read: Iterable[Row], shown: Collection[str]
) -> Share:
    """Contested hypotheses of which quotes of both sides were read, that the graph shows with both sides."""
    sides: dict[str, set[str]] = {}
    for fragment in read:
        for claim, side, _ in ground.held_by(fragment):
            sides.setdefault(claim.id, set()).add(side)
    contested = [name for name in hypotheses if len(sides.get(name, ())) == 2]
    return Share(sum(1 for name in contested if hypotheses[name] in shown), len(contested))


def false_contradictions(
    ground: Ground, hypotheses: Mapping[str, str], mentions: Mapping[str, Sequence[Row]], shown: Collection[str]
) -> Share:
    """Of the contradictions shown for hypotheses and for claims that state a planted one: those nobody planted."""
    names = {claim_id: {name} for name, claim_id in hypotheses.items()}
    for claim_id, found in mentions.items():
        stated = {claim.id for one in found for claim, _ in ground.stated_by(one)}
        names.setdefault(claim_id, set()).update(stated)
    known = [claim_id for claim_id in shown if names.get(claim_id)]
    false = [one for one in known if not any(ground.truth.claim(name).is_contested for name in names[one])]
    return Share(len(false), len(known))
