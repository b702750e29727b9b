"""All that a report is made of, read once, and the data of its figures. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from lyra.evidence.independence import source_key, voting_rows
from lyra.evidence.timeline import ClaimTimeline
from lyra.evidence.whatif import group_by_claim
from lyra.model.claim import ClaimSource
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.report import CitedSource, QuotedEvidence, ReportClaim, ReviewProgress
from lyra.model.search import Search
from lyra.model.task import Task
from lyra.model.trust import TrustLevel
from lyra.report.figures import (
    ClaimGraph,
    EvidenceOverTime,
    GraphSource,
    HypothesisStance,
    ReviewCurve,
    ReviewPoint,
    SourceGroup,
    SourceGroups,
    StanceBars,
    YearOfEvidence,
)
from lyra.report.wording import SourceFacts, capitalised, confidence_range, trust_words, verdict_words


@dataclass(frozen=True, slots=True)
class Findings:
    """A task as its report shows it. `histories` are by claim, `levels` the trust levels in force now by page,
    `independent` the independent sources of claims with their votes, `keys` the work or publisher that each page
    counts as, `with_orders` the pages that give orders to an AI."""

    task: Task
    claims: tuple[ReportClaim, ...]
    searches: tuple[Search, ...] = ()
    histories: Mapping[str, ClaimTimeline] = field(default_factory=dict)
    levels: Mapping[str, TrustLevel] = field(default_factory=dict)
    sources: tuple[CitedSource, ...] = ()
    independent: tuple[ClaimSource, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict)
    reviews: ReviewProgress = field(default_factory=ReviewProgress)
    with_orders: frozenset[str] = frozenset()

    @property
    def hypotheses(self) -> tuple[ReportClaim, ...]:
        return tuple(one for one in self.claims if one.claim.is_hypothesis)

    @property
    def main_claims(self) -> tuple[ReportClaim, ...]:
        """The hypotheses, or all claims where there is none."""
        return self.hypotheses or self.claims

    @property
    def retracted_addresses(self) -> frozenset[str]:
        facts = self.facts
        return frozenset(one.url for claim in self.claims for one in claim.quotes if facts.is_retracted(one))

    @property
    def facts(self) -> SourceFacts:
        retracted = frozenset(one.page_id for one in self.sources if one.is_retracted)
        return SourceFacts(self.levels, retracted, self.with_orders)


def stance_bars_of(hypotheses: Iterable[ReportClaim]) -> StanceBars:
    return StanceBars(tuple(map(_stance, hypotheses)))


def _stance(claim: ReportClaim) -> HypothesisStance:
    evidence = claim.assessment.evidence
    low, high = confidence_range(evidence)
    return HypothesisStance(
        text=claim.claim.claim_text,
        verdict_words=capitalised(verdict_words(claim.assessment.verdict)),
        supporting=evidence.supporting_count,
        refuting=evidence.refuting_count,
        confidence=evidence.confidence,
        low=low,
        high=high,
    )


def evidence_over_time_of(findings: Findings) -> EvidenceOverTime:
    """Each page once a side, by the year it was published."""
    facts = findings.facts
    seen: dict[tuple[str, bool], QuotedEvidence] = {}
    for claim in findings.main_claims:
        for is_support, quotes in ((True, claim.supports), (False, claim.refutes)):
            for one in quotes:
                if not one.no_vote or facts.is_retracted(one):
                    seen.setdefault((one.page_id, is_support), one)
    counts: dict[int, Counter[str]] = {}
    undated = 0
    for (_, is_support), one in seen.items():
        year = _year(one.published_date)
        if year is None:
            undated += 1
            continue
        side = "retracted" if facts.is_retracted(one) else "supporting" if is_support else "refuting"
        counts.setdefault(year, Counter())[side] += 1
    years = (
        YearOfEvidence(year, found["supporting"], found["refuting"], found["retracted"])
        for year, found in sorted(counts.items())
    )
    return EvidenceOverTime(tuple(years), undated)


def _year(date: str | None) -> int | None:
    return int(date[:4]) if date and date[:4].isdecimal() and date[:4].isascii() else None


def with_votes(sources: Iterable[ClaimSource], rows: Iterable[EvidenceRow]) -> tuple[ClaimSource, ...]:
    """The independent sources with one vote for each side on which they count, as the claims' own figures have it."""
    voices = {
        (claim_id, row.relation, source_key(row))
        for claim_id, own in group_by_claim(rows).items()
        for row in voting_rows(own)
    }

    def vote(one: ClaimSource, side: Relation) -> int:
        return int(any((one.claim_id, side, member) in voices for member in one.members))

    return tuple(
        replace(one, supports=vote(one, Relation.SUPPORTS), refutes=vote(one, Relation.REFUTES)) for one in sources
    )


