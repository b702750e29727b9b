"""What a user of a graph meets first, beside what was planted: verdicts, stances, contradictions, sources.

Each figure is a share with its counts, so that languages and topics can be added up. A **stance** is known of a
hypothesis and a fragment that was read where the fragment holds a planted quote on it, a lookalike of one, or quotes of
unrelated claims alone; the last two say nothing of it. One that should have been found and was never judged is missed.
A **contradiction** is real where both its sides hold planted quotes that contradict each other; that is a lower bound,
for pages say more than was planted.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from lyra.model.edge import EvidenceRow
from lyra.text import is_japanese
from lyra.translate import say
from lyra_bench.measure.measures import Share, is_related
from lyra_bench.planted import NEUTRAL, REFUTES, SUPPORTS, Ground, Row, plain

_NOTHING = Share(0, 0)
_OPPOSITE = {SUPPORTS: REFUTES, REFUTES: SUPPORTS}


@dataclass(frozen=True, slots=True)
class Leading:
    """The figures, in the order in which they are shown."""

    verdicts_acceptable: Share = _NOTHING
    asserted_though_false: Share = _NOTHING
    true_and_asserted: Share = _NOTHING
    stance_precision: Share = _NOTHING
    stance_recall: Share = _NOTHING
    contradictions_real: Share = _NOTHING
    independent_sources_exact_as_judged: Share = _NOTHING

    def __add__(self, other: "Leading") -> "Leading":
        return Leading(**{name: self.share(name) + other.share(name) for name in FIGURES})

    def share(self, name: str) -> Share:
        """The figure of that name."""
        found = getattr(self, name)
        assert isinstance(found, Share)
        return found


# Each figure in words, and what it should be.
_WORDS = (
    "verdicts acceptable",
    "asserted though false",
    "true and asserted",
    "stances given that are right",
    "stances found",
    "contradictions shown that are real",
    "independent sources as judged, exact",
)
_AIMS = ("≥ 85 %", "0", "≥ 70 %", "≥ 85 %", "≥ 60 %", "≥ 85 %", "≥ 80 %")
FIGURES = tuple(one.name for one in fields(Leading))


def total(found: Iterable[Leading]) -> Leading:
    """All of them together."""
    return sum(found, Leading())


def shown_share(share: Share) -> str:
    """A share for people: how many of how many, and the percentage."""
    return "–" if share.value is None else f"{share.part}/{share.whole} ({share.value:.0%})"


def table_rows(columns: Sequence[Leading]) -> list[tuple[str, ...]]:
    """A line for each figure: its words, its aim, and a cell for each column."""
    figures = zip(FIGURES, map(say, _WORDS), _AIMS, strict=True)
    return [(words, aim, *(shown_share(one.share(name)) for one in columns)) for name, words, aim in figures]


@dataclass(frozen=True, slots=True)
class KnownStance:
    """A stance that the truth file knows, with the one found; None where the pair was never judged."""

    language: str
    planted: str
    found: str | None


def known_stances(
    ground: Ground, hypotheses: Mapping[str, str], fragments: Iterable[Row], rows: Iterable[EvidenceRow]
) -> list[KnownStance]:
    """Every known stance of what was read, once for each hypothesis, page and quote."""
    judged = {(row.claim_id, row.fragment_id): row.relation.value for row in rows}
    known: dict[tuple[str, str, str], KnownStance] = {}
    for fragment in fragments:
        for name, quote, side in _told_by(ground, fragment, hypotheses):
            key = (name, str(fragment["url"]), quote)
            found = judged.get((hypotheses[name], str(fragment["id"])))
            if key not in known or known[key].found is None:
                known[key] = KnownStance("ja" if is_japanese(quote) else "en", side, found)
    return list(known.values())


def _told_by(ground: Ground, fragment: Row, names: Iterable[str]) -> Iterable[tuple[str, str, str]]:
    """Hypothesis, quote and side of all that a fragment is known to say, or to leave unsaid."""
    held = ground.held_by(fragment)
    text = plain(str(fragment["text"]))
    alike = [one for one in ground.truth.lookalikes if one.url == fragment["url"] and plain(one.quote) in text]
    for name in names:
        own = [(one.quote, side) for claim, side, one in held if claim.id == name]
        if own:
            yield from ((name, quote, side) for quote, side in own)
            continue
        silent = [one.quote for one in alike if one.claim == name]
        others = [] if any(is_related(name, claim.id) for claim, _, _ in held) else [one.quote for _, _, one in held]
        yield from ((name, quote, NEUTRAL) for quote in silent or others[:1])


def stance_shares(known: Iterable[KnownStance]) -> dict[str, Leading]:
    """By language: of the stances given, those that are right; of those that could be found, those that were."""
    found: dict[str, Leading] = {}
    for one in known:
        is_right = one.planted == one.found
        given = Share(int(is_right), 1) if one.found in _OPPOSITE else _NOTHING
        sought = Share(int(is_right), 1) if one.planted in _OPPOSITE else _NOTHING
        found[one.language] = found.get(one.language, Leading()) + Leading(stance_precision=given, stance_recall=sought)
    return found


def contradiction_shares(
    ground: Ground,
    stated: Mapping[str, Collection[tuple[str, str]]],
    languages: Mapping[str, str],
    fragments: Iterable[Row],
    rows: Iterable[EvidenceRow],
    shown: Collection[str],
) -> dict[str, Leading]:
    """By language: of the contradictions shown for claims that the truth file knows, those that are real.

    `stated` are the planted claims, with the side, that each claim's own words state; a hypothesis states itself.
    """
    held = {str(one["id"]): {(claim.id, side) for claim, side, _ in ground.held_by(one)} for one in fragments}
    sides: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for row in rows:
        sides.setdefault((row.claim_id, row.relation.value), set()).update(held.get(row.fragment_id, ()))
    found: dict[str, Leading] = {}
    for claim_id in (one for one in shown if stated.get(one)):
        is_real = any(
            (name, side) in sides.get((claim_id, SUPPORTS), ())
            and (name, _OPPOSITE[side]) in sides.get((claim_id, REFUTES), ())
            for name, side in stated[claim_id]
        )
        own = Leading(contradictions_real=Share(int(is_real), 1))
        found[languages[claim_id]] = found.get(languages[claim_id], Leading()) + own
    return found
