"""Answers about reviews and calibration: calibrate, calibrate_rollback, and the queue of `lyra review`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from lyra.answers.answer import Answer, Output, Rounded3, Rounded4, Timestamp, read_from
from lyra.errors import LyraError
from lyra.text import without_surrogates

if TYPE_CHECKING:
    from lyra.calibration.reports import (
        AddedSample,
        EvaluationResult,
        LanguageStats,
        RefitResult,
        ReliabilityDiagram,
        SourceStats,
    )
    from lyra.model.calibration import Evaluation, Rollback
    from lyra.research.reviewing import ReviewResult, UndoneReview

_OTHER_WEIGHTS = "Kept, but judged by other weights than those in use: it does not count towards their next fit."
_NOTHING_LEARNED = (
    "The review is stored, but nothing is learned from it: the reader's probabilities were not kept with the edge."
)


class RefitAnswer(Output):
    is_adopted: bool
    version: int | None = None
    language: str
    method: str | None = None
    brier_before: Rounded4
    brier_after: Rounded4 | None = None
    reason: str

    @classmethod
    def from_refit(cls, refit: "RefitResult") -> "RefitAnswer":
        return cls(
            is_adopted=refit.version is not None,
            version=refit.version,
            language=refit.language,
            method=refit.trial.fit.method.value if refit.trial.fit else None,
            brier_before=refit.trial.brier_before,
            brier_after=refit.trial.brier_after,
            reason=refit.trial.reason,
        )


class ReviewAnswer(Output):
    edge_id: str
    ok: bool
    relation: str | None = None
    claim_id: str | None = None
    verdict: str | None = None
    replaced: str | None = None
    error_code: str | None = None
    error: str | None = None
    remedy: str | None = None

    @classmethod
    def from_review(cls, edge_id: str, done: "ReviewResult | LyraError") -> "ReviewAnswer":
        if isinstance(done, LyraError):
            name = without_surrogates(edge_id)[:40]
            return cls(edge_id=name, ok=False, error_code=done.code, error=done.message, remedy=done.remedy)
        return cls(
            edge_id=done.review.edge_id,
            ok=True,
            relation=done.review.actual.value,
            claim_id=done.review.claim_id,
            verdict=done.verdict.value,
            replaced=done.replaced.actual.value if done.replaced else None,
        )


class DegradationFigures(Output):
    latest_evaluation_id: str = read_from("latest.id")
    latest_brier: Rounded4 = read_from("latest.brier_applied")
    latest_version: int = read_from("latest.calibration_version")
    previous_evaluation_id: str = read_from("previous.id")
    previous_brier: Rounded4 = read_from("previous.brier_applied")
    previous_version: int = read_from("previous.calibration_version")
    worsening: Rounded4


class LanguageFigures(Output):
    language: str
    sample_count: int
    pending_count: int
    method: str | None = None
    fitted_in: int | None = None
    fitted_on: int | None = None
    brier_before: Rounded4 | None = None
    brier_after: Rounded4 | None = None

    @classmethod
    def from_stats(cls, stats: "LanguageStats") -> "LanguageFigures":
        figures = cls.model_validate(stats)
        if stats.fitted is not None:
            figures.method = stats.fitted.fit.method.value
            figures.fitted_in, figures.fitted_on = stats.fitted.fitted_in, stats.fitted.fitted_on
            figures.brier_before = round(stats.fitted.brier_before, 4)
            figures.brier_after = round(stats.fitted.brier_after, 4)
        return figures


class SourceFigures(Output):
    source: str
    current_version: int
    brier_score: Rounded4 | None = None
    ece: Rounded4 | None = None
    sample_count: int
    pending_count: int
    degradation_detected: bool
    degradation: DegradationFigures | None = None
    versions: list[int]
    languages: list[LanguageFigures]

    @classmethod
    def from_stats(cls, stats: "SourceStats") -> "SourceFigures":
        figures = cls(
            source=stats.source.value,
            current_version=stats.current_version,
            brier_score=stats.brier_score,
            ece=stats.ece,
            sample_count=stats.sample_count,
            pending_count=stats.pending_count,
            degradation_detected=stats.degradation is not None,
            versions=list(stats.versions),
            languages=[LanguageFigures.from_stats(each) for each in stats.languages],
        )
        if stats.degradation is not None:
            figures.degradation = DegradationFigures.model_validate(stats.degradation)
        return figures


class EvaluationRow(Output):
    id: str
    source: str
    brier_score: Rounded4
    brier_score_calibrated: Rounded4 | None = None
    improvement_ratio: Rounded4
    expected_calibration_error: Rounded4
    samples_evaluated: int
    calibration_version: int
    evaluated_at: Timestamp


class DiagramBin(Output):
    lower: Rounded4
    upper: Rounded4
    count: int
    confidence: Rounded4
    accuracy: Rounded4


class CalibrateAnswer(Answer):
    source: str | None = None
    sample_id: str | None = None
    pending_count: int | None = None
    refit: RefitAnswer | None = None
    note: str | None = None
    edge_id: str | None = None
    review_id: str | None = None
    relation: str | None = None
    claim_id: str | None = None
    verdict: str | None = Field(
        None,
        description="Of the claim now: well_supported from confidence 0.75, supported from 0.6, likely_false to 0.4, "
        "contested with weight on both sides, else unverified.",
    )
    replaced: str | None = None
    reviewed: int | None = None
    failed: int | None = None
    results: list[ReviewAnswer] | None = None
    refits: list[RefitAnswer] | None = None
    current_version: int | None = None
    brier_score: Rounded4 | None = None
    ece: Rounded4 | None = None
    sample_count: int | None = None
    degradation_detected: bool | None = None
    degradation: DegradationFigures | None = None
    sources: list[SourceFigures] | None = None
    evaluation_id: str | None = None
    brier_score_calibrated: Rounded4 | None = None
    improvement_ratio: Rounded4 | None = None
    expected_calibration_error: Rounded4 | None = None
    samples_evaluated: int | None = None
    calibration_version: int | None = None
    evaluated_at: str | None = None
    rolled_back_to: int | None = None
    evaluations: list[EvaluationRow] | None = None
    total_count: int | None = None
    n_bins: int | None = None
    bins: list[DiagramBin] | None = None
    overall_ece: Rounded4 | None = None

    @classmethod
    def from_sample(cls, added: "AddedSample") -> "CalibrateAnswer":
        answer = cls()
        answer._set_sample(added)
        return answer

    @classmethod
    def from_review(cls, done: "ReviewResult") -> "CalibrateAnswer":
        """One review with its sample, as `add_sample` without an edge answers it."""
        answer = cls(
            edge_id=done.review.edge_id,
            relation=done.review.actual.value,
            claim_id=done.review.claim_id,
            verdict=done.verdict.value,
            review_id=done.review.id,
        )
        if done.replaced:
            answer.replaced = done.replaced.actual.value
        if done.added is None:
            answer.note = _NOTHING_LEARNED
        else:
            answer._set_sample(done.added)
        return answer

    @classmethod
    def from_reviews(cls, edge_ids: Sequence[str], answers: "Sequence[ReviewResult | LyraError]") -> "CalibrateAnswer":
        """A result for each edge in the order given, and one refit for each language."""
        done = [one for one in answers if not isinstance(one, LyraError)]
        refits: dict[str, RefitResult] = {}
        for review in done:
            if review.added is not None and review.added.refit:
                refits.setdefault(review.added.refit.language, review.added.refit)
        return cls(
            reviewed=len(done),
            failed=len(answers) - len(done),
            results=[ReviewAnswer.from_review(*one) for one in zip(edge_ids, answers, strict=True)],
            refits=[RefitAnswer.from_refit(refit) for refit in refits.values()],
        )

    @classmethod
    def from_undone(cls, done: "UndoneReview") -> "CalibrateAnswer":
        return cls(
            edge_id=done.review.edge_id,
            review_id=done.review.id,
            relation=done.review.judged_relation.value,
            claim_id=done.review.claim_id,
            verdict=done.verdict.value,
        )

    @classmethod
    def from_stats(cls, asked: "SourceStats", every: "Sequence[SourceStats]") -> "CalibrateAnswer":
        """The asked source's figures on top, then those of every source."""
        top = SourceFigures.from_stats(asked).model_dump(exclude_unset=True, exclude={"versions", "languages"})
        answer = cls.model_validate(top)
        answer.sources = [SourceFigures.from_stats(each) for each in every]
        return answer

    @classmethod
    def from_evaluated(cls, evaluated: "EvaluationResult") -> "CalibrateAnswer":
        row = EvaluationRow.model_validate(evaluated.evaluation).model_dump()
        answer = cls.model_validate({"evaluation_id": row.pop("id"), **row})
        answer.degradation_detected = evaluated.degradation is not None
        if evaluated.degradation is not None:
            answer.degradation = DegradationFigures.model_validate(evaluated.degradation)
        if evaluated.rollback:
            answer.rolled_back_to = evaluated.rollback.rolled_back_to
        return answer

    @classmethod
    def from_evaluations(cls, found: "Sequence[Evaluation]", total: int) -> "CalibrateAnswer":
        return cls(evaluations=[EvaluationRow.model_validate(each) for each in found], total_count=total)

    @classmethod
    def from_diagram(cls, diagram: "ReliabilityDiagram") -> "CalibrateAnswer":
        return cls(
            source=diagram.source.value,
            evaluation_id=diagram.evaluation_id,
            n_bins=len(diagram.bins),
            bins=[DiagramBin.model_validate(each) for each in diagram.bins],
            overall_ece=diagram.ece,
        )

    def _set_sample(self, added: "AddedSample") -> None:
        self.sample_id, self.pending_count = added.sample_id, added.pending_count
        if added.refit:
            self.refit = RefitAnswer.from_refit(added.refit)
        if not added.counts_for_current_model:
            self.note = _OTHER_WEIGHTS


class RollbackAnswer(Answer):
    source: str | None = None
    rolled_back_to: int | None = None
    previous_version: int | None = None
    reason: str | None = None

    @classmethod
    def from_rollback(cls, rollback: "Rollback") -> "RollbackAnswer":
        return cls.model_validate(rollback)


class ReviewQueueRow(Output):
    """An edge to review; `reader` are the reader's own probabilities."""

    edge_id: str
    turns_verdict: bool
    relation: str
    probability: Rounded3
    claim_id: str
    claim_text: str
    is_hypothesis: bool
    verdict: str
    quote: str
    source: str
    url: str
    title: str
    edges: int
    rule: str | None
    reader: list[Rounded3] | None = read_from("raw_probabilities")
    in_context: str