def source_groups_of(findings: Findings) -> SourceGroups:
    """The independent sources of the leading claims with the pages behind each and their votes; apart, without a vote,
    the pages that are not counted. Empty where they do not make up the claims' own figures, as while a search runs."""
    leading = {one.claim.id for one in findings.main_claims}
    quoted, keys = _quoted_pages(findings), findings.keys
    silent = _pages_without_vote(findings)
    pages_of: dict[str, set[str]] = {}
    for page in quoted:
        if page not in silent:
            pages_of.setdefault(keys.get(page, ""), set()).add(page)
    groups: dict[str, tuple[set[str], int, int]] = {}
    for one in findings.independent:
        if one.claim_id in leading:
            pages, supports, refutes = groups.get(one.source, (set(), 0, 0))
            pages = pages.union(*(pages_of.get(member, ()) for member in one.members))
            groups[one.source] = (pages, supports + one.supports, refutes + one.refutes)
    figures = [one.assessment.evidence for one in findings.main_claims]
    if (sum(one[1] for one in groups.values()), sum(one[2] for one in groups.values())) != (
        sum(one.supporting_count for one in figures),
        sum(one.refuting_count for one in figures),
    ):
        return SourceGroups(())
    found = [
        SourceGroup(_group_name(name, quoted, keys), _page_names(pages, quoted) or (name,), supports, refutes)
        for name, (pages, supports, refutes) in groups.items()
    ]
    facts = findings.facts
    found += [
        SourceGroup(one.title or one.domain, (one.url,), 0, 0, is_retracted=facts.is_retracted(one))
        for page, one in sorted(quoted.items())
        if page in silent
    ]
    return SourceGroups(tuple(found), sum(1 for one in findings.main_claims if one.quotes))


def _pages_without_vote(findings: Findings) -> frozenset[str]:
    """Pages that speak of a leading claim with words that are not counted, and with no others."""
    counted = {
        one.page_id
        for claim in findings.main_claims
        for one in claim.quotes
        if not one.no_vote and not findings.facts.is_retracted(one)
    }
    return frozenset(_quoted_pages(findings).keys() - counted)


def _quoted_pages(findings: Findings) -> dict[str, QuotedEvidence]:
    """Pages that speak of a leading claim, each with one of its quotes."""
    found: dict[str, QuotedEvidence] = {}
    for claim in findings.main_claims:
        for one in claim.quotes:
            found.setdefault(one.page_id, one)
    return found


def _group_name(name: str, quoted: Mapping[str, QuotedEvidence], keys: Mapping[str, str]) -> str:
    """The publisher's domain, or the title of the work."""
    kind, _, rest = name.partition(":")
    if kind == "domain":
        return rest
    return next((one.title for page, one in quoted.items() if keys.get(page) == name and one.title), rest)


def _page_names(pages: Iterable[str], quoted: Mapping[str, QuotedEvidence]) -> tuple[str, ...]:
    return tuple(sorted(quoted[page].url for page in pages))


def review_curve_of(findings: Findings) -> ReviewCurve:
    """Corrections as reviews were made."""
    points, corrected = [], 0
    for number, is_correction in enumerate(findings.reviews.corrections, 1):
        corrected += is_correction
        points.append(ReviewPoint(number, corrected))
    return ReviewCurve(tuple(points), findings.reviews.waiting, findings.reviews.turning)


def claim_graph_of(findings: Findings, claim: ReportClaim) -> ClaimGraph:
    """The strongest quote of each page on either side, in the groups that count as one source."""
    facts, keys = findings.facts, findings.keys
    groups = {
        member: one.source for one in findings.independent if one.claim_id == claim.claim.id for member in one.members
    }
    found: dict[tuple[str, bool], GraphSource] = {}
    for is_support, quotes in ((True, claim.supports), (False, claim.refutes)):
        for one in quotes:
            key = keys.get(one.page_id, one.page_id)
            found.setdefault(
                (one.page_id, is_support),
                GraphSource(
                    name=one.domain,
                    group=groups.get(key, key),
                    is_support=is_support,
                    probability=one.nli_confidence,
                    trust=trust_words(facts.level(one)),
                    year=(one.published_date or "")[:4],
                    is_retracted=facts.is_retracted(one),
                ),
            )
    return ClaimGraph(
        claim.claim.claim_text, capitalised(verdict_words(claim.assessment.verdict)), tuple(found.values())
    )
