"""What each figure shows, as plain data: a figure is drawn from one of these and from nothing else."""

from dataclasses import dataclass

from lyra.model.calibration import ReliabilityBin
from lyra.translate import say


@dataclass(frozen=True, slots=True)
class HypothesisStance:
    """One hypothesis: independent sources for and against it, its confidence and the range of that confidence.

    `verdict_words` are in the reader's language.
    """

    text: str
    verdict_words: str
    supporting: int
    refuting: int
    confidence: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class StanceBars:
    hypotheses: tuple[HypothesisStance, ...]


@dataclass(frozen=True, slots=True)
class YearOfEvidence:
    """Texts of one year that speak for and against; `retracted` ones are counted apart."""

    year: int
    supporting: int
    refuting: int
    retracted: int = 0


@dataclass(frozen=True, slots=True)
class EvidenceOverTime:
    """Years in any order; `undated` texts have no place on the axis and are only counted."""

    years: tuple[YearOfEvidence, ...]
    undated: int = 0


@dataclass(frozen=True, slots=True)
class GraphSource:
    """A source that speaks for or against the claim; sources with the same `group` count as one."""

    name: str
    group: str
    is_support: bool
    probability: float
    trust: str = ""
    year: str = ""
    is_retracted: bool = False


@dataclass(frozen=True, slots=True)
class ClaimGraph:
    claim: str
    verdict_words: str
    sources: tuple[GraphSource, ...]


@dataclass(frozen=True, slots=True)
class SourceGroup:
    """Pages that count as one independent source, because they are one work, one publisher or copies of one text.

    `supporting` and `refuting` are the claims on which it has a vote for or against; without any it is not counted.
    """

    name: str
    pages: tuple[str, ...]
    supporting: int
    refuting: int
    is_retracted: bool = False

    @property
    def is_counted(self) -> bool:
        return self.supporting + self.refuting > 0


@dataclass(frozen=True, slots=True)
class SourceGroups:
    """`claims` is the number of claims that the sources speak of."""

    groups: tuple[SourceGroup, ...]
    claims: int = 1


@dataclass(frozen=True, slots=True)
class ReliabilityDiagram:
    """How often judgements came true that were given with some probability; `error` is the mean gap (ECE)."""

    bins: tuple[ReliabilityBin, ...]
    error: float


@dataclass(frozen=True, slots=True)
class ReviewPoint:
    """After so many reviews, how many judgements had been corrected."""

    reviewed: int
    corrected: int


@dataclass(frozen=True, slots=True)
class ReviewCurve:
    """Reviews in the order they were made; `waiting` ones are left, of which `turning` could turn a verdict."""

    points: tuple[ReviewPoint, ...]
    waiting: int = 0
    turning: int = 0


FigureData = StanceBars | EvidenceOverTime | ClaimGraph | SourceGroups | ReliabilityDiagram | ReviewCurve


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A figure in words and numbers, for people who do not see it and for programs without pictures."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def figure_table(data: FigureData) -> FigureTable:
    """The same data as a table, in the language of now; rows as they are given, nothing left out."""
    match data:
        case StanceBars():
            return _stances(data)
        case EvidenceOverTime():
            return _years(data)
        case ClaimGraph():
            return _graph(data)
        case SourceGroups():
            return _groups(data)
        case ReliabilityDiagram():
            return _reliability(data)
        case ReviewCurve():
            return _reviews(data)


def number_text(value: float) -> str:
    """A probability or share to two places."""
    return f"{value:.2f}"


def range_text(low: float, high: float) -> str:
    return f"{low:.2f}–{high:.2f}"


def _stances(data: StanceBars) -> FigureTable:
    return FigureTable(
        say("Verdicts on the hypotheses"),
        (
            say("Hypothesis"),
            say("Verdict"),
            say("Sources for"),
            say("Sources against"),
            say("Confidence"),
            say("Range"),
        ),
        tuple(
            (
                one.text,
                one.verdict_words,
                str(one.supporting),
                str(one.refuting),
                number_text(one.confidence),
                range_text(one.low, one.high),
            )
            for one in data.hypotheses
        ),
    )


def _years(data: EvidenceOverTime) -> FigureTable:
    rows = [
        (str(one.year), str(one.supporting), str(one.refuting), str(one.retracted))
        for one in sorted(data.years, key=lambda one: one.year)
    ]
    if data.undated:
        rows.append((say("without a date"), str(data.undated), "", ""))
    return FigureTable(
        say("Evidence over time"), (say("Year"), say("For"), say("Against"), say("Retracted")), tuple(rows)
    )


def _graph(data: ClaimGraph) -> FigureTable:
    return FigureTable(
        say("Evidence around a claim"),
        (
            say("Source"),
            say("Stance"),
            say("Probability"),
            say("Trust"),
            say("Date"),
            say("Counts as"),
            say("Retracted"),
        ),
        tuple(
            (
                one.name,
                say("for") if one.is_support else say("against"),
                number_text(one.probability),
                one.trust,
                one.year,
                one.group,
                say("yes") if one.is_retracted else "",
            )
            for one in data.sources
        ),
    )


def _groups(data: SourceGroups) -> FigureTable:
    return FigureTable(
        say("Sources by independence"),
        (say("Independent source"), say("Pages"), say("For"), say("Against"), say("Note")),
        tuple(
            (
                one.name,
                ", ".join(one.pages),
                str(one.supporting) if one.is_counted else "–",
                str(one.refuting) if one.is_counted else "–",
                say("retracted, without a vote") if one.is_retracted else "" if one.is_counted else say("not counted"),
            )
            for one in data.groups
        ),
    )


def _reliability(data: ReliabilityDiagram) -> FigureTable:
    return FigureTable(
        say("How far probabilities can be believed"),
        (say("Probability given"), say("Judgements"), say("Mean probability"), say("Came true")),
        tuple(
            (range_text(one.lower, one.upper), str(one.count), number_text(one.confidence), number_text(one.accuracy))
            for one in data.bins
            if one.count
        ),
    )


def _reviews(data: ReviewCurve) -> FigureTable:
    return FigureTable(
        say("Reviews and corrections"),
        (say("Reviewed"), say("Corrected")),
        tuple((str(one.reviewed), str(one.corrected)) for one in data.points),
    )
