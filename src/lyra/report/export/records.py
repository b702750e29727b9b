"""What is exported of a task: one set of records for every format, free of characters that control or hide."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

from lyra.model.edge import JudgedText
from lyra.model.report import CitedSource, QuotedEvidence, ReportClaim
from lyra.model.task import Task
from lyra.text import strip_control_chars, without_surrogates

T = TypeVar("T")


@dataclass(frozen=True)
class TaskRecords:
    """A task with its claims and their quotes, the best supported first, its sources by address, and which source cites
    which other one, by page."""

    task: Task
    claims: tuple[ReportClaim, ...]
    sources: tuple[CitedSource, ...]
    citations: tuple[tuple[str, str], ...] = ()

    @cached_property
    def quotes_by_page(self) -> dict[str, list[tuple[ReportClaim, QuotedEvidence]]]:
        """What each page says of which claim, in the order of the claims."""
        found: dict[str, list[tuple[ReportClaim, QuotedEvidence]]] = {}
        for claim, quoted in self.quotes():
            found.setdefault(quoted.page_id, []).append((claim, quoted))
        return found

    def quotes(self) -> Iterator[tuple[ReportClaim, QuotedEvidence]]:
        """Every quote with its claim."""
        for claim in self.claims:
            for quoted in claim.quotes:
                yield claim, quoted

    @property
    def changed_on(self) -> str:
        """The day of the newest page, or that of the task where it has none."""
        return f"{max((one.fetched_at for one in self.sources), default=self.task.created_at):%Y-%m-%d}"


def records(
    task: Task,
    claims: tuple[ReportClaim, ...],
    sources: tuple[CitedSource, ...],
    citations: tuple[tuple[str, str], ...] = (),
) -> TaskRecords:
    """The records as they may leave Lyra. Places of quotes stay those of the page's text, which is as it was read."""
    return TaskRecords(
        _cleaned(task),
        tuple(_cleaned_claim(one) for one in claims),
        tuple(_cleaned(one) for one in sources),
        citations,
    )


def clean(text: str) -> str:
    """Text of others as it may leave Lyra."""
    return text if text.isascii() and text.isprintable() else strip_control_chars(without_surrogates(text))


def _cleaned_claim(one: ReportClaim) -> ReportClaim:
    return ReportClaim(
        _cleaned(one.claim),
        one.assessment,
        tuple(_cleaned_quote(quoted) for quoted in one.supports),
        tuple(_cleaned_quote(quoted) for quoted in one.refutes),
    )


def _cleaned_quote(quoted: QuotedEvidence) -> QuotedEvidence:
    judged, review = quoted.judged_text, quoted.review
    return replace(
        _cleaned(quoted),
        judged_text=None if judged is None else _cleaned_judged_text(judged),
        review=None if review is None else _cleaned(review),
    )


def _cleaned_judged_text(judged: JudgedText) -> JudgedText:
    """Piece by piece, so that the parts have their places in the text that remains."""
    bounds = sorted({0, len(judged.text), *(at for part in judged.parts for at in (part.start, part.end))})
    moved = {0: 0}
    pieces: list[str] = []
    for start, end in pairwise(bounds):
        pieces.append(clean(judged.text[start:end]))
        moved[end] = moved[start] + len(pieces[-1])
    parts = tuple(replace(part, start=moved[part.start], end=moved[part.end]) for part in judged.parts)
    return JudgedText("".join(pieces), parts)


def _cleaned(record: T) -> T:
    """The same dataclass with every text, and every text of a list, cleaned."""
    changed: dict[str, Any] = {}
    for field in fields(record):  # type: ignore[arg-type]
        value = getattr(record, field.name)
        if type(value) is str:
            changed[field.name] = clean(value)
        elif isinstance(value, tuple) and value and type(value[0]) is str:
            changed[field.name] = tuple(map(clean, value))
    return replace(record, **changed)  # type: ignore[type-var]


def assessed_fields(one: ReportClaim) -> dict[str, Any]:
    """What is known of a claim, by the names of the exports."""
    figures = one.assessment.evidence
    return {
        "language": one.claim.language,
        "verdict": one.assessment.verdict.value,
        "confidence": round(figures.confidence, 3),
        "uncertainty": round(figures.uncertainty, 3),
        "controversy": round(figures.controversy, 3),
        "independent_sources": one.assessment.independent_sources,
        "verification_status": one.assessment.verification_status.value,
        "refutation_status": one.assessment.refutation_status.value,
    }
